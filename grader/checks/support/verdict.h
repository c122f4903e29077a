// How a check says what it found. A GoogleTest TEST that says nothing passes.
#pragma once

#include <string>

#include "grader/checks/support/story.h"

namespace vram::checks {

/// Fails the running check with a story. Further findings can follow; the proctor folds those with
/// the same cause.
void fail(const Story& story);
/// True when the running check has failed already.
bool failed();

/// What a passing check could still do better ("1 call a frame more than the reference"), in
/// numbers.
void remark(std::string text);
/// Partial credit of the running check, 0 to 1. Without a call: 1 if it passes.
void award(double share);
/// Takes the check out of the total, with the reason.
void not_graded_here(std::string reason);
/// A timing check that can't decide.
void inconclusive(std::string reason);

/// The running check provokes this misuse itself, or judges it by itself: not failed automatically.
void tolerate(runtime::MisuseKind kind);

}  // namespace vram::checks
