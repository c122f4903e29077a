// A random sequence of runtime calls, legal and illegal, whose results are determined: all work is
// ordered by streams, events and waits, and nothing is read that was never written.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/tests/differential/kernels.h"
#include "grader/tests/differential/random.h"
#include "grader/tests/differential/transcript.h"

namespace vram::differential {

enum class Kind : std::uint8_t { device, pitched, stream_ordered, managed, pinned };

/// Streams by number. `host` stands for the program itself.
constexpr int host = -1;
constexpr int legacy = 0;
constexpr int per_thread = 1;

struct Block {
    Kind kind = Kind::device;
    char* base = nullptr;
    std::size_t bytes = 0;  ///< as asked for; of a pitched block: of a row
    std::size_t pitch = 0;
    std::size_t rows = 1;
    int user = host;  ///< who may still work on it
    int number = 0;
    bool from_own_pool = false;
};

struct Stream {
    cudaStream_t handle = nullptr;
    bool live = false;
    bool blocking = true;  ///< ordered with the legacy stream by itself
};

struct Event {
    cudaEvent_t handle = nullptr;
    bool live = false;
    bool timed = true;
    bool recorded = false;
};

class Sequence {
  public:
    explicit Sequence(std::uint64_t seed);
    Sequence(const Sequence&) = delete;

    /// Ends with every block read back and everything released.
    void run();
    /// Spoils the context after some steps, and goes on calling.
    void run_with_fault();

  private:
    using Step = void (Sequence::*)();
    void step();
    void forget_earlier_sequences();

    // Memory.
    void allocate();
    void allocate_wrongly();
    void release();
    void release_wrongly();
    void read_back();
    void describe_pointer();
    void register_host_memory();

    // Copies and sets.
    void copy();
    void copy_rows();
    void set();
    void set_rows();
    void copy_rows_on_device();
    void copy_volume();
    void set_volume();
    void copy_symbol();
    void transfer_wrongly();

    // Kernels.
    void launch_kernel();
    void launch_wrongly();
    void ask_about_kernel();

    // Streams, events, pools, errors.
    void make_stream();
    void destroy_stream();
    void wait();
    void ask_stream();
    void make_event();
    void destroy_event();
    void use_event();
    void use_events_wrongly();
    void call_host_function();
    void use_pool();
    void read_error_slot();
    void ask_device();

    /// Makes `later` come after all work of `earlier`.
    void order(int earlier, int later);
    /// Makes a block ready for `user`, which then may work on it.
    void claim(Block& block, int user);
    void wait_for(int stream);
    void wait_for_all();
    void forget_user(int stream);

    int any_stream();
    Block* any_block();
    Block* any_block(std::initializer_list<Kind> kinds);
    /// Bytes that can be addressed from the base in one run.
    static std::size_t line_bytes(const Block& block);
    void fill(Block& block);
    void hash_block(Block& block);
    void drop(Block& block);
    cudaError_t release_block(Block& block);

    cudaError_t note(const std::string& what, cudaError_t error);
    std::string name(const Block& block) const;
    std::string name_of_stream(int stream) const;
    static const char* name(cudaMemcpyKind kind);
    cudaStream_t handle(int stream) const {
        return streams_[static_cast<std::size_t>(stream)].handle;
    }
    bool implied(int earlier, int later) const;

    Random random_;
    Transcript transcript_;
    std::vector<Block> blocks_;
    std::vector<Stream> streams_;
    std::vector<Event> events_;
    std::vector<char> pageable_;
    cudaMemPool_t own_pool_ = nullptr;
    std::uint64_t used_before_ = 0;  ///< bytes of the default pool that earlier sequences left
    int host_calls_ = 0;
    int host_calls_enqueued_ = 0;
    int made_ = 0;
    bool spoilt_ = false;
};

}  // namespace vram::differential
