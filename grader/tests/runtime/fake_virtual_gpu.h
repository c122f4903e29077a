// How tests steer the fake: the library exports no door to it, so a runtime call that is not hooked
// and that nobody needs here carries the commands.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace fake_gpu {

enum class Command : unsigned {
    count_launches,
    set_sticky_error,
    set_next_handle,
    set_next_address,
    set_slot,
};

inline int send(Command command, std::uint64_t value = 0) {
    return cudaUserObjectRetain(reinterpret_cast<cudaUserObject_t>(value),
                                static_cast<unsigned>(command));
}

inline int launches() {
    return send(Command::count_launches);
}
/// Every later call returns `error`; cudaSuccess ends it.
inline void set_sticky_error(cudaError_t error) {
    send(Command::set_sticky_error, error);
}
/// The handle that streams and events are given from now on.
inline void set_next_handle(std::uint64_t handle) {
    send(Command::set_next_handle, handle);
}
inline void set_next_address(std::uint64_t address) {
    send(Command::set_next_address, address);
}
/// Puts a code into the side's own last-error slot, as a call that is not hooked would.
inline void set_slot(cudaError_t error) {
    send(Command::set_slot, error);
}

/// A page at this address counts as the target of a copy that has not run.
constexpr std::uint64_t pending_target = 0x6f00'0000'0000;
constexpr std::size_t pending_target_bytes = 4096;

}  // namespace fake_gpu
