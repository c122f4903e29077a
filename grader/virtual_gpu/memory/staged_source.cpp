#include "grader/virtual_gpu/memory/staged_source.h"

#include <cstring>

namespace vram::virtual_gpu {
namespace {

std::uint64_t checksum_of(std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t prime = 0x100000001B3;
    std::uint64_t sum = 0xCBF29CE484222325;
    const auto* bytes = reinterpret_cast<const std::byte*>(begin);
    std::size_t left = end - begin;
    for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, sizeof word);
        sum = (sum ^ word) * prime;
        sum ^= sum >> 29;
        bytes += sizeof word;
    }
    for (; left > 0; --left)
        sum = (sum ^ static_cast<std::uint64_t>(*bytes++)) * prime;
    return sum;
}

}  // namespace

std::shared_ptr<StagedSource> StagedSources::remember(std::uint64_t begin, std::uint64_t end) {
    std::erase_if(sources_, [](const auto& source) { return source.expired(); });
    auto source = std::make_shared<StagedSource>();
    source->begin = begin;
    source->end = end;
    source->checksum = checksum_of(begin, end);
    sources_.push_back(source);
    return source;
}

bool StagedSources::changed(const std::shared_ptr<StagedSource>& source) {
    return source->comparable && checksum_of(source->begin, source->end) != source->checksum;
}

void StagedSources::written_by_device(const std::vector<Access>& accesses) {
    if (sources_.empty())
        return;
    for (const Access& access : accesses) {
        if (access.mode == AccessMode::read)
            continue;
        for (const auto& weak : sources_) {
            const auto source = weak.lock();
            if (source && access.begin < source->end && source->begin < access.end)
                source->comparable = false;
        }
    }
}

void StagedSources::written_by_host_function() {
    for (const auto& weak : sources_)
        if (const auto source = weak.lock())
            source->comparable = false;
}

}  // namespace vram::virtual_gpu
