#include "grader/virtual_gpu/streams/hazard_detector.h"

#include <algorithm>
#include <iterator>

namespace vram::virtual_gpu {
namespace {

const char* verb(AccessMode mode) {
    switch (mode) {
        case AccessMode::read:
            return "reads";
        case AccessMode::write:
            return "writes";
        case AccessMode::atomic:
            return "updates";
        case AccessMode::allocate:
            return "allocates";
        case AccessMode::release:
            return "frees";
    }
    return "touches";
}

std::string named(const Origin& origin) {
    if (origin.call == 0)
        return origin.what;
    return origin.what + " (call " + std::to_string(origin.call) + ")";
}

std::string bytes_text(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t count = end - begin;
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace

void HazardDetector::report(ReportKind kind, const Stamp& caught, const Stamp& other,
                            const Access& bytes, const std::string& first_line) {
    // Not auto: minmax of temporaries gives references to them.
    const std::pair<const Origin*, const Origin*> pair =
        std::minmax(caught.origin.get(), other.origin.get());
    if (!reported_.insert({pair.first, pair.second}).second)
        return;
    reported_origins_.push_back(caught.origin);
    reported_origins_.push_back(other.origin);
    Report report;
    report.kind = kind;
    report.first_line = first_line;
    report.details.push_back("the bytes in question: " + bytes_text(bytes.begin, bytes.end));
    report.parties.push_back({caught.origin->call, caught.origin->what, bytes.begin, bytes.end});
    report.parties.push_back({other.origin->call, other.origin->what, bytes.begin, bytes.end});
    report.address = bytes.begin;
    if (const Block* block = space_.find(bytes.begin)) {
        report.allocation = block->id;
        report.details.push_back("they lie at byte " + std::to_string(bytes.begin - block->begin) +
                                 " of a block of " + bytes_text(block->begin, block->end));
    }
    observer().on_report(report);
}

void HazardDetector::record(const Operation& operation, const std::vector<Access>& accesses,
                            bool keep) {
    for (const Access& access : accesses) {
        if (access.begin >= access.end)
            continue;
        check_life(operation, access);
        if (keep) {
            split_at(access.begin);
            split_at(access.end);
        }
        std::uint64_t covered = access.begin;
        auto segment = first_at_or_after(access.begin);
        while (segment != segments_.end() && segment->first < access.end) {
            check_segment(operation, access, segment->first, segment->second);
            if (keep) {
                if (covered < segment->first)
                    update_segment(
                        operation, access,
                        segments_.insert({covered, Segment{segment->first, {}, false, {}}})
                            .first->second);
                update_segment(operation, access, segment->second);
            }
            covered = segment->second.end;
            ++segment;
        }
        if (keep && covered < access.end)
            update_segment(
                operation, access,
                segments_.insert({covered, Segment{access.end, {}, false, {}}}).first->second);
    }
}

HazardDetector::Segments::iterator HazardDetector::first_at_or_after(std::uint64_t address) {
    auto segment = segments_.upper_bound(address);
    if (segment != segments_.begin() && std::prev(segment)->second.end > address)
        --segment;
    return segment;
}

void HazardDetector::split_at(std::uint64_t address) {
    const auto segment = first_at_or_after(address);
    if (segment == segments_.end() || segment->first >= address)
        return;
    Segment upper = segment->second;
    segment->second.end = address;
    segments_.insert({address, std::move(upper)});
}

void HazardDetector::check_life(const Operation& operation, const Access& access) {
    if (lives_.empty())
        return;
    const Block* block = space_.find_live(access.begin);
    const auto found = block ? lives_.find(block->id) : lives_.end();
    if (found == lives_.end())
        return;
    const Life& life = found->second;
    const Stamp self{operation.epoch, operation.origin};
    const std::string who = named(*operation.origin);
    if (life.allocated.origin && !operation.clock.covers(life.allocated.epoch))
        report(ReportKind::use_before_allocation, self, life.allocated, access,
               who + " " + verb(access.mode) +
                   " memory before it is allocated: nothing orders it after " +
                   named(*life.allocated.origin) + " of another stream");
    if (!life.released.origin || life.before_release.covers(operation.epoch))
        return;
    if (operation.clock.covers(life.released.epoch))
        report(ReportKind::use_after_free_async, self, life.released, access,
               who + " " + verb(access.mode) + " memory that " + named(*life.released.origin) +
                   " has already given back in stream order");
    else
        report(ReportKind::free_in_flight, self, life.released, access,
               named(*life.released.origin) + " frees memory that " + who + " " +
                   verb(access.mode) + " on another stream, and nothing orders the two");
}

void HazardDetector::check_segment(const Operation& operation, const Access& access,
                                   std::uint64_t begin, const Segment& segment) {
    const Access common{std::max(begin, access.begin), std::min(segment.end, access.end),
                        access.mode};
    const Stamp self{operation.epoch, operation.origin};
    const auto collide = [&](const Stamp& other, const char* other_verb) {
        if (operation.clock.covers(other.epoch))
            return;
        report(ReportKind::race, self, other, common,
               named(*operation.origin) + " " + verb(access.mode) + " memory that " +
                   named(*other.origin) + " " + other_verb +
                   ", and nothing orders the two: no event, wait or synchronisation between their "
                   "streams");
    };
    if (access.mode != AccessMode::atomic || !segment.atomic)
        for (const Stamp& writer : segment.writers)
            collide(writer, segment.atomic ? "updates" : "writes");
    if (access.mode != AccessMode::read)
        for (const Stamp& reader : segment.readers)
            collide(reader, "reads");
}

void HazardDetector::update_segment(const Operation& operation, const Access& access,
                                    Segment& segment) {
    const Stamp self{operation.epoch, operation.origin};
    const auto replace = [&](std::vector<Stamp>& stamps) {
        // Whatever is ordered before this access need not be remembered beside it.
        std::erase_if(stamps, [&](const Stamp& old) { return operation.clock.covers(old.epoch); });
        stamps.push_back(self);
    };
    if (access.mode == AccessMode::read) {
        replace(segment.readers);
    } else if (access.mode == AccessMode::atomic) {
        if (!segment.atomic)
            segment.writers.clear();
        segment.atomic = true;
        replace(segment.writers);
    } else {
        segment.writers.assign(1, self);
        segment.atomic = false;
        segment.readers.clear();
    }
}

bool HazardDetector::host_frees(const Block& block, const VectorClock& host, const Origin& origin,
                                ReportKind kind) {
    const Stamp self{{}, std::make_shared<const Origin>(origin)};
    bool any = false;
    const auto collide = [&](const Stamp& other, const Access& bytes, const char* other_verb) {
        if (host.covers(other.epoch))
            return;
        any = true;
        report(kind, self, other, bytes,
               named(*self.origin) + " frees memory that " + named(*other.origin) + " still " +
                   other_verb + ": nothing waits for that work before the free");
    };
    for (auto segment = first_at_or_after(block.begin);
         segment != segments_.end() && segment->first < block.end; ++segment) {
        const Access bytes{segment->first, segment->second.end, AccessMode::write};
        for (const Stamp& writer : segment->second.writers)
            collide(writer, bytes, "writes");
        for (const Stamp& reader : segment->second.readers)
            collide(reader, bytes, "reads");
    }
    forget(block);
    return any;
}

void HazardDetector::block_allocated(const Block& block, const Operation& operation) {
    forget(block);
    lives_[block.id].allocated = {operation.epoch, operation.origin};
}

void HazardDetector::block_released(const Block& block, const Operation& operation) {
    Life& life = lives_[block.id];
    life.released = {operation.epoch, operation.origin};
    life.before_release = operation.clock;
    const Stamp self = life.released;
    const auto collide = [&](const Stamp& other, const Access& bytes, const char* other_verb) {
        if (!operation.clock.covers(other.epoch))
            report(ReportKind::free_in_flight, self, other, bytes,
                   named(*self.origin) + " frees memory that " + named(*other.origin) + " " +
                       other_verb + " on another stream, and nothing orders the two");
    };
    for (auto segment = first_at_or_after(block.begin);
         segment != segments_.end() && segment->first < block.end; ++segment) {
        const Access bytes{segment->first, segment->second.end, AccessMode::release};
        for (const Stamp& writer : segment->second.writers)
            collide(writer, bytes, "writes");
        for (const Stamp& reader : segment->second.readers)
            collide(reader, bytes, "reads");
    }
    if (life.allocated.origin && !operation.clock.covers(life.allocated.epoch))
        report(ReportKind::use_before_allocation, self, life.allocated,
               {block.begin, block.end, AccessMode::release},
               named(*self.origin) +
                   " frees memory before it is allocated: nothing orders it after " +
                   named(*life.allocated.origin) + " of another stream");
}

void HazardDetector::forget(const Block& block) {
    lives_.erase(block.id);
    forget_bytes(block.begin, block.end);
}

void HazardDetector::forget_bytes(std::uint64_t begin, std::uint64_t end) {
    split_at(begin);
    split_at(end);
    segments_.erase(segments_.lower_bound(begin), segments_.lower_bound(end));
}

void HazardDetector::forget_covered(const VectorClock& host) {
    const auto over = [&](const Stamp& stamp) { return host.covers(stamp.epoch); };
    for (auto segment = segments_.begin(); segment != segments_.end();) {
        std::erase_if(segment->second.writers, over);
        std::erase_if(segment->second.readers, over);
        const bool empty = segment->second.writers.empty() && segment->second.readers.empty();
        segment = empty ? segments_.erase(segment) : std::next(segment);
    }
}

}  // namespace vram::virtual_gpu
