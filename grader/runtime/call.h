// One hooked runtime call on its way through the ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "grader/runtime/entries.h"
#include "grader/runtime/ledger.h"
#include "grader/runtime/records.h"
#include "grader/runtime/runtime_state.h"
#include "grader/runtime/thread_state.h"

namespace vram::runtime {

/// A variable of the program that the runtime shall write to.
struct OutParameter {
    std::uint64_t address = 0;
    std::size_t bytes = 0;
};

/// One side of a copy or set, as the bytes from the first to the last one touched.
struct TransferSide {
    std::uint64_t address = 0;
    std::size_t span = 0;    ///< bytes; 0 when the side is an array or symbol
    std::size_t pitch = 0;   ///< bytes from row to row; 0 for linear transfers
    bool is_memory = false;  ///< false for arrays and symbols, which have no address
};

struct Transfer {
    TransferSide destination;
    TransferSide source;
    std::size_t row_bytes = 0;
    std::size_t rows = 0;
    int kind = cudaMemcpyDefault;
};

constexpr int max_out_parameters = 4;
constexpr int max_call_misuses = 4;

class Call {
  public:
    Call(Entry entry, ThreadState& thread, const void* frame);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // --- Arguments, in order.
    void add_argument(std::uint64_t value);
    void add_out_parameter(std::uint64_t address, std::size_t bytes);
    void set_stream(std::uint64_t stream) { record_->stream = stream; }
    void set_transfer(const Transfer& transfer) { transfer_ = transfer; }
    void add_handle(HandleKind kind, std::uint64_t handle);

    /// Looks at the call before it is made. False: the side must not be asked, result() is known.
    bool begin();
    /// Books what the call did.
    void end(cudaError_t result);
    /// Ends the call without touching the last-error slot: for the calls that read it.
    void end_reading(cudaError_t result);
    cudaError_t result() const { return static_cast<cudaError_t>(record_->result); }

    // --- For the diagnosis.
    RuntimeState& state() { return state_; }
    const ThreadState& thread() const { return thread_; }
    const CallRecord& record() const { return *record_; }
    CallRecord& record() { return *record_; }
    const Traits& traits() const { return traits_; }
    const Transfer& transfer() const { return transfer_; }
    std::uint64_t argument(int index) const { return record_->arguments[index]; }
    /// For sentences: what the program calls it.
    std::string name() const;

    /// When a misuse stands: `always`, or only if the call failed or never returned.
    enum class Stands : std::uint8_t { always, if_refused };
    void add_misuse(const Misuse& misuse, Stands stands);

  private:
    struct HandleArgument {
        HandleKind kind;
        std::uint64_t handle;
    };

    void classify_arguments();
    void fill_transfer();
    bool is_injected();
    bool has_bad_destination();
    /// True when one of the handles was destroyed before.
    bool check_handles();
    void diagnose();
    /// Takes what the call releases out of the ledger before the side may hand it out again, and
    /// puts it back when the call fails.
    void take_out();
    void put_back();
    /// Ends registrations that only an injected failure kept alive, where the program has given the
    /// host memory back and registers the same pages again.
    void end_excused_registrations();
    void book_success();
    void book_injected();
    void book_allocation();
    void book_creation();
    std::size_t bytes_asked_for() const;
    void settle_misuses();
    void note_error(cudaError_t result);
    void note_sticky(cudaError_t result);
    void finish(cudaError_t result);

    RuntimeState& state_;
    ThreadState& thread_;
    const Traits& traits_;
    bool learner_;
    bool recording_;
    Stored<CallRecord>* place_;
    alignas(CallRecord) std::byte local_[sizeof(CallRecord)];  ///< used without recording
    CallRecord* record_;
    std::uint64_t started_ = 0;
    Transfer transfer_;
    OutParameter outs_[max_out_parameters];
    int out_count_ = 0;
    HandleArgument handles_[2];
    int handle_count_ = 0;
    std::optional<IndexedBlock> released_;
    std::optional<std::uint32_t> destroyed_;  ///< place of the handle's record
    MisuseSlot misuses_[max_call_misuses];
    Stands stands_[max_call_misuses];
    int misuse_count_ = 0;
};

}  // namespace vram::runtime
