#include "grader/virtual_gpu/streams/idle_drain.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "grader/virtual_gpu/card.h"

namespace vram::virtual_gpu {
namespace {

constexpr auto tick = std::chrono::milliseconds(100);
/// Ticks without a runtime call: long enough that a program which merely had to wait for a processor
/// keeps its work pending.
constexpr int idle_ticks = 4;

/// The process in which the thread runs. Threads don't come along through a fork.
pid_t running_in = 0;

void drain_when_idle() {
    std::uint64_t seen = 0;
    int quiet_ticks = 0;
    for (;;) {
        std::this_thread::sleep_for(tick);
        const std::lock_guard lock(card_mutex());
        Card& device = card();
        quiet_ticks = device.activity == seen ? quiet_ticks + 1 : 0;
        seen = device.activity;
        if (quiet_ticks >= idle_ticks && !device.scheduler.idle())
            device.scheduler.run_everything();
    }
}

// A fork while the thread holds the lock would leave the child without a way to get it.
void hold_lock() {
    card_mutex().lock();
}
void give_up_lock() {
    card_mutex().unlock();
}

}  // namespace

void ensure_idle_drain() {
    if (running_in == getpid())
        return;
    if (running_in == 0)
        pthread_atfork(hold_lock, give_up_lock, give_up_lock);
    running_in = getpid();
    std::thread(drain_when_idle).detach();
}

}  // namespace vram::virtual_gpu
