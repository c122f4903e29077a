#include "grader/virtual_gpu/calls/copy.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "grader/virtual_gpu/calls/virtual_call.h"
#include "grader/virtual_gpu/clock/cost_table.h"
#include "grader/virtual_gpu/memory/initialisation.h"

namespace vram::virtual_gpu {
namespace {

/// Only pageable memory makes a direction wrong: the card reaches all other memory.
bool direction_fits(cudaMemcpyKind kind, const MemorySide& destination, const MemorySide& source) {
    switch (kind) {
        case cudaMemcpyHostToDevice:
            return !destination.pageable();
        case cudaMemcpyDeviceToHost:
            return !source.pageable();
        case cudaMemcpyDeviceToDevice:
            return !destination.pageable() && !source.pageable();
        default:
            return true;
    }
}

cost::Path path_of(const MemorySide& destination, const MemorySide& source) {
    if (destination.host() && source.host())
        return cost::Path::on_host;
    if (destination.host())
        return cost::Path::to_host;
    return source.host() ? cost::Path::to_device : cost::Path::on_device;
}

/// Overlapping copies are undefined; here they go in the order that spoils the bytes, so that
/// nobody comes to rely on them.
void move_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
    const bool overlap = to < from + bytes && from < to + bytes && to != from;
    if (!overlap) {
        if (to != from)
            std::memcpy(to, from, bytes);
        return;
    }
    if (to > from)
        for (std::size_t i = 0; i < bytes; ++i)
            to[i] = from[i];
    else
        for (std::size_t i = bytes; i-- > 0;)
            to[i] = from[i];
}

void report_changed_source(const Origin& origin, const MemorySide& source) {
    Report report;
    report.kind = ReportKind::host_buffer_in_flight;
    report.first_line = "the host changed page-locked memory that " + origin.what +
                        " had been given to read and had not read yet";
    report.details.push_back("nothing waited for the copy between the call and the change");
    report.parties.push_back({origin.call, origin.what, source.box.address, source.box.end()});
    report.address = source.box.address;
    report.allocation = source.block_id;
    observer().on_report(report);
}

void report_gone(const Origin& origin, const MemorySide& side) {
    Report report;
    report.kind = side.pinned() ? ReportKind::host_buffer_in_flight : ReportKind::free_in_flight;
    report.first_line = "memory of " + origin.what + " was freed before the copy was done";
    report.parties.push_back({origin.call, origin.what, side.box.address, side.box.end()});
    if (side.block)
        report.parties.push_back({side.block->freed_by, "the free", side.box.address, 0});
    report.address = side.box.address;
    report.allocation = side.block_id;
    observer().on_report(report);
}

/// Everything that a pending copy needs once its turn comes.
struct PendingCopy {
    PendingCopy() = default;
    PendingCopy(const PendingCopy&) = delete;
    PendingCopy& operator=(const PendingCopy&) = delete;
    /// After a sticky error it goes without having run.
    ~PendingCopy() {
        if (guarded)
            guarded->land(*origin);
    }

