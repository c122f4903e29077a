#include "grader/runtime/describe.h"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "grader/runtime/entries.h"
#include "grader/runtime/session.h"

namespace vram::runtime {
namespace {

std::string rows_text(std::uint64_t width, std::uint64_t height) {
    return std::to_string(height) + (height == 1 ? " row of " : " rows of ") + bytes_text(width);
}

std::string size_text(const std::uint64_t* size) {
    if (size[1] == 1 && size[2] == 1) {
        return std::to_string(size[0]);
    }
    return "(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
           std::to_string(size[2]) + ")";
}

std::string without_parameters(std::string name) {
    std::size_t parameters = name.find('(');
    return parameters == std::string::npos || parameters == 0 ? name : name.substr(0, parameters);
}

std::string demangled(const char* mangled) {
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
    return status == 0 ? without_parameters(text.get()) : mangled;
}

std::string kernel_text(Ledger& ledger, std::uint64_t function) {
    std::string mangled;
    {
        std::lock_guard lock(ledger.mutex());
        if (const char* name = ledger.kernel_name(function)) {
            mangled = name;
        }
    }
    return mangled.empty() ? "a kernel" : demangled(mangled.c_str());
}

std::string launch_text(Ledger& ledger, const CallRecord& call) {
    const std::uint64_t* args = call.arguments;
    std::string text =
        kernel_text(ledger, args[0]) + "<<<" + size_text(args + 1) + ", " + size_text(args + 4);
    if (args[7] != 0 || call.stream != 0) {
        text += ", " + bytes_text(args[7]);
    }
    if (call.stream != 0) {
        text += ", stream " + hexadecimal(call.stream);
    }
    return text + ">>>";
}

std::string argument_text(const CallRecord& call) {
    std::string text;
    for (int index = 0; index < call.argument_count; ++index) {
        std::uint64_t value = call.arguments[index];
        constexpr std::uint64_t looks_like_an_address = std::uint64_t{1} << 32;
        text += index == 0 ? "" : ", ";
        text += value >= looks_like_an_address ? hexadecimal(value) : std::to_string(value);
    }
    return text;
}

std::string arguments_of(const CallRecord& call) {
    const std::uint64_t* args = call.arguments;
    switch (traits_of(call.entry).action) {
        case Action::allocate:
            return bytes_text(args[1]);
        case Action::allocate_pitched:
            return rows_text(args[2], args[3]);
        case Action::allocate_3d:
            return rows_text(args[1], args[2] * args[3]);
        case Action::register_host:
            return hexadecimal(args[0]) + ", " + bytes_text(args[1]);
        case Action::release:
        case Action::destroy:
        case Action::synchronise_stream:
        case Action::synchronise_event:
        case Action::query:
            return args[0] == 0 ? "null" : hexadecimal(args[0]);
        case Action::create:
            return "";
        case Action::copy:
            return hexadecimal(args[0]) + ", " + hexadecimal(args[1]) + ", " + bytes_text(args[2]) +
                   ", " + copy_kind_name(static_cast<int>(args[3]));
        case Action::copy_2d:
            return hexadecimal(args[0]) + ", pitch " + std::to_string(args[1]) + ", " +
                   hexadecimal(args[2]) + ", pitch " + std::to_string(args[3]) + ", " +
                   rows_text(args[4], args[5]) + ", " + copy_kind_name(static_cast<int>(args[6]));
        case Action::set:
            return hexadecimal(args[0]) + ", value " + std::to_string(static_cast<int>(args[1])) +
                   ", " + bytes_text(args[2]);
        case Action::set_2d:
            return hexadecimal(args[0]) + ", pitch " + std::to_string(args[1]) + ", value " +
                   std::to_string(static_cast<int>(args[2])) + ", " + rows_text(args[3], args[4]);
        default:
            return argument_text(call);
    }
}

}  // namespace

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

const char* copy_kind_name(int kind) {
    switch (kind) {
        case cudaMemcpyHostToHost:
            return "host to host";
        case cudaMemcpyHostToDevice:
            return "host to device";
        case cudaMemcpyDeviceToHost:
            return "device to host";
        case cudaMemcpyDeviceToDevice:
            return "device to device";
        case cudaMemcpyDefault:
            return "default direction";
        default:
            return "unknown direction";
    }
}

std::string bytes_text(std::uint64_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string call_name(const CallRecord& call) {
    if (is_launch(call.entry)) {
        return "A kernel launch";
    }
    std::string name = entry_name(call.entry);
    // The typed overload of cudaMallocHost calls cudaHostAlloc without flags.
    if (name == "cudaHostAlloc" && call.arguments[2] == cudaHostAllocDefault) {
        return "cudaMallocHost";
    }
    for (const char* suffix : {"_ptsz", "_ptds", "_v2"}) {
        if (name.ends_with(suffix)) {
            name.resize(name.size() - std::char_traits<char>::length(suffix));
        }
    }
    return name;
}

std::string describe_call(Ledger& ledger, const CallRecord& call) {
    std::string text = is_launch(call.entry) ? launch_text(ledger, call)
                                             : call_name(call) + "(" + arguments_of(call) + ")";
    if (!call.finished) {
        return text + ", which did not return";
    }
    if (call.result == cudaSuccess && call.handed_out != 0) {
        return text + " -> " + hexadecimal(call.handed_out);
    }
    text += std::string(" -> ") + error_name(static_cast<cudaError_t>(call.result));
    return call.injected ? text + " (made to fail by the grader)" : text;
}

const char* handle_name(HandleKind kind) {
    switch (kind) {
        case HandleKind::stream:
            return "stream";
        case HandleKind::event:
            return "event";
        case HandleKind::pool:
            return "memory pool";
    }
    return "handle";
}

std::string describe_allocation(const AllocationRecord& allocation) {
    std::string origin = family_name(allocation.family);
    switch (allocation.family) {
        case Family::pitched:
            return "a block of " + rows_text(allocation.row_bytes, allocation.rows) + " (pitch " +
                   std::to_string(allocation.pitch) + ") from " + origin;
        case Family::array:
            return "an array from " + origin;
        case Family::registered:
            return bytes_text(allocation.bytes) + " of host memory registered with " + origin;
        default:
            return "a " + std::to_string(allocation.bytes) + "-byte block from " + origin;
    }
}

}  // namespace vram::runtime
