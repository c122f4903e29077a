#include "grader/runtime/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "grader/runtime/environment.h"

namespace vram::runtime {
namespace {

constexpr char arena_magic[16] = "vram ledger 1";
constexpr std::size_t guard_bytes = std::size_t{1} << 16;
constexpr int arena_exit_status = 88;

int arena_descriptor = -1;

[[noreturn]] void give_up(const char* what) {
    std::fprintf(stderr, "vram: no memory for the ledger: %s: %s\n", what, std::strerror(errno));
    _exit(arena_exit_status);
}

std::size_t mapped_bytes() {
    return (sizeof(Arena) + guard_bytes - 1) / guard_bytes * guard_bytes;
}

/// Out of the way of the small numbers, which programs close and reuse.
int moved_up(int descriptor) {
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, 700);
    if (high < 0) {
        return descriptor;
    }
    close(descriptor);
    return high;
}

Arena* map_between_guards(int descriptor) {
    std::size_t bytes = mapped_bytes();
    void* space = mmap(nullptr, bytes + 2 * guard_bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) {
        return nullptr;
    }
    void* place = static_cast<char*>(space) + guard_bytes;
    void* mapped =
        mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0);
    return mapped == MAP_FAILED ? nullptr : static_cast<Arena*>(mapped);
}

Arena* inherited_arena() {
    std::string text = environment("VRAM_LEDGER_FD");
    if (text.empty()) {
        return nullptr;
    }
    int descriptor = std::atoi(text.c_str());
    struct stat status;
    if (descriptor <= 2 || fstat(descriptor, &status) != 0 ||
        static_cast<std::size_t>(status.st_size) != mapped_bytes()) {
        return nullptr;
    }
    Arena* arena = map_between_guards(descriptor);
    if (arena == nullptr || !has_header(*arena)) {
        return nullptr;
    }
    arena_descriptor = descriptor;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    clear_records(*arena);
    arena->kernel_count = 0;  // functions have other addresses here
    return arena;
}

Arena& new_arena() {
    int descriptor = memfd_create("vram-ledger", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(mapped_bytes())) != 0) {
        give_up("memfd");
    }
    arena_descriptor = moved_up(descriptor);
    Arena* arena = map_between_guards(arena_descriptor);
    if (arena == nullptr) {
        give_up("mmap");
    }
    std::memcpy(arena->magic, arena_magic, sizeof arena_magic);
    arena->first_kept_call = 1;
    return *arena;
}

/// Visits the parts of the arena that hold records, as offsets and sizes.
template <typename Visit>
void for_each_used_range(const Arena& arena, Visit visit) {
    constexpr std::size_t call_bytes = sizeof arena.calls[0];
    std::uint64_t last = arena.last_call;
    std::uint64_t kept = last + 1 - arena.first_kept_call;
    visit(offsetof(Arena, calls), std::min<std::uint64_t>(kept, call_capacity) * call_bytes);
    visit(offsetof(Arena, allocations), arena.allocation_slots * sizeof arena.allocations[0]);
    visit(offsetof(Arena, handles), arena.handle_slots * sizeof arena.handles[0]);
    visit(offsetof(Arena, misuses), arena.misuse_count * sizeof arena.misuses[0]);
}

/// Zeroes a range; whole pages go back to the system.
void forget(void* begin, std::size_t bytes) {
    constexpr std::size_t page = 4096;
    constexpr std::size_t worth_a_system_call = 16 * page;
    auto* first = static_cast<char*>(begin);
    auto address = reinterpret_cast<std::uintptr_t>(first);
    std::size_t head = (page - address % page) % page;
    if (bytes < head + worth_a_system_call) {
        std::memset(first, 0, bytes);
        return;
    }
    std::size_t pages = (bytes - head) / page * page;
    std::memset(first, 0, head);
    if (madvise(first + head, pages, MADV_REMOVE) != 0) {
        std::memset(first + head, 0, pages);
    }
    std::memset(first + head + pages, 0, bytes - head - pages);
}

}  // namespace

Arena& open_arena() {
    Arena* inherited = inherited_arena();
    return inherited != nullptr ? *inherited : new_arena();
}

void share_arena() {
    fcntl(arena_descriptor, F_SETFD, 0);
    setenv("VRAM_LEDGER_FD", std::to_string(arena_descriptor).c_str(), 1);
}

std::vector<std::byte> copy_of(const Arena& arena) {
    std::vector<std::byte> copy;
    auto append = [&](const void* begin, std::size_t bytes) {
        const auto* first = static_cast<const std::byte*>(begin);
        copy.insert(copy.end(), first, first + bytes);
    };
    append(&arena, offsetof(Arena, calls));
    for_each_used_range(arena, [&](std::size_t offset, std::size_t bytes) {
        append(reinterpret_cast<const std::byte*>(&arena) + offset, bytes);
    });
    return copy;
}

void put_back(Arena& arena, const std::vector<std::byte>& copy) {
    constexpr std::size_t header_bytes = offsetof(Arena, calls);
    if (copy.size() < header_bytes) {
        return;
    }
    clear_records(arena);
    std::memcpy(static_cast<void*>(&arena), copy.data(), header_bytes);
    std::size_t at = header_bytes;
    for_each_used_range(arena, [&](std::size_t offset, std::size_t bytes) {
        std::memcpy(reinterpret_cast<std::byte*>(&arena) + offset, copy.data() + at, bytes);
        at += bytes;
    });
}

bool has_header(const Arena& arena) {
    return std::memcmp(arena.magic, arena_magic, sizeof arena_magic) == 0;
}

void clear_records(Arena& arena) {
    for_each_used_range(arena, [&](std::size_t offset, std::size_t bytes) {
        forget(reinterpret_cast<std::byte*>(&arena) + offset, bytes);
    });
    arena.first_kept_call = arena.last_call + 1;
    arena.allocation_slots = arena.next_allocation_slot = 0;
    arena.handle_slots = arena.next_handle_slot = 0;
    arena.misuse_count = 0;
}

}  // namespace vram::runtime
