#include "grader/tests/differential/sequence.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace vram::differential {
namespace {

constexpr std::size_t pageable_bytes = std::size_t{1} << 17;
constexpr int fewest_steps = 20;
constexpr int most_steps = 60;

std::uint64_t hash_of(const void* data, std::size_t bytes) {
    std::uint64_t hash = 14695981039346656037u;
    for (const auto* byte = static_cast<const unsigned char*>(data); bytes > 0; --bytes, ++byte) {
        hash = (hash ^ *byte) * 1099511628211u;
    }
    return hash;
}

}  // namespace

Sequence::Sequence(std::uint64_t seed)
    : random_(seed), transcript_(seed), pageable_(pageable_bytes) {
    streams_.push_back({nullptr, true, true});
    streams_.push_back({cudaStreamPerThread, true, true});
    for (char& byte : pageable_) {
        byte = static_cast<char>(random_.next());
    }
    forget_earlier_sequences();
}

void Sequence::forget_earlier_sequences() {
    const std::vector<char> zeros(symbol_bytes);
    cudaMemcpyToSymbol(symbol_words, zeros.data(), symbol_bytes);
    cudaMemPool_t pool = nullptr;
    std::uint64_t zero = 0;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &zero);
    cudaDeviceSynchronize();
    cudaMemPoolTrimTo(pool, 0);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used_before_);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero);
    cudaGetLastError();
}

cudaError_t Sequence::note(const std::string& what, cudaError_t error) {
    return transcript_.result(what, error);
}

std::string Sequence::name(const Block& block) const {
    static constexpr std::array names = {"device", "pitched", "async", "managed", "pinned"};
    std::string text = "#" + std::to_string(block.number) + "(" +
                       names[static_cast<std::size_t>(block.kind)] + " " +
                       std::to_string(block.bytes);
    return text + (block.kind == Kind::pitched ? "x" + std::to_string(block.rows) + ")" : ")");
}

std::string Sequence::name_of_stream(int stream) const {
    switch (stream) {
        case host:
            return "host";
        case legacy:
            return "null";
        case per_thread:
            return "per-thread";
        default:
            return "s" + std::to_string(stream);
    }
}

const char* Sequence::name(cudaMemcpyKind kind) {
    static constexpr std::array names = {"H2H", "H2D", "D2H", "D2D", "default"};
    const auto index = static_cast<std::size_t>(kind);
    return index < names.size() ? names[index] : "unknown-kind";
}

int Sequence::any_stream() {
    std::vector<int> live;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        if (streams_[i].live) {
            live.push_back(static_cast<int>(i));
        }
    }
    return random_.pick(live);
}

Block* Sequence::any_block() {
    return blocks_.empty() ? nullptr : &blocks_[random_.below(blocks_.size())];
}

Block* Sequence::any_block(std::initializer_list<Kind> kinds) {
    std::vector<Block*> fitting;
    for (Block& block : blocks_) {
        if (std::find(kinds.begin(), kinds.end(), block.kind) != kinds.end()) {
            fitting.push_back(&block);
        }
    }
    return fitting.empty() ? nullptr : random_.pick(fitting);
}

std::size_t Sequence::line_bytes(const Block& block) {
    return block.bytes;
}

bool Sequence::implied(int earlier, int later) const {
    if (earlier == host || later == host) {
        return false;
    }
    const Stream& one = streams_[static_cast<std::size_t>(earlier)];
    const Stream& other = streams_[static_cast<std::size_t>(later)];
    return (earlier == legacy && other.blocking) || (later == legacy && one.blocking);
}

void Sequence::forget_user(int stream) {
    for (Block& block : blocks_) {
        if (block.user == stream) {
            block.user = host;
        }
    }
}

void Sequence::wait_for(int stream) {
    note("cudaStreamSynchronize " + name_of_stream(stream), cudaStreamSynchronize(handle(stream)));
    forget_user(stream);
}

void Sequence::wait_for_all() {
    note("cudaDeviceSynchronize", cudaDeviceSynchronize());
    for (Block& block : blocks_) {
        block.user = host;
    }
}

