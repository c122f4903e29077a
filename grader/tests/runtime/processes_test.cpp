// What crosses the border of a process: forks, crashes, execution of another program.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "grader/tests/runtime/ledger_test.h"

namespace vram::runtime {
namespace {

using Processes = LedgerTest;

/// Runs `work` in a fork and gives its wait status.
template <typename Work>
int in_fork(Work work) {
    pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

TEST_F(Processes, TheParentReadsWhatACrashedForkDid) {
    int status = in_fork([&] {
        cudaFree(allocate(123));
        cudaFree(reinterpret_cast<void*>(0xdeadbeef000));
        abort();
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    std::vector<CallRecord> last = session().last_calls(2);
    ASSERT_EQ(last.size(), 2u);
    EXPECT_EQ(last[0].entry, entry_of("cudaFree"));
    EXPECT_EQ(last[1].arguments[0], 0xdeadbeef000u);
    ASSERT_EQ(session().last_misuses().size(), 1u);
    EXPECT_STREQ(diagnosis_id(session().last_misuses()[0]), "free-never-allocated");
}

TEST_F(Processes, ACallThatNeverReturnedIsUnfinished) {
    in_fork([] {
        Injection injection;
        injection.eligible = [](Entry) -> bool { _exit(0); };
        session().inject(injection);
        cudaDeviceSynchronize();
    });
    ASSERT_EQ(session().last_calls(1).size(), 1u);
    EXPECT_FALSE(session().last_calls(1)[0].finished);
    EXPECT_EQ(session().describe(session().last_calls(1)[0]),
              "cudaDeviceSynchronize(), which did not return");
}

TEST_F(Processes, AResetGivesTheParentItsOwnBlocksBack) {
    void* own = allocate(100);
    in_fork([&] {
        cudaFree(own);
        allocate(7);
    });
    session().reset_ledger();
    ASSERT_EQ(session().allocations().size(), 1u);
    EXPECT_EQ(live().at(0).base, reinterpret_cast<std::uint64_t>(own));
    EXPECT_EQ(session().live_device_bytes(), 100u);
    EXPECT_EQ(cudaFree(own), cudaSuccess);
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Processes, ASavedLedgerComesBack) {
    void* own = allocate(100);
    CallNumber before = session().last_call();
    std::vector<std::byte> saved = session().save_ledger();
    in_fork([&] {
        cudaFree(own);
        cudaFree(own);
    });
    EXPECT_EQ(misuse_ids(), "double-free");
    session().restore_ledger(saved);
    EXPECT_EQ(session().last_call(), before);
    EXPECT_EQ(misuse_ids(), "");
    EXPECT_EQ(live().size(), 1u);
    EXPECT_EQ(cudaFree(own), cudaSuccess);
    EXPECT_EQ(session().call(before + 1).entry, entry_of("cudaFree"));
}

TEST_F(Processes, AForkWhileAnotherThreadCallsDoesNotHang) {
    std::atomic<bool> stop{false};
    std::thread other([&] {
        while (!stop) {
            void* pointer = nullptr;
            cudaMalloc(&pointer, 64);
            cudaFree(pointer);
        }
    });
    for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(in_fork([] {
                      alarm(10);
                      cudaFree(nullptr);
                      session().allocations();
                  }),
                  0);
    }
    stop = true;
    other.join();
}

__attribute__((noinline)) int read_as_host(const int* pointer) {
    return *pointer;
}

TEST_F(Processes, AHostReadOfDeviceMemoryIsExplainedAndDiesByTheSignal) {
    // The fake's addresses have no memory behind them.
    int* device = allocate<int>(64);
    int status = in_fork([&] {
        fclose(stderr);
        _exit(read_as_host(device + 2));
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
    ASSERT_EQ(session().last_misuses().size(), 1u);
    Misuse misuse = session().last_misuses()[0];
    EXPECT_STREQ(diagnosis_id(misuse), "host-touches-device");
    EXPECT_EQ(misuse.address, reinterpret_cast<std::uint64_t>(device + 2));
    EXPECT_EQ(misuse.allocation, live().at(0).id);
    EXPECT_STREQ(misuse.first_line,
                 "Host code read from device memory: 8 bytes into a 64-byte block from "
                 "cudaMalloc. Only kernels and copies can reach it.");
    EXPECT_NE(misuse.frames[0], 0u);
}

class PendingTarget {
  public:
    PendingTarget()
        : page_(mmap(reinterpret_cast<void*>(fake_gpu::pending_target),
                     fake_gpu::pending_target_bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)) {}
    ~PendingTarget() { munmap(page_, fake_gpu::pending_target_bytes); }
    const int* numbers() const { return static_cast<const int*>(page_); }

  private:
    void* page_;
};

TEST_F(Processes, AReadOfAPendingTargetIsBookedAndTheProgramGoesOn) {
    PendingTarget target;
    EXPECT_EQ(read_as_host(target.numbers() + 2), 0);
    EXPECT_EQ(read_as_host(target.numbers() + 2), 0);
    ASSERT_EQ(misuse_ids(), "host-buffer-in-flight");
    EXPECT_EQ(misuses()[0].address, reinterpret_cast<std::uint64_t>(target.numbers() + 2));
    EXPECT_STREQ(misuses()[0].first_line, "too early");
    EXPECT_NE(misuses()[0].frames[0], 0u);
}

TEST_F(Processes, AReadOfAPendingTargetByTheHarnessIsNobodysMistake) {
    PendingTarget target;
    session().leave_learner();
    EXPECT_EQ(read_as_host(target.numbers()), 0);
    session().enter_learner();
    EXPECT_EQ(misuse_ids(), "");
}

TEST_F(Processes, AFaultElsewhereIsNotOurs) {
    int status = in_fork([] {
        volatile const int* nowhere = nullptr;
        _exit(*nowhere);
    });
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
    EXPECT_TRUE(session().last_misuses().empty());
}

TEST_F(Processes, ASecondClaimEndsTheProgram) {
    EXPECT_EXIT(vram_claim_session(), testing::ExitedWithCode(86), "claimed a second time");
}

TEST_F(Processes, AnExecutedProgramSharesTheLedger) {
    int status = in_fork([] {
        execl(PROBE, "probe", "free-wild", nullptr);
        _exit(127);
    });
    ASSERT_EQ(status, 0);
    ASSERT_EQ(session().last_calls(1).size(), 1u);
    EXPECT_EQ(session().last_calls(1)[0].arguments[0], 0xdeadbeef000u);
    EXPECT_EQ(session().last_misuses().size(), 1u);
}

TEST_F(Processes, ManyThreadsKeepTheLedgerRight) {
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
        threads.emplace_back([] {
            for (int round = 0; round < 5000; ++round) {
                void* pointer = nullptr;
                ASSERT_EQ(cudaMalloc(&pointer, 64), cudaSuccess);
                ASSERT_EQ(cudaFree(pointer), cudaSuccess);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_TRUE(live().empty());
    EXPECT_EQ(misuse_ids(), "");
    EXPECT_EQ(calls().size(), 40000u);
}

}  // namespace
}  // namespace vram::runtime
