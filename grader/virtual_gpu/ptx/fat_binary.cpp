#include "grader/virtual_gpu/ptx/fat_binary.h"

#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::uint32_t wrapper_magic = 0x466243B1;
constexpr std::uint32_t container_magic = 0xBA55ED50;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint64_t flag_compressed_lz4 = 0x2000;
constexpr std::uint64_t flag_compressed_zstd = 0x8000;
/// More than any kernel file; keeps a broken length from asking for all memory.
constexpr std::size_t most_ptx_bytes = std::size_t{256} << 20;

struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const void* container;
    const void* other;
};

struct ContainerHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t body_bytes;
};

struct EntryHeader {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t body_bytes;
    std::uint32_t compressed_bytes;
    std::uint32_t unknown;
    std::uint16_t minor;
    std::uint16_t major;
    std::uint32_t compute_capability;
    std::uint32_t name_offset;
    std::uint32_t name_bytes;
    std::uint64_t flags;
    std::uint64_t zero;
    std::uint64_t decompressed_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

/// Copies a header from `bytes` if all of it is there.
template <class Header>
std::optional<Header> read_header(std::string_view bytes) {
    if (bytes.size() < sizeof(Header)) {
        return std::nullopt;
    }
    Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

std::optional<std::string> decompress(std::string_view body) {
    const unsigned long long size = ZSTD_getFrameContentSize(body.data(), body.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
        size > most_ptx_bytes) {
        return std::nullopt;
    }
    std::string text(size, '\0');
    const std::size_t written = ZSTD_decompress(text.data(), text.size(), body.data(), body.size());
    if (ZSTD_isError(written) || written != size) {
        return std::nullopt;
    }
    return text;
}

/// Walks the entries and keeps the best PTX.
class ContainerReader {
  public:
    PtxImage read(std::string_view entries) {
        while (!entries.empty()) {
            const auto header = read_header<EntryHeader>(entries);
            if (!header || header->header_bytes < sizeof(EntryHeader) ||
                header->header_bytes > entries.size() ||
                header->body_bytes > entries.size() - header->header_bytes) {
                note("the fat binary is damaged: a length in it does not fit");
                break;
            }
            consider(*header, entries.substr(header->header_bytes, header->body_bytes));
            entries.remove_prefix(header->header_bytes + header->body_bytes);
        }
        if (best_.text.empty()) {
            best_.why_missing = problem_.empty() ? nothing_found() : problem_;
        }
        return std::move(best_);
    }

  private:
    void consider(const EntryHeader& header, std::string_view body) {
        if (header.kind != kind_ptx) {
            native_code_ = true;
            return;
        }
        const int capability =
            header.compute_capability > 100000 ? 0 : static_cast<int>(header.compute_capability);
        if (body.empty() || capability <= best_.compute_capability) {
            return;
        }
        auto text = text_of(header, body);
        if (text && !text->empty()) {
            best_.text = std::move(*text);
            best_.compute_capability = capability;
        }
    }

    std::optional<std::string> text_of(const EntryHeader& header, std::string_view body) {
        if (header.flags & flag_compressed_zstd) {
            if (header.compressed_bytes > body.size()) {
                note("the fat binary is damaged: a compressed length does not fit");
                return std::nullopt;
            }
            auto text = decompress(body.substr(
                0, header.compressed_bytes != 0 ? header.compressed_bytes : body.size()));
            if (!text) {
                note("the fat binary is damaged: its PTX cannot be decompressed");
            }
            return text;
        }
        if (header.flags & flag_compressed_lz4) {
            note("the PTX was compressed by an older toolkit: compile it with --no-compress");
            return std::nullopt;
        }
        return std::string(body);
    }

    void note(const char* problem) {
        if (problem_.empty()) {
            problem_ = problem;
        }
    }

    std::string nothing_found() const {
        std::string line =
            "the fat binary holds no PTX: compile with -gencode "
            "arch=compute_75,code=compute_75";
        if (native_code_) {
            line += " and without -rdc=true (it holds native code only)";
        }
        return line;
    }

    PtxImage best_;
    std::string problem_;
    bool native_code_ = false;
};

PtxImage missing(const char* why) {
    PtxImage image;
    image.why_missing = why;
    return image;
}

}  // namespace

PtxImage extract_ptx_from_container(const void* container, std::size_t size) {
    std::string_view bytes(static_cast<const char*>(container), size);
    const auto header = read_header<ContainerHeader>(bytes);
    if (!header || header->magic != container_magic) {
        return missing("the fat binary is damaged: it does not start as one");
    }
    if (header->header_bytes < sizeof(ContainerHeader) || header->header_bytes > size ||
        header->body_bytes > size - header->header_bytes) {
        return missing("the fat binary is damaged: a length in it does not fit");
    }
    return ContainerReader().read(bytes.substr(header->header_bytes, header->body_bytes));
}

PtxImage extract_ptx(const void* wrapper_address) {
    Wrapper wrapper;
    std::memcpy(&wrapper, wrapper_address, sizeof wrapper);
    if (wrapper.magic != wrapper_magic || wrapper.container == nullptr) {
        return missing("the fat binary is damaged: it does not start as one");
    }
    ContainerHeader header;
    std::memcpy(&header, wrapper.container, sizeof header);
    if (header.magic != container_magic || header.body_bytes > most_ptx_bytes * 16) {
        return missing("the fat binary is damaged: it does not start as one");
    }
    return extract_ptx_from_container(wrapper.container, header.header_bytes + header.body_bytes);
}

}  // namespace vram::virtual_gpu::ptx
