// Steps that copy and set memory.
#include <algorithm>
#include <array>

#include "grader/tests/differential/sequence.h"

namespace vram::differential {
namespace {

constexpr std::array kinds = {cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                              cudaMemcpyDeviceToDevice, cudaMemcpyDefault};

}  // namespace

void Sequence::copy() {
    // One side is a block; the other a second block or pageable memory.
    Block* block = any_block();
    if (block == nullptr) {
        return;
    }
    Block* second = any_block();
    const bool pageable = second == block || random_.one_in(2);
    const bool to_block = random_.one_in(2);
    const std::size_t room = line_bytes(*block);
    const std::size_t other_room = pageable ? pageable_.size() : line_bytes(*second);
    const std::size_t offset = random_.below(room);
    const std::size_t other_offset = random_.below(other_room);
    std::size_t bytes = std::min(room - offset, other_room - other_offset);
    bytes = random_.one_in(3) ? bytes : random_.between(0, bytes);
    std::string overrun;
    // Only device memory has exact ends; more than the pageable side holds is never read.
    if (block->kind == Kind::device && random_.one_in(10) &&
        other_room - other_offset > room + 64) {
        bytes = room - offset + random_.between(1, 64);
        overrun = " past the end";
    }
    const cudaMemcpyKind right = !pageable
                                     ? cudaMemcpyDeviceToDevice
                                     : (to_block ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
    const cudaMemcpyKind kind = random_.one_in(3) ? random_.pick(kinds) : right;
    char* const one = block->base + offset;
    char* const other = (pageable ? pageable_.data() : second->base) + other_offset;
    const bool asynchronous = random_.one_in(2);
    const int stream = asynchronous ? any_stream() : legacy;
    claim(*block, stream);
    if (!pageable) {
        claim(*second, stream);
        // Waiting for the second may have waited for everything.
        block->user = stream;
    }
    char* const to = to_block ? one : other;
    const char* const from = to_block ? other : one;
    const std::string other_name = pageable ? "pageable" : name(*second);
    const std::string text =
        std::string(asynchronous ? "cudaMemcpyAsync " : "cudaMemcpy ") + name(kind) + " " +
        std::to_string(bytes) + overrun + " to " + (to_block ? name(*block) : other_name) +
        " from " + (to_block ? other_name : name(*block)) + " in " + name_of_stream(stream);
    note(text, asynchronous ? cudaMemcpyAsync(to, from, bytes, kind, handle(stream))
                            : cudaMemcpy(to, from, bytes, kind));
    if (pageable) {
        wait_for(stream);
    }
}

void Sequence::copy_rows() {
    Block* block = any_block({Kind::device, Kind::pitched, Kind::stream_ordered});
    if (block == nullptr) {
        return;
    }
    constexpr std::size_t most_pitch = 4000;
    const bool to_block = random_.one_in(2);
    const bool pitched = block->kind == Kind::pitched;
    std::size_t pitch = pitched ? block->pitch : random_.between(1, most_pitch);
    std::size_t width = random_.between(0, pitched ? block->bytes : pitch);
    const std::size_t fitting = pitched ? block->rows : block->bytes / pitch;
    std::size_t rows = random_.between(0, std::min<std::size_t>(fitting, 20));
    std::size_t host_pitch = random_.between(std::max<std::size_t>(width, 1), most_pitch);
    std::string wrong;
    switch (random_.below(10)) {
        case 0:
            wrong = ", block's pitch too small";
            width = std::max<std::size_t>(width, 2);
            host_pitch = std::max(host_pitch, width);
            pitch = random_.below(width);
            break;
        case 1:
            wrong = ", host's pitch too small";
            width = std::max<std::size_t>(width, 2);
            host_pitch = random_.below(width);
            break;
        case 2:
            wrong = ", perhaps a row too many";
            rows = std::min<std::size_t>(fitting, 20) + 1;
            break;
        default:
            break;
    }
    const cudaMemcpyKind right = to_block ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const cudaMemcpyKind kind = random_.one_in(6) ? random_.pick(kinds) : right;
    const bool asynchronous = random_.one_in(2);
    const int stream = asynchronous ? any_stream() : legacy;
    claim(*block, stream);
    char* const to = to_block ? block->base : pageable_.data();
    char* const from = to_block ? pageable_.data() : block->base;
    const std::size_t to_pitch = to_block ? pitch : host_pitch;
    const std::size_t from_pitch = to_block ? host_pitch : pitch;
    const std::string text =
        std::string("cudaMemcpy2D") + (asynchronous ? "Async " : " ") + name(kind) +
        (to_block ? " to " : " from ") + name(*block) + ", " + std::to_string(width) + " x " +
        std::to_string(rows) + (pitched ? "" : ", pitch " + std::to_string(pitch)) +
        ", host's pitch " + std::to_string(host_pitch) + wrong + " in " + name_of_stream(stream);
    note(text, asynchronous ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, kind,
                                                handle(stream))
                            : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, rows, kind));
    wait_for(stream);
}

