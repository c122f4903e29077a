// The state of the check that runs now. Only for the support library itself.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "grader/protocol/record.h"
#include "grader/runtime/records.h"

namespace vram::checks {

struct RunningCheck {
    std::vector<protocol::Finding> findings;
    std::string remark;
    double share = 1;
    std::string not_graded_reason;
    std::string inconclusive_reason;
    std::set<runtime::MisuseKind> tolerated;
    runtime::CallNumber misuses_from = 0;
    /// The learner's function left by an exception: what it left behind has that one cause.
    bool left_by_exception = false;
};

RunningCheck& running_check();

/// What the running check has come to: findings of the check, and what the ledger saw by itself.
protocol::CheckResult conclude(const std::string& name, bool googletest_failed,
                               const std::string& googletest_message);

}  // namespace vram::checks
