// Judgements that several labs share. Each fails the running check with a story when it does not
// hold, and returns whether it held.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "grader/checks/support/learner.h"

namespace vram::checks {

/// "cudaErrorMemoryAllocation (2)".
std::string error_text(cudaError_t error);

/// `call` names what was called: "release(&store)". Diagnosis: "wrong-status".
[[nodiscard]] bool judge_status(cudaError_t actual, cudaError_t wanted, const std::string& call,
                                const Moment& since, const std::string& why = "");
/// Any error will do. Diagnosis: "error-not-reported".
[[nodiscard]] bool judge_reports_failure(cudaError_t actual, const std::string& call,
                                         const Moment& since, const std::string& why = "");
/// An out-parameter that the contract promises to be null. Diagnosis: "out-not-null".
[[nodiscard]] bool judge_null(const void* pointer, const std::string& name, const Moment& since,
                              const std::string& why = "");

/// No learner allocation or handle made since `since` is still live.
/// Diagnosis: "leak" (memory), "handle-leak" (streams, events, pools).
[[nodiscard]] bool judge_no_leaks(const Moment& since, const std::string& after_what,
                                  const std::string& why = "");

/// The learner made no runtime call since then (freeing null is none). Diagnosis: "unneeded-call".
[[nodiscard]] bool judge_no_calls(const Moment& since, const std::string& during_what,
                                  const std::string& why = "");

/// `pointer` is the base of a live learner allocation of exactly `bytes`.
/// Diagnosis: "out-not-set", "wrong-size".
[[nodiscard]] bool judge_allocation(const void* pointer, std::size_t bytes, const std::string& name,
                                    const Moment& since);

/// Compares `bytes` bytes. Diagnosis: "wrong-contents"; the story names the first element that
/// differs, of `element_bytes` each, by its index.
[[nodiscard]] bool judge_contents(const void* actual, const void* wanted, std::size_t bytes,
                                  std::size_t element_bytes, const std::string& name,
                                  const Moment& since, const std::string& why = "");

}  // namespace vram::checks