void Sequence::set() {
    Block* block = any_block();
    if (block == nullptr) {
        return;
    }
    const std::size_t room = line_bytes(*block);
    const std::size_t offset = random_.below(room);
    std::size_t bytes = random_.between(0, room - offset);
    std::string overrun;
    if (block->kind == Kind::device && random_.one_in(6)) {
        bytes = room - offset + random_.between(1, 5000);
        overrun = " past the end";
    }
    const int value = static_cast<int>(random_.below(1000)) - 300;
    const bool asynchronous = random_.one_in(2);
    const int stream = asynchronous ? any_stream() : legacy;
    claim(*block, stream);
    note(std::string(asynchronous ? "cudaMemsetAsync " : "cudaMemset ") + name(*block) + " + " +
             std::to_string(offset) + ", " + std::to_string(bytes) + " to " +
             std::to_string(value) + overrun + " in " + name_of_stream(stream),
         asynchronous ? cudaMemsetAsync(block->base + offset, value, bytes, handle(stream))
                      : cudaMemset(block->base + offset, value, bytes));
}

void Sequence::set_rows() {
    Block* block = any_block({Kind::device, Kind::pitched, Kind::stream_ordered});
    if (block == nullptr) {
        return;
    }
    const bool pitched = block->kind == Kind::pitched;
    const std::size_t pitch = pitched ? block->pitch : random_.between(1, 2000);
    const std::size_t fitting = pitched ? block->rows : block->bytes / pitch;
    std::size_t width = random_.between(0, pitched ? block->bytes : pitch);
    std::size_t rows = random_.between(0, fitting);
    std::string wrong;
    if (random_.one_in(8)) {
        width = pitch + random_.between(1, 9);
        wrong = ", wider than the pitch";
    } else if (random_.one_in(8)) {
        rows = fitting + 1;
        wrong = ", perhaps a row too many";
    }
    const int value = static_cast<int>(random_.below(256));
    const bool asynchronous = random_.one_in(2);
    const int stream = asynchronous ? any_stream() : legacy;
    claim(*block, stream);
    const std::string shape = wrong.find("wider") != std::string::npos && pitched
                                  ? ""
                                  : ", " + std::to_string(width) + " x " + std::to_string(rows);
    note(std::string("cudaMemset2D") + (asynchronous ? "Async " : " ") + name(*block) + shape +
             (pitched ? "" : ", pitch " + std::to_string(pitch)) + wrong + " in " +
             name_of_stream(stream),
         asynchronous ? cudaMemset2DAsync(block->base, pitch, value, width, rows, handle(stream))
                      : cudaMemset2D(block->base, pitch, value, width, rows));
}

