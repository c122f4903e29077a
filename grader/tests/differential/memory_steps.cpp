// Steps that make, release and describe memory.
#include <array>
#include <cstdlib>

#include "grader/tests/differential/sequence.h"

namespace vram::differential {
namespace {

constexpr std::size_t most_blocks = 12;
constexpr std::size_t too_much = std::size_t{1} << 50;

}  // namespace

void Sequence::fill(Block& block) {
    const int value = static_cast<int>(random_.below(256));
    if (block.kind == Kind::pitched) {
        note("cudaMemset2D " + name(block),
             cudaMemset2D(block.base, block.pitch, value, block.bytes, block.rows));
        block.user = legacy;
        return;
    }
    const int stream = block.kind == Kind::stream_ordered ? block.user : legacy;
    note("cudaMemsetAsync " + name(block) + " to " + std::to_string(value) + " in " +
             name_of_stream(stream),
         cudaMemsetAsync(block.base, value, block.bytes, handle(stream)));
    block.user = stream;
}

void Sequence::allocate() {
    if (blocks_.size() >= most_blocks) {
        release();
        return;
    }
    static constexpr std::array sizes = {1u,    4u,    100u,  256u,   512u,    513u,   1000u,
                                         4096u, 4100u, 8192u, 65536u, 100000u, 300000u};
    static constexpr std::array kinds = {Kind::device,  Kind::device,         Kind::device,
                                         Kind::pitched, Kind::stream_ordered, Kind::stream_ordered,
                                         Kind::managed, Kind::pinned};
    Block block;
    block.kind = random_.pick(kinds);
    block.bytes = random_.pick(sizes);
    block.number = ++made_;
    void* base = nullptr;
    cudaError_t error = cudaSuccess;
    std::string call;
    switch (block.kind) {
        case Kind::device:
            call = "cudaMalloc";
            error = cudaMalloc(&base, block.bytes);
            break;
        case Kind::pitched:
            call = "cudaMallocPitch";
            block.bytes = random_.between(1, 3000);
            block.rows = random_.between(1, 20);
            error = cudaMallocPitch(&base, &block.pitch, block.bytes, block.rows);
            break;
        case Kind::stream_ordered:
            block.user = any_stream();
            block.from_own_pool = own_pool_ != nullptr && random_.one_in(2);
            call = block.from_own_pool ? "cudaMallocFromPoolAsync" : "cudaMallocAsync";
            call += " in " + name_of_stream(block.user);
            error = block.from_own_pool
                        ? cudaMallocFromPoolAsync(&base, block.bytes, own_pool_, handle(block.user))
                        : cudaMallocAsync(&base, block.bytes, handle(block.user));
            break;
        case Kind::managed:
            call = "cudaMallocManaged";
            error = cudaMallocManaged(&base, block.bytes);
            break;
        case Kind::pinned:
            call = "cudaMallocHost";
            error = cudaMallocHost(&base, block.bytes);
            break;
    }
    note(call + " " + name(block), error);
    if (error != cudaSuccess) {
        return;
    }
    block.base = static_cast<char*>(base);
    blocks_.push_back(block);
    fill(blocks_.back());
}

void Sequence::allocate_wrongly() {
    void* p = nullptr;
    std::size_t pitch = 0;
    const int stream = any_stream();
    switch (random_.below(11)) {
        case 0:
            note("cudaMalloc of 2^50 bytes", cudaMalloc(&p, too_much));
            break;
        case 1:
            note("cudaMalloc into null", cudaMalloc(static_cast<void**>(nullptr), 16));
            break;
        case 2:
            note("cudaMalloc of 0 bytes", cudaMalloc(&p, 0));
            break;
        case 3:
            note("cudaMallocPitch without a pitch", cudaMallocPitch(&p, nullptr, 16, 16));
            break;
        case 4:
            note("cudaMallocPitch that overflows", cudaMallocPitch(&p, &pitch, too_much, too_much));
            break;
        case 5:
            note("cudaMallocPitch of no rows", cudaMallocPitch(&p, &pitch, 16, 0));
            break;
        case 6:
            note("cudaMallocAsync of 2^50 bytes", cudaMallocAsync(&p, too_much, handle(stream)));
            break;
        case 7:
            note("cudaMallocAsync of 0 bytes", cudaMallocAsync(&p, 0, handle(stream)));
            break;
        case 8:
            note("cudaMallocManaged with flags 9", cudaMallocManaged(&p, 16, 9));
            break;
        case 9:
            note("cudaHostAlloc with flags 64", cudaHostAlloc(&p, 16, 64));
            break;
        default:
            note("cudaMallocHost of 0 bytes", cudaMallocHost(&p, 0));
            break;
    }
}

cudaError_t Sequence::release_block(Block& block) {
    cudaError_t error = cudaSuccess;
    const std::string of = " " + name(block);
    if (block.kind == Kind::stream_ordered && !random_.one_in(4)) {
        const int stream = random_.one_in(2) && block.user != host ? block.user : any_stream();
        claim(block, stream);
        error = note("cudaFreeAsync" + of + " in " + name_of_stream(stream),
                     cudaFreeAsync(block.base, handle(stream)));
        if (random_.one_in(8)) {
            note("cudaFreeAsync again", cudaFreeAsync(block.base, handle(stream)));
        }
    } else if (block.kind == Kind::pinned) {
        claim(block, host);
        error = note("cudaFreeHost" + of, cudaFreeHost(block.base));
        if (random_.one_in(8)) {
            note("cudaFreeHost again", cudaFreeHost(block.base));
        }
    } else {
        claim(block, host);
        error = note("cudaFree" + of, cudaFree(block.base));
        if (random_.one_in(8)) {
            note("cudaFree again", cudaFree(block.base));
        }
    }
    drop(block);
    return error;
}

void Sequence::release() {
    if (Block* block = any_block()) {
        release_block(*block);
    }
}

void Sequence::release_wrongly() {
    Block* block = any_block();
    int here = 0;
    switch (random_.below(8)) {
        case 0:
            note("cudaFree of null", cudaFree(nullptr));
            break;
        case 1:
            note("cudaFree of a stack address", cudaFree(&here));
            break;
        case 2:
            note("cudaFreeHost of a stack address", cudaFreeHost(&here));
            break;
        case 3:
            if (block != nullptr && block->kind != Kind::pinned) {
                note("cudaFreeHost of " + name(*block), cudaFreeHost(block->base));
            } else if (block != nullptr) {
                note("cudaFree of " + name(*block), cudaFree(block->base));
            }
            break;
        case 4:
            note("cudaFreeAsync of a stack address", cudaFreeAsync(&here, handle(any_stream())));
            break;
        case 5:
            note("cudaFreeHost of null", cudaFreeHost(nullptr));
            break;
        default:
            if (block != nullptr && block->bytes > 1) {
                char* inside = block->base + random_.between(1, block->bytes - 1);
                if (block->kind == Kind::pinned) {
                    note("cudaFreeHost inside " + name(*block), cudaFreeHost(inside));
                } else if (block->kind == Kind::stream_ordered && random_.one_in(2)) {
                    note("cudaFreeAsync inside " + name(*block),
                         cudaFreeAsync(inside, handle(any_stream())));
                } else {
                    note("cudaFree inside " + name(*block), cudaFree(inside));
                }
            }
            break;
    }
}

void Sequence::read_back() {
    if (Block* block = any_block()) {
        hash_block(*block);
    }
}

void Sequence::describe_pointer() {
    Block* block = any_block();
    const char* pointer = pageable_.data();
    std::string what = "pageable memory";
    if (block != nullptr && !random_.one_in(5)) {
        const std::size_t offset = random_.below(block->bytes);
        pointer = block->base + offset;
        what = name(*block) + " + " + std::to_string(offset);
    }
    cudaPointerAttributes seen{};
    const cudaError_t error = cudaPointerGetAttributes(&seen, pointer);
    std::string text = error == cudaSuccess ? "ok" : cudaGetErrorName(error);
    if (error == cudaSuccess) {
        text += " type " + std::to_string(seen.type);
        text += seen.devicePointer == pointer ? ", device itself" : ", device other";
        text += seen.hostPointer == pointer ? ", host itself" : ", host other";
    }
    transcript_.write("cudaPointerGetAttributes " + what, text);
}

void Sequence::register_host_memory() {
    constexpr std::size_t page = 4096;
    alignas(4096) static char pages[4 * page];
    if (note("cudaHostRegister", cudaHostRegister(pages, 2 * page, 0)) != cudaSuccess) {
        return;
    }
    if (random_.one_in(2)) {
        note("cudaHostRegister again", cudaHostRegister(pages, 2 * page, 0));
    }
    if (Block* block = any_block({Kind::device, Kind::stream_ordered, Kind::managed})) {
        const std::size_t bytes = std::min(line_bytes(*block), page);
        const int stream = any_stream();
        for (std::size_t i = 0; i < bytes; ++i) {
            pages[i] = static_cast<char>(random_.next());
        }
        claim(*block, stream);
        note("cudaMemcpyAsync of registered memory to " + name(*block) + " in " +
                 name_of_stream(stream),
             cudaMemcpyAsync(block->base, pages, bytes, cudaMemcpyHostToDevice, handle(stream)));
        wait_for(stream);
    }
    if (random_.one_in(3)) {
        note("cudaFreeHost of registered memory", cudaFreeHost(pages));
    }
    note("cudaHostUnregister", cudaHostUnregister(pages));
    if (random_.one_in(3)) {
        note("cudaHostUnregister again", cudaHostUnregister(pages));
    }
}

}  // namespace vram::differential
