// Builds the story of a failed check: a first line to act on, then the learner's own calls as
// steps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grader/protocol/record.h"
#include "grader/runtime/records.h"

namespace vram::checks {

class Story {
  public:
    /// `diagnosis` is a stable id that the lab's manifest lists ("double-free").
    /// `first_line` is one sentence that a learner can act on.
    Story(std::string diagnosis, std::string first_line);

    /// Adds a call of the learner as the next step. A call number 0 adds nothing.
    Story& step(runtime::CallNumber call);
    Story& step(const runtime::CallRecord& call);
    /// Adds a sentence as the next step.
    Story& step(std::string sentence);
    /// Adds a sentence about what happened at a place that is no runtime call; `frames` as in CallRecord.
    Story& step_at(std::string sentence, std::vector<std::uint64_t> frames);
    /// Adds every learner call after `after` as steps: at most `most`, the last ones if there are
    /// more.
    Story& steps_after(runtime::CallNumber after, int most = 8);
    /// Adds the calls that made and freed an allocation.
    Story& life_of(runtime::AllocationId allocation);
    /// Quotes the source line of the step added last, with a note under it.
    Story& show(std::string note);

    Story& expected(std::string text);
    Story& found(std::string text);
    Story& why(std::string text);

    const protocol::Finding& finding() const { return finding_; }

  private:
    protocol::Finding finding_;
};

/// An address as stories write it: "0x200000000400", or "null".
std::string address_text(const void* pointer);

/// "{site:HEX}" for the place a call was made from; the proctor writes "file.cu:31" for it.
std::string site_of(const runtime::CallRecord& call);

/// The story of something that the ledger or the virtual GPU saw by itself.
Story story_of(const runtime::Misuse& misuse);

}  // namespace vram::checks