void Sequence::copy_rows_on_device() {
    Block* to = any_block({Kind::device, Kind::pitched, Kind::stream_ordered});
    Block* from = any_block({Kind::device, Kind::pitched, Kind::stream_ordered, Kind::managed});
    if (to == nullptr || from == nullptr || to == from) {
        return;
    }
    const auto pitch_of = [&](const Block& block) {
        return block.kind == Kind::pitched ? block.pitch : random_.between(1, 1500);
    };
    const auto rows_of = [](const Block& block, std::size_t pitch) {
        return block.kind == Kind::pitched ? block.rows : block.bytes / pitch;
    };
    const std::size_t to_pitch = pitch_of(*to);
    const std::size_t from_pitch = pitch_of(*from);
    const std::size_t room = std::min(to->kind == Kind::pitched ? to->bytes : to_pitch,
                                      from->kind == Kind::pitched ? from->bytes : from_pitch);
    const std::size_t width = random_.between(0, room);
    const std::size_t rows = random_.between(
        0, std::min({rows_of(*to, to_pitch), rows_of(*from, from_pitch), std::size_t{30}}));
    static constexpr std::array fitting = {cudaMemcpyDeviceToDevice, cudaMemcpyDefault,
                                           cudaMemcpyHostToDevice};
    const cudaMemcpyKind kind = random_.pick(fitting);
    const int stream = any_stream();
    claim(*to, stream);
    claim(*from, stream);
    to->user = stream;
    const auto shown_pitch = [](const Block& block, std::size_t pitch) {
        return block.kind == Kind::pitched ? "" : " pitch " + std::to_string(pitch);
    };
    note("cudaMemcpy2DAsync " + std::string(name(kind)) + " on the device to " + name(*to) +
             shown_pitch(*to, to_pitch) + " from " + name(*from) + shown_pitch(*from, from_pitch) +
             ", " + std::to_string(width) + " x " + std::to_string(rows) + " in " +
             name_of_stream(stream),
         cudaMemcpy2DAsync(to->base, to_pitch, from->base, from_pitch, width, rows, kind,
                           handle(stream)));
}

void Sequence::copy_volume() {
    Block* block = any_block({Kind::pitched});
    if (block == nullptr) {
        return;
    }
    // The rows of the block as slices of the same height; some rows may be left over.
    const std::size_t slice_rows = random_.between(1, block->rows);
    cudaExtent extent =
        make_cudaExtent(random_.between(0, block->bytes), random_.between(0, slice_rows),
                        random_.between(0, block->rows / slice_rows));
    const bool to_block = random_.one_in(2);
    std::string wrong;
    std::size_t host_pitch = std::max<std::size_t>(extent.width, 1) + random_.below(100);
    switch (random_.below(8)) {
        case 0:
            extent.depth = block->rows / slice_rows + 1;
            wrong = ", a slice too many";
            break;
        case 1:
            extent.width = std::max<std::size_t>(extent.width, 2);
            host_pitch = random_.between(1, extent.width - 1);
            wrong = ", host's pitch too small";
            break;
        case 2:
            extent.height = slice_rows + 1;
            extent.depth = 2;
            wrong = ", slices too low";
            break;
        default:
            break;
    }
    const std::size_t host_rows = std::max<std::size_t>(extent.height, 1);
    if (host_pitch * host_rows * std::max<std::size_t>(extent.depth, 1) > pageable_.size()) {
        return;
    }
    const cudaPitchedPtr on_device =
        make_cudaPitchedPtr(block->base, block->pitch, block->bytes, slice_rows);
    const cudaPitchedPtr on_host =
        make_cudaPitchedPtr(pageable_.data(), host_pitch, extent.width, host_rows);
    cudaMemcpy3DParms parameters{};
    parameters.dstPtr = to_block ? on_device : on_host;
    parameters.srcPtr = to_block ? on_host : on_device;
    parameters.extent = extent;
    parameters.kind = to_block ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    claim(*block, legacy);
    note(std::string("cudaMemcpy3D ") + (to_block ? "to " : "from ") + name(*block) + " " +
             std::to_string(extent.width) + " x " + std::to_string(extent.height) + " x " +
             std::to_string(extent.depth) + " of slices of " + std::to_string(slice_rows) +
             ", host's pitch " + std::to_string(host_pitch) + wrong,
         cudaMemcpy3D(&parameters));
    wait_for(legacy);
}