void Sequence::order(int earlier, int later) {
    if (earlier == later || earlier == host) {
        return;
    }
    const std::size_t how = random_.below(6);
    if (later != host && how < 3) {
        if (how == 0 && implied(earlier, later)) {
            return;
        }
        cudaEvent_t event = nullptr;
        note("cudaEventCreate", cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        note("cudaEventRecord in " + name_of_stream(earlier),
             cudaEventRecord(event, handle(earlier)));
        note("cudaStreamWaitEvent in " + name_of_stream(later),
             cudaStreamWaitEvent(handle(later), event, 0));
        note("cudaEventDestroy", cudaEventDestroy(event));
        return;
    }
    if (how < 5) {
        wait_for(earlier);
    } else {
        wait_for_all();
    }
}

void Sequence::claim(Block& block, int user) {
    order(block.user, user);
    block.user = user;
}

void Sequence::hash_block(Block& block) {
    claim(block, host);
    std::vector<char> here(block.bytes * block.rows);
    cudaError_t error = cudaSuccess;
    if (block.kind == Kind::pitched) {
        error = cudaMemcpy2D(here.data(), block.bytes, block.base, block.pitch, block.bytes,
                             block.rows, cudaMemcpyDeviceToHost);
    } else {
        error = cudaMemcpy(here.data(), block.base, block.bytes, cudaMemcpyDefault);
    }
    if (error != cudaSuccess) {
        note("read back " + name(block), error);
        return;
    }
    transcript_.write("read back " + name(block),
                      std::to_string(hash_of(here.data(), here.size())));
}

void Sequence::drop(Block& block) {
    blocks_.erase(blocks_.begin() + (&block - blocks_.data()));
}

void Sequence::step() {
    struct Choice {
        unsigned weight;
        Step step;
    };
    static constexpr Choice choices[] = {
        {10, &Sequence::allocate},
        {2, &Sequence::allocate_wrongly},
        {4, &Sequence::release},
        {3, &Sequence::release_wrongly},
        {3, &Sequence::read_back},
        {2, &Sequence::describe_pointer},
        {1, &Sequence::register_host_memory},
        {10, &Sequence::copy},
        {6, &Sequence::copy_rows},
        {4, &Sequence::set},
        {3, &Sequence::set_rows},
        {3, &Sequence::copy_rows_on_device},
        {3, &Sequence::copy_volume},
        {1, &Sequence::set_volume},
        {2, &Sequence::copy_symbol},
        {4, &Sequence::transfer_wrongly},
        {14, &Sequence::launch_kernel},
        {2, &Sequence::launch_wrongly},
        {1, &Sequence::ask_about_kernel},
        {3, &Sequence::make_stream},
        {1, &Sequence::destroy_stream},
        {2, &Sequence::wait},
        {1, &Sequence::ask_stream},
        {2, &Sequence::make_event},
        {1, &Sequence::destroy_event},
        {3, &Sequence::use_event},
        {1, &Sequence::use_events_wrongly},
        {1, &Sequence::call_host_function},
        {3, &Sequence::use_pool},
        {3, &Sequence::read_error_slot},
        {1, &Sequence::ask_device},
    };
    unsigned total = 0;
    for (const Choice& choice : choices) {
        total += choice.weight;
    }
    auto chosen = static_cast<unsigned>(random_.below(total));
    for (const Choice& choice : choices) {
        if (chosen < choice.weight) {
            (this->*choice.step)();
            return;
        }
        chosen -= choice.weight;
    }
}

void Sequence::run() {
    const std::size_t steps = random_.between(fewest_steps, most_steps);
    for (std::size_t i = 0; i < steps; ++i) {
        step();
    }
    wait_for_all();
    for (Block& block : blocks_) {
        hash_block(block);
    }
    while (!blocks_.empty()) {
        release_block(blocks_.back());
    }
    for (Event& event : events_) {
        if (event.live) {
            note("cudaEventDestroy", cudaEventDestroy(event.handle));
        }
    }
    for (std::size_t i = 2; i < streams_.size(); ++i) {
        if (streams_[i].live) {
            note("cudaStreamDestroy", cudaStreamDestroy(streams_[i].handle));
        }
    }
    if (own_pool_ != nullptr) {
        note("cudaMemPoolDestroy", cudaMemPoolDestroy(own_pool_));
    }
    note("cudaDeviceSynchronize", cudaDeviceSynchronize());
    note("error slot at the end", cudaGetLastError());
}

void Sequence::run_with_fault() {
    constexpr std::size_t steps_before = 8;
    constexpr std::size_t steps_after = 25;
    for (std::size_t i = 0; i < steps_before; ++i) {
        step();
    }
    wait_for_all();
    void* memory = nullptr;
    note("cudaMalloc for the fault", cudaMalloc(&memory, 4096));
    static constexpr std::array faults = {Fault::null, Fault::far, Fault::misaligned, Fault::trap,
                                          Fault::failed_assert};
    const Fault fault = random_.pick(faults);
    launch_fault(fault, static_cast<std::uint32_t*>(memory));
    note("launch of fault " + std::to_string(static_cast<int>(fault)), cudaPeekAtLastError());
    wait_for_all();
    spoilt_ = true;
    for (std::size_t i = 0; i < steps_after; ++i) {
        step();
    }
    note("error slot at the end", cudaGetLastError());
}

}  // namespace vram::differential
