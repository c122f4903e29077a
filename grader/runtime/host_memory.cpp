#include "grader/runtime/host_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace vram::runtime {
namespace {

// The kernel copies between memory and a file, and answers EFAULT where a load or store would
// fault. Each caller takes a slot of its own, so that threads do not meet.
constexpr std::size_t slot_bytes = 64;
constexpr std::uint32_t slots = 256;

int scratch_file = -1;
std::atomic<std::uint32_t> next_slot;

off_t take_slot() {
    return static_cast<off_t>(next_slot++ % slots * slot_bytes);
}

bool save(std::uint64_t address, std::size_t bytes, off_t slot) {
    return pwrite(scratch_file, reinterpret_cast<const void*>(address), bytes, slot) ==
           static_cast<ssize_t>(bytes);
}

bool restore(std::uint64_t address, std::size_t bytes, off_t slot) {
    return pread(scratch_file, reinterpret_cast<void*>(address), bytes, slot) ==
           static_cast<ssize_t>(bytes);
}

}  // namespace

void open_host_memory_probe() {
    int descriptor = memfd_create("vram-probe", MFD_CLOEXEC);
    int high = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 700) : -1;
    if (high >= 0) {
        close(descriptor);
        descriptor = high;
    }
    scratch_file = descriptor;
}

bool read_safely(std::uint64_t address, void* to, std::size_t bytes) {
    off_t slot = take_slot();
    bytes = std::min(bytes, slot_bytes);
    return save(address, bytes, slot) && restore(reinterpret_cast<std::uint64_t>(to), bytes, slot);
}

bool is_writable(std::uint64_t address, std::size_t bytes) {
    off_t slot = take_slot();
    std::size_t head = std::min(bytes, slot_bytes);
    return save(address, head, slot) && restore(address, head, slot);
}

bool is_readable(std::uint64_t address) {
    return save(address, 1, take_slot());
}

}  // namespace vram::runtime