    std::shared_ptr<const Origin> origin;
    MemorySide destination;
    MemorySide source;
    std::vector<std::byte> staged;  ///< the source's bytes, row by row, when they were taken early
    std::shared_ptr<StagedSource> watched;
    GuardedTargets* guarded = nullptr;  ///< knows the destination
};

void move_rows(const PendingCopy& pending) {
    const Box& to = pending.destination.box;
    const Box& from = pending.source.box;
    const std::byte* staged = pending.staged.data();
    for (std::size_t z = 0; z < to.depth; ++z)
        for (std::size_t y = 0; y < to.height; ++y) {
            const std::byte* bytes = pending.source.bytes_at(from.row(y, z));
            if (staged) {
                bytes = staged;
                staged += to.width;
            }
            move_bytes(pending.destination.bytes_at(to.row(y, z)), bytes, to.width);
        }
}

void mark_written(const MemorySide& side) {
    if (side.block)
        side.box.for_each_run([&](std::uint64_t address, std::size_t bytes) {
            mark_initialised(*side.block, address, address + bytes);
        });
}

void stage(PendingCopy& pending) {
    const Box& from = pending.source.box;
    pending.staged.resize(from.bytes());
    std::byte* to = pending.staged.data();
    for (std::size_t z = 0; z < from.depth; ++z)
        for (std::size_t y = 0; y < from.height; ++y, to += from.width)
            std::memcpy(to, pending.source.bytes_at(from.row(y, z)), from.width);
}

Execution run_copy(Card& card, const PendingCopy& pending) {
    Execution result;
    for (const MemorySide* side : {&pending.destination, &pending.source})
        if (!side->still_there()) {
            report_gone(*pending.origin, *side);
            return result;
        }
    if (pending.watched && card.sources.changed(pending.watched))
        report_changed_source(*pending.origin, pending.source);
    if (pending.guarded)
        pending.guarded->land(*pending.origin);
    move_rows(pending);
    mark_written(pending.destination);
    result.nanoseconds =
        cost::copy(path_of(pending.destination, pending.source), pending.destination.box.bytes());
    return result;
}

/// Whoever reads the target before the copy has run is told so.
void guard_target(Card& card, PendingCopy& pending) {
    const MemorySide& target = pending.destination;
    int runs = 0;
    target.box.for_each_run([&](std::uint64_t, std::size_t) { ++runs; });
    if (!target.pinned() || runs != 1)
        return;
    pending.guarded = &card.host_memory.guarded_targets();
    card.host_memory.guard_target(*target.block, target.box.address,
                                  target.box.address + target.box.bytes(), pending.origin);
}

/// The checksum of page-locked memory that the copy will read later.
void watch_source(Card& card, PendingCopy& pending) {
    const Box& from = pending.source.box;
    if (!pending.source.pinned() || from.depth != 1 || from.height != 1)
        return;
    GuardedTargets& guarded = card.host_memory.guarded_targets();
    guarded.suspend();  // it may be the target of an earlier copy
    pending.watched = card.sources.remember(from.address, from.address + from.width);
    guarded.resume();
}

/// Whether the call returns only when the bytes have arrived, by the documentation.
bool waits(Blocking blocking, const MemorySide& destination, const MemorySide& source) {
    if (blocking == Blocking::yes)
        return destination.host() || source.host();
    return destination.pageable() || (destination.host() && source.host());
}

}  // namespace

bool known_kind(cudaMemcpyKind kind) {
    return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

cudaError_t copy(Card& card, const Box& destination, const Box& source, cudaMemcpyKind kind,
                 cudaStream_t stream_handle, Blocking blocking, const char* name) {
    if (!known_kind(kind))
        return cudaErrorInvalidMemcpyDirection;
    const auto stream = stream_of(card, stream_handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (destination.empty())
        return cudaSuccess;
    auto pending = std::make_shared<PendingCopy>();
    if (!find_side(card, destination, pending->destination) ||
        !find_side(card, source, pending->source))
        return cudaErrorInvalidValue;
    if (!direction_fits(kind, pending->destination, pending->source))
        return cudaErrorInvalidValue;
    pending->origin = origin_of(name);
    const bool wait = waits(blocking, pending->destination, pending->source);
    if (!wait && pending->source.pageable())
        stage(*pending);
    if (!wait) {
        watch_source(card, *pending);
        guard_target(card, *pending);
    }

    Operation operation;
    operation.origin = pending->origin;
    pending->destination.append_accesses(AccessMode::write, operation.accesses);
    pending->source.append_accesses(AccessMode::read, operation.accesses);
    operation.execute = [&card, pending] { return run_copy(card, *pending); };
    const StreamPoint point = card.scheduler.enqueue(stream, std::move(operation));
    card.scheduler.spend(cost::enqueue_copy);
    if (wait)
        card.scheduler.wait_for(point);
    return outcome(card);
}

cudaError_t fill(Card& card, const Box& destination, int value, cudaStream_t stream_handle,
                 Blocking blocking, const char* name) {
    const auto stream = stream_of(card, stream_handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (destination.empty())
        return cudaSuccess;
    MemorySide side;
    if (!find_side(card, destination, side) || side.pageable())
        return cudaErrorInvalidValue;
    Operation operation;
    operation.origin = origin_of(name);
    side.append_accesses(AccessMode::write, operation.accesses);
    operation.execute = [side, value, origin = operation.origin] {
        Execution result;
        if (!side.still_there()) {
            report_gone(*origin, side);
            return result;
        }
        side.box.for_each_run([&](std::uint64_t address, std::size_t bytes) {
            std::memset(side.bytes_at(address), value, bytes);
        });
        mark_written(side);
        result.nanoseconds = cost::copy(cost::Path::set, side.box.bytes());
        return result;
    };
    const StreamPoint point = card.scheduler.enqueue(stream, std::move(operation));
    card.scheduler.spend(cost::enqueue_copy);
    // Setting device memory does not wait, whatever the call; page-locked and managed memory does.
    if (blocking == Blocking::yes && side.memory_class != MemoryClass::device)
        card.scheduler.wait_for(point);
    return outcome(card);
}

}  // namespace vram::virtual_gpu
