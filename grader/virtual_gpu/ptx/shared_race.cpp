#include "grader/virtual_gpu/ptx/shared_race.h"

#include <algorithm>

namespace vram::virtual_gpu::ptx {

namespace {
constexpr std::uint32_t lanes = 32;
}

SharedRaceDetector::SharedRaceDetector(std::uint32_t shared_bytes, std::uint32_t warps)
    : cells_(shared_bytes), warp_epochs_(warps, 1) {}

SharedRaceDetector::Mark SharedRaceDetector::mark_of(std::uint32_t thread, bool atomic) const {
    return {block_epoch_, warp_epochs_[thread / lanes], thread, atomic};
}

bool SharedRaceDetector::collides(const Mark& mark, std::uint32_t thread, bool atomic) const {
    if (mark.block_epoch != block_epoch_ || mark.thread == thread || (mark.atomic && atomic)) {
        return false;
    }
    const bool same_warp = mark.thread / lanes == thread / lanes;
    return !same_warp || mark.warp_epoch == warp_epochs_[thread / lanes];
}

std::optional<SharedRaceDetector::Collision> SharedRaceDetector::access(std::uint32_t thread,
                                                                        std::uint32_t offset,
                                                                        unsigned size,
                                                                        SharedAccess kind) {
    const bool atomic = kind == SharedAccess::atomic;
    std::optional<Collision> collision;
    for (std::uint32_t byte = offset; byte < offset + size && byte < cells_.size(); ++byte) {
        Cell& cell = cells_[byte];
        if (!collision && collides(cell.writer, thread, atomic)) {
            collision = Collision{cell.writer.thread, true};
        }
        if (kind == SharedAccess::read) {
            if (cell.reader.thread != thread) {
                cell.other_reader = cell.reader;
            }
            cell.reader = mark_of(thread, false);
            continue;
        }
        for (const Mark* reader : {&cell.reader, &cell.other_reader}) {
            if (!collision && collides(*reader, thread, false)) {
                collision = Collision{reader->thread, false};
            }
        }
        cell.writer = mark_of(thread, atomic);
    }
    return collision;
}

}  // namespace vram::virtual_gpu::ptx
