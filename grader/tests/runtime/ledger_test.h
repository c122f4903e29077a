// What the tests of the ledger share: the session, and a clean ledger for each test.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grader/runtime/session.h"
#include "grader/tests/runtime/fake_virtual_gpu.h"

namespace vram::runtime {

/// The session, claimed before main.
Session& session();

/// Test code plays the learner from the start of each test to its end.
class LedgerTest : public testing::Test {
  protected:
    void SetUp() override {
        fake_gpu::set_sticky_error(cudaSuccess);
        session().stop_injecting();
        session().release_leftovers();
        session().reset_ledger();
        session().clear_last_error();
        start_ = session().last_call();
        session().enter_learner();
    }
    void TearDown() override {
        session().leave_learner();
        session().set_recording(true);
        EXPECT_TRUE(session().ledger_intact());
    }

    std::vector<CallRecord> calls() const { return session().calls_after(start_); }
    std::vector<Misuse> misuses() const { return session().misuses_after(start_); }
    /// The ids of the misuses so far, separated by spaces.
    std::string misuse_ids() const {
        std::string ids;
        for (const Misuse& misuse : misuses()) {
            ids += (ids.empty() ? "" : " ") + std::string(diagnosis_id(misuse));
        }
        return ids;
    }
    std::vector<AllocationRecord> live() const {
        std::vector<AllocationRecord> found;
        for (const AllocationRecord& record : session().allocations()) {
            if (record.state == AllocationState::live) {
                found.push_back(record);
            }
        }
        return found;
    }

    template <typename T = void>
    T* allocate(std::size_t bytes) {
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, bytes), cudaSuccess);
        return static_cast<T*>(pointer);
    }

    static char* plus(void* pointer, std::size_t bytes) {
        return static_cast<char*>(pointer) + bytes;
    }

    CallNumber start_ = 0;
};

}  // namespace vram::runtime
