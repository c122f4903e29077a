// Names and texts of error codes.

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string>

#include "grader/virtual_gpu/calls/virtual_call.h"

namespace vram::virtual_gpu {
namespace {

struct ErrorName {
    int code;
    const char* name;
};

constexpr ErrorName error_names[] = {
#include "error_table.inc"
};

struct ErrorText {
    int code;
    const char* text;
};

constexpr ErrorText error_texts[] = {
#include "grader/virtual_gpu/calls/error_texts.inc"
};

const char* name_of(int code) {
    const auto found = std::find_if(std::begin(error_names), std::end(error_names),
                                    [&](const ErrorName& entry) { return entry.code == code; });
    return found == std::end(error_names) ? nullptr : found->name;
}

/// "cudaErrorProfilerDisabled" becomes "profiler disabled".
std::string text_from_name(const std::string& name) {
    const std::string prefix = "cudaError";
    std::string text;
    for (char letter :
         name.substr(name.compare(0, prefix.size(), prefix) == 0 ? prefix.size() : 0)) {
        if (std::isupper(static_cast<unsigned char>(letter)) && !text.empty())
            text += ' ';
        text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return text;
}

const std::map<int, std::string>& all_texts() {
    static const auto* texts = [] {
        auto* made = new std::map<int, std::string>;
        for (const ErrorName& entry : error_names)
            (*made)[entry.code] = text_from_name(entry.name);
        for (const ErrorText& entry : error_texts)
            (*made)[entry.code] = entry.text;
        return made;
    }();
    return *texts;
}

}  // namespace

VIRTUAL_CALL(const char*, cudaGetErrorName, cudaError_t error) {
    const char* name = name_of(error);
    return name ? name : "unrecognized error code";
}

VIRTUAL_CALL(const char*, cudaGetErrorString, cudaError_t error) {
    const auto text = all_texts().find(error);
    return text == all_texts().end() ? "unrecognized error code" : text->second.c_str();
}

}  // namespace vram::virtual_gpu

// The last-error slot is kept above the card, by the library that embeds it; there is nothing here to
// read or to clear.
VIRTUAL_CALL(cudaError_t, cudaGetLastError) {
    return cudaSuccess;
}

VIRTUAL_CALL(cudaError_t, cudaPeekAtLastError) {
    return cudaSuccess;
}
