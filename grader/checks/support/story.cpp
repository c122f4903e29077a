#include "grader/checks/support/story.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <vector>

#include "grader/checks/support/learner.h"

namespace vram::checks {

namespace {

using Frames = std::uint64_t[runtime::max_frames];

std::vector<std::uint64_t> without_zeros(const Frames& frames) {
    return {std::begin(frames), std::find(std::begin(frames), std::end(frames), 0u)};
}

/// What the program did at a place of the misuse's own.
std::string act_of(const runtime::Misuse& misuse) {
    const bool released = misuse.kind == runtime::MisuseKind::free_by_c_library;
    char text[64];
    std::snprintf(text, sizeof text, "host code %s 0x%llx",
                  released ? "gives the C library" : "reaches for",
                  static_cast<unsigned long long>(misuse.address));
    return text;
}

}  // namespace

std::string address_text(const void* pointer) {
    if (pointer == nullptr) {
        return "null";
    }
    char text[32];
    std::snprintf(text, sizeof text, "%p", pointer);
    return text;
}

Story::Story(std::string diagnosis, std::string first_line) {
    finding_.diagnosis = std::move(diagnosis);
    finding_.first_line = std::move(first_line);
}

Story& Story::step(runtime::CallNumber call) {
    return step(session().call(call));
}

Story& Story::step(const runtime::CallRecord& call) {
    if (call.number == 0 || call.by_harness) {
        return *this;
    }
    protocol::Step step;
    step.text = session().describe(call);
    step.frames = without_zeros(call.frames);
    finding_.steps.push_back(std::move(step));
    return *this;
}

Story& Story::step(std::string sentence) {
    protocol::Step step;
    step.text = std::move(sentence);
    finding_.steps.push_back(std::move(step));
    return *this;
}

Story& Story::step_at(std::string sentence, std::vector<std::uint64_t> frames) {
    step(std::move(sentence));
    finding_.steps.back().frames = std::move(frames);
    return *this;
}

Story& Story::steps_after(runtime::CallNumber after, int most) {
    const std::vector<runtime::CallRecord> calls = session().calls_after(after);
    const int total = static_cast<int>(calls.size());
    const int first = std::max(0, total - most);
    if (first > 0) {
        step("(" + std::to_string(first) +
             (first == 1 ? " earlier call is not shown)" : " earlier calls are not shown)"));
    }
    for (int index = first; index < total; ++index) {
        step(calls[index]);
    }
    return *this;
}

Story& Story::life_of(runtime::AllocationId id) {
    const runtime::AllocationRecord allocation = session().allocation(id);
    if (allocation.id == 0) {
        return *this;
    }
    step(allocation.made_by);
    step(allocation.freed_by);
    return *this;
}

Story& Story::show(std::string note) {
    finding_.shown_step = static_cast<int>(finding_.steps.size());
    finding_.note = std::move(note);
    return *this;
}

Story& Story::expected(std::string text) {
    finding_.expected = std::move(text);
    return *this;
}

Story& Story::found(std::string text) {
    finding_.found = std::move(text);
    return *this;
}

Story& Story::why(std::string text) {
    finding_.why = std::move(text);
    return *this;
}

std::string site_of(const runtime::CallRecord& call) {
    char text[32];
    std::snprintf(text, sizeof text, "{site:%llx}",
                  static_cast<unsigned long long>(call.frames[0]));
    return text;
}

Story story_of(const runtime::Misuse& misuse) {
    Story story(runtime::diagnosis_id(misuse), misuse.first_line);
    const runtime::AllocationRecord allocation = session().allocation(misuse.allocation);
    const bool has_own_place = misuse.frames[0] != 0;
    std::vector<runtime::CallNumber> calls = {allocation.made_by, allocation.freed_by,
                                              misuse.other_call};
    if (!has_own_place) {
        calls.push_back(misuse.call);
    }
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    for (runtime::CallNumber call : calls) {
        story.step(call);
        if (!has_own_place && call == misuse.call && call != 0) {
            story.show("");
        }
    }
    if (has_own_place) {
        story.step_at(act_of(misuse), without_zeros(misuse.frames)).show("");
    }
    std::istringstream lines(misuse.details);
    for (std::string line; std::getline(lines, line);) {
        story.step(line);
    }
    return story;
}

}  // namespace vram::checks
