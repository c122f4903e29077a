#include "grader/virtual_gpu/ptx/shared_race.h"

#include <algorithm>

namespace vram::virtual_gpu::ptx {

namespace {

constexpr std::uint32_t lanes = 32;

bool is_strong(SharedAccess access) {
    return access != SharedAccess::read && access != SharedAccess::write;
}

bool only_reads(SharedAccess access) {
    return access == SharedAccess::read || access == SharedAccess::strong_read;
}

}  // namespace

SharedRaceDetector::SharedRaceDetector(std::uint32_t shared_bytes, std::uint32_t threads)
    : cells_(shared_bytes), threads_(threads), times_(threads, 1), known_(threads) {}

SharedRaceDetector::Mark SharedRaceDetector::mark_of(std::uint32_t thread, bool strong) const {
    return {block_epoch_, times_[thread], thread, strong};
}

bool SharedRaceDetector::collides(const Mark& mark, std::uint32_t thread, bool strong) const {
    if (mark.block_epoch != block_epoch_ || mark.thread == thread || (mark.strong && strong)) {
        return false;
    }
    const Clock& known = known_[thread];
    return known.empty() || known[mark.thread] < mark.time;
}

void SharedRaceDetector::join(Clock& to, const Clock& from) {
    for (std::size_t thread = 0; thread < from.size(); ++thread) {
        to[thread] = std::max(to[thread], from[thread]);
    }
}

SharedRaceDetector::Clock& SharedRaceDetector::own(Clock& clock) const {
    clock.resize(threads_);
    return clock;
}

std::optional<SharedRaceDetector::Collision> SharedRaceDetector::access(std::uint32_t thread,
                                                                        std::uint32_t offset,
                                                                        unsigned size,
                                                                        SharedAccess kind) {
    const bool strong = is_strong(kind);
    std::optional<Collision> collision;
    for (std::uint32_t byte = offset; byte < offset + size && byte < cells_.size(); ++byte) {
        Cell& cell = cells_[byte];
        if (!collision && collides(cell.writer, thread, strong)) {
            collision = Collision{cell.writer.thread, true};
        }
        if (only_reads(kind)) {
            if (cell.reader.thread != thread) {
                cell.other_reader = cell.reader;
            }
            cell.reader = mark_of(thread, strong);
            continue;
        }
        for (const Mark* reader : {&cell.reader, &cell.other_reader}) {
            if (!collision && collides(*reader, thread, strong)) {
                collision = Collision{reader->thread, false};
            }
        }
        cell.writer = mark_of(thread, strong);
    }
    return collision;
}

void SharedRaceDetector::synchronise(std::uint32_t thread, std::uint64_t address,
                                     SharedAccess kind) {
    if (!is_strong(kind)) {
        return;
    }
    const std::uint64_t word = address / 8;
    if (kind != SharedAccess::strong_write) {
        const auto seen = of_word_.find(word);
        if (seen != of_word_.end()) {
            join(own(known_[thread]), seen->second);
        }
    }
    if (!only_reads(kind)) {
        Clock& left = own(of_word_[word]);
        join(left, known_[thread]);
        left[thread] = times_[thread]++;
    }
}

void SharedRaceDetector::block_barrier() {
    ++block_epoch_;
    of_word_.clear();
    std::fill(known_.begin(), known_.end(), Clock());
}

void SharedRaceDetector::warp_barrier(std::uint32_t warp) {
    const std::uint32_t begin = warp * lanes;
    const std::uint32_t end = std::min(begin + lanes, threads_);
    Clock all(threads_);
    for (std::uint32_t thread = begin; thread < end; ++thread) {
        join(all, known_[thread]);
        all[thread] = times_[thread]++;
    }
    std::fill(known_.begin() + begin, known_.begin() + end, all);
}

}  // namespace vram::virtual_gpu::ptx