void Sequence::set_volume() {
    Block* block = any_block({Kind::pitched});
    if (block == nullptr) {
        return;
    }
    const std::size_t slice_rows = random_.between(1, block->rows);
    const std::size_t slices = block->rows / slice_rows;
    // Never a slice too many: an H200 sets slice by slice, and what lies behind a block is often
    // memory that it may set. So what such a call changes is up to the neighbourhood.
    const cudaExtent extent =
        make_cudaExtent(random_.between(0, block->bytes), random_.between(0, slice_rows),
                        random_.between(0, slices));
    const int value = static_cast<int>(random_.below(256));
    claim(*block, legacy);
    note("cudaMemset3D " + name(*block) + " to " + std::to_string(value) + " " +
             std::to_string(extent.width) + " x " + std::to_string(extent.height) + " x " +
             std::to_string(extent.depth) + " of slices of " + std::to_string(slice_rows),
         cudaMemset3D(make_cudaPitchedPtr(block->base, block->pitch, block->bytes, slice_rows),
                      value, extent));
}

void Sequence::copy_symbol() {
    wait_for_all();
    const std::size_t offset = random_.below(symbol_bytes);
    std::size_t bytes = random_.between(0, symbol_bytes - offset);
    if (random_.one_in(5)) {
        bytes = symbol_bytes - offset + random_.between(1, 100);
    }
    const std::string range = std::to_string(bytes) + " at " + std::to_string(offset);
    if (random_.one_in(2)) {
        note("cudaMemcpyToSymbol " + range,
             cudaMemcpyToSymbol(symbol_words, pageable_.data(), bytes, offset));
    } else {
        note("cudaMemcpyFromSymbol " + range,
             cudaMemcpyFromSymbol(pageable_.data(), symbol_words, bytes, offset));
    }
    wait_for_all();
}

void Sequence::transfer_wrongly() {
    Block* block = any_block({Kind::device, Kind::stream_ordered, Kind::pitched});
    if (block == nullptr) {
        return;
    }
    claim(*block, host);
    char* const here = pageable_.data();
    const std::size_t bytes = random_.between(1, line_bytes(*block));
    const std::string of = " " + name(*block);
    switch (random_.below(12)) {
        case 0:
            note("copy to null" + of,
                 cudaMemcpy(nullptr, block->base, bytes, cudaMemcpyDeviceToHost));
            break;
        case 1:
            note("copy from null" + of,
                 cudaMemcpy(block->base, nullptr, bytes, cudaMemcpyHostToDevice));
            break;
        case 2:
            note("copy with kind 9" + of,
                 cudaMemcpy(block->base, here, bytes, static_cast<cudaMemcpyKind>(9)));
            break;
        case 3:
            note("copy in the wrong direction" + of,
                 cudaMemcpy(block->base, here, bytes, cudaMemcpyDeviceToHost));
            break;
        case 4:
            note("copy in the wrong direction back" + of,
                 cudaMemcpy(here, block->base, bytes, cudaMemcpyHostToDevice));
            break;
        case 5:
            note("copy device to device with pageable memory" + of,
                 cudaMemcpy(block->base, here, bytes, cudaMemcpyDeviceToDevice));
            break;
        case 6:
            note("set of pageable memory", cudaMemset(here, 0, bytes));
            break;
        case 7:
            note("set of null", cudaMemset(nullptr, 0, bytes));
            break;
        case 8:
            note("copy of 0 bytes to null", cudaMemcpy(nullptr, here, 0, cudaMemcpyHostToDevice));
            break;
        case 9:
            note("2D copy with kind 9" + of, cudaMemcpy2D(block->base, bytes, here, bytes, bytes, 1,
                                                          static_cast<cudaMemcpyKind>(9)));
            break;
        case 10:
            note("copy to a __host__ variable as a symbol",
                 cudaMemcpyToSymbol(static_cast<const void*>(here), here, 4));
            break;
        default:
            note("async copy with kind 9" + of,
                 cudaMemcpyAsync(block->base, here, bytes, static_cast<cudaMemcpyKind>(9),
                                 handle(any_stream())));
            break;
    }
}

}  // namespace vram::differential
