#include "grader/runtime/call_sites.h"

#include <link.h>

#include <cstddef>

namespace vram::runtime {
namespace {

struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool contains(std::uintptr_t address) const { return address - begin < end - begin; }
};

constexpr std::size_t max_data_ranges = 256;
constexpr int max_depth = 64;
constexpr int words_searched = 64;

std::uintptr_t load_base;
Range program_code;
Range data_ranges[max_data_ranges];
std::size_t data_range_count;

void add_segment(const dl_phdr_info& object, const ElfW(Phdr) & segment, bool is_program) {
    if (segment.p_type != PT_LOAD) {
        return;
    }
    Range range{object.dlpi_addr + segment.p_vaddr,
                object.dlpi_addr + segment.p_vaddr + segment.p_memsz};
    if (is_program && (segment.p_flags & PF_X) != 0) {
        program_code = range;
    }
    if ((segment.p_flags & PF_X) == 0 && data_range_count < max_data_ranges) {
        data_ranges[data_range_count++] = range;
    }
}

int visit_object(dl_phdr_info* object, std::size_t, void* first) {
    bool& is_program = *static_cast<bool*>(first);
    if (is_program) {
        load_base = object->dlpi_addr;
    }
    for (int segment = 0; segment < object->dlpi_phnum; ++segment) {
        add_segment(*object, object->dlpi_phdr[segment], is_program);
    }
    is_program = false;
    return 0;
}

/// The first word on the stack that is an address in the program's code; 0 when there is none near.
std::uintptr_t return_address_on(std::uintptr_t stack, std::uintptr_t stack_end) {
    const auto* words = reinterpret_cast<const std::uintptr_t*>(stack);
    for (int index = 0; index < words_searched; ++index) {
        if (reinterpret_cast<std::uintptr_t>(words + index + 1) > stack_end) {
            break;
        }
        if (in_program_code(words[index])) {
            return words[index];
        }
    }
    return 0;
}

}  // namespace

void locate_program() {
    bool first = true;
    dl_iterate_phdr(visit_object, &first);
}

bool in_program_code(std::uintptr_t address) {
    return program_code.contains(address);
}

bool in_static_storage(std::uintptr_t address) {
    for (std::size_t index = 0; index < data_range_count; ++index) {
        if (data_ranges[index].contains(address)) {
            return true;
        }
    }
    return false;
}

std::uint64_t program_offset(std::uintptr_t address) {
    return address - load_base;
}

void walk_frames(const void* frame, std::uintptr_t stack_end, std::uint64_t (&frames)[max_frames]) {
    int found = 0;
    auto at = reinterpret_cast<std::uintptr_t>(frame);
    constexpr std::uintptr_t record_bytes = 2 * sizeof(std::uintptr_t);
    for (int depth = 0; depth < max_depth && found < max_frames; ++depth) {
        if (at % sizeof(std::uintptr_t) != 0 || at + record_bytes > stack_end) {
            break;
        }
        const auto* record = reinterpret_cast<const std::uintptr_t*>(at);
        if (in_program_code(record[1])) {
            frames[found++] = program_offset(record[1]);
        }
        if (record[0] <= at) {
            break;
        }
        at = record[0];
    }
    if (found < max_frames) {
        frames[found] = 0;
    }
}

void frames_at(const ExecutionPoint& point, std::uintptr_t stack_end,
               std::uint64_t (&frames)[max_frames]) {
    std::uint64_t callers[max_frames] = {};
    if (point.frame >= point.stack && point.frame < stack_end) {
        walk_frames(reinterpret_cast<const void*>(point.frame), stack_end, callers);
    }
    // One more than the instruction: frames are return addresses, which lie behind their call.
    const std::uintptr_t place = in_program_code(point.instruction)
                                     ? point.instruction + 1
                                     : return_address_on(point.stack, stack_end);
    int count = 0;
    if (place != 0) {
        frames[count++] = program_offset(place);
    }
    for (std::uint64_t caller : callers) {
        if (caller != 0 && count < max_frames && (count == 0 || caller != frames[count - 1])) {
            frames[count++] = caller;
        }
    }
}

}  // namespace vram::runtime
