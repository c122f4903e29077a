#include "grader/runtime/private_memory.h"

#include <sys/mman.h>

#include <cstdlib>

namespace vram::runtime {
namespace {

constexpr std::size_t region_bytes = std::size_t{1} << 30;
constexpr std::size_t region_guard_bytes = std::size_t{1} << 16;
constexpr std::size_t granule = 16;
constexpr std::size_t classes = 16;  // sizes up to 256 bytes; the indexes' nodes are smaller

struct FreeNode {
    FreeNode* next;
};

FreeNode* free_lists[classes + 1];
char* next_byte;
char* end_byte;

void open_region() {
    void* space = mmap(nullptr, region_bytes + 2 * region_guard_bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) {
        std::abort();
    }
    next_byte = static_cast<char*>(space) + region_guard_bytes;
    end_byte = next_byte + region_bytes;
    if (mprotect(next_byte, region_bytes, PROT_READ | PROT_WRITE) != 0) {
        std::abort();
    }
}

}  // namespace

void* take_private(std::size_t bytes) {
    std::size_t size_class = (bytes + granule - 1) / granule;
    if (size_class <= classes && free_lists[size_class] != nullptr) {
        FreeNode* node = free_lists[size_class];
        free_lists[size_class] = node->next;
        return node;
    }
    if (next_byte == nullptr) {
        open_region();
    }
    std::size_t rounded = size_class * granule;
    if (rounded > static_cast<std::size_t>(end_byte - next_byte)) {
        std::abort();
    }
    char* memory = next_byte;
    next_byte += rounded;
    return memory;
}

void return_private(void* memory, std::size_t bytes) {
    std::size_t size_class = (bytes + granule - 1) / granule;
    if (size_class > classes) {
        return;
    }
    auto* node = static_cast<FreeNode*>(memory);
    node->next = free_lists[size_class];
    free_lists[size_class] = node;
}

}  // namespace vram::runtime
