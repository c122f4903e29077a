#include "grader/checks/support/judgements.h"

#include <cstdio>
#include <cstring>

#include "grader/checks/support/verdict.h"

namespace vram::checks {

namespace {

std::string hex_bytes(const std::byte* bytes, std::size_t count) {
    std::string text;
    for (std::size_t index = 0; index < count; ++index) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(bytes[index]));
        text += (index > 0 ? " " : "") + std::string(digits);
    }
    return text;
}

std::string handle_noun(runtime::HandleKind kind) {
    switch (kind) {
        case runtime::HandleKind::stream:
            return "stream";
        case runtime::HandleKind::event:
            return "event";
        case runtime::HandleKind::pool:
            return "memory pool";
    }
    return "handle";
}

std::string plural(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

std::string error_text(cudaError_t error) {
    return std::string(cudaGetErrorName(error)) + " (" + std::to_string(static_cast<int>(error)) +
           ")";
}

bool judge_status(cudaError_t actual, cudaError_t wanted, const std::string& call,
                  const Moment& since, const std::string& why) {
    if (actual == wanted) {
        return true;
    }
    fail(Story("wrong-status", call + " returned " + error_text(actual) + ".")
             .steps_after(since.call())
             .expected(error_text(wanted))
             .found(error_text(actual))
             .why(why));
    return false;
}

bool judge_reports_failure(cudaError_t actual, const std::string& call, const Moment& since,
                           const std::string& why) {
    if (actual != cudaSuccess) {
        return true;
    }
    fail(Story("error-not-reported", call + " returned cudaSuccess although it did not succeed.")
             .steps_after(since.call())
             .expected("an error code")
             .found("cudaSuccess")
             .why(why));
    return false;
}

bool judge_null(const void* pointer, const std::string& name, const Moment& since,
                const std::string& why) {
    if (pointer == nullptr) {
        return true;
    }
    fail(Story("out-not-null", name + " still holds an address that nobody may use.")
             .steps_after(since.call())
             .expected(name + " is null")
             .found(name + " is " + address_text(pointer))
             .why(why));
    return false;
}

bool judge_no_leaks(const Moment& since, const std::string& after_what, const std::string& why) {
    const auto blocks = since.still_live();
    if (!blocks.empty()) {
        std::size_t bytes = 0;
        for (const auto& block : blocks) {
            bytes += block.bytes;
        }
        Story story("leak", "After " + after_what + ", " + plural(blocks.size(), "allocation") +
                                " (" + std::to_string(bytes) + " bytes) " +
                                (blocks.size() == 1 ? "is" : "are") + " still allocated.");
        constexpr std::size_t most_shown = 4;
        for (std::size_t index = 0; index < blocks.size() && index < most_shown; ++index) {
            story.step(blocks[index].made_by);
            if (index == 0) {
                story.show("made here, never freed");
            }
        }
        fail(story.expected("no allocation of this run is left")
                 .found(plural(blocks.size(), "live allocation"))
                 .why(why));
        return false;
    }
    const auto handles = since.handles_still_live();
    if (!handles.empty()) {
        const std::string noun = handle_noun(handles.front().kind);
        Story story("handle-leak", "After " + after_what + ", a " + noun +
                                       " that was created is still not destroyed.");
        fail(story.step(handles.front().made_by)
                 .show("created here, never destroyed")
                 .expected("no stream, event or pool of this run is left")
                 .found(plural(handles.size(), "live handle"))
                 .why(why));
        return false;
    }
    return true;
}

bool judge_no_calls(const Moment& since, const std::string& during_what, const std::string& why) {
    auto calls = since.calls();
    // A destructor that frees null does nothing, and nobody would call it work.
    std::erase_if(calls, [](const runtime::CallRecord& call) {
        return runtime::releases(call.entry) && call.pointers[0].place == runtime::Place::null;
    });
    if (calls.empty()) {
        return true;
    }
    fail(
        Story("unneeded-call", during_what + " called the runtime although nothing was to be done.")
            .steps_after(since.call(), 4)
            .show("")
            .expected("no runtime call")
            .found(plural(calls.size(), "runtime call"))
            .why(why));
    return false;
}

bool judge_allocation(const void* pointer, std::size_t bytes, const std::string& name,
                      const Moment& since) {
    const runtime::AllocationRecord allocation = allocation_at(pointer);
    if (allocation.id == 0) {
        const runtime::ClassifiedPointer classified = session().classify(pointer);
        fail(Story("out-not-set", name + " does not hold the address of a live allocation.")
                 .steps_after(since.call())
                 .expected(name + " is the address that the runtime handed out")
                 .found(name + " is " + address_text(pointer) + ": " +
                        runtime::place_name(classified.place)));
        return false;
    }
    if (allocation.bytes != bytes) {
        fail(Story("wrong-size", "The allocation behind " + name + " has " +
                                     std::to_string(allocation.bytes) + " bytes; " +
                                     std::to_string(bytes) + " are needed.")
                 .step(allocation.made_by)
                 .show("")
                 .expected(std::to_string(bytes) + " bytes")
                 .found(std::to_string(allocation.bytes) + " bytes"));
        return false;
    }
    return true;
}

bool judge_contents(const void* actual, const void* wanted, std::size_t bytes,
                    std::size_t element_bytes, const std::string& name, const Moment& since,
                    const std::string& why) {
    if (std::memcmp(actual, wanted, bytes) == 0) {
        return true;
    }
    const auto* found = static_cast<const std::byte*>(actual);
    const auto* expected = static_cast<const std::byte*>(wanted);
    std::size_t first = 0;
    std::size_t wrong = 0;
    const std::size_t elements = bytes / element_bytes;
    for (std::size_t index = elements; index-- > 0;) {
        const std::size_t offset = index * element_bytes;
        if (std::memcmp(found + offset, expected + offset, element_bytes) != 0) {
            first = index;
            ++wrong;
        }
    }
    const std::size_t offset = first * element_bytes;
    const std::string place = name + "[" + std::to_string(first) + "]";
    fail(Story("wrong-contents", plural(wrong, "element") + " of " + std::to_string(elements) +
                                     " in " + name + " differ; the first is " + place + ".")
             .steps_after(since.call())
             .expected("bytes " + hex_bytes(expected + offset, element_bytes) + " at " + place)
             .found("bytes " + hex_bytes(found + offset, element_bytes))
             .why(why));
    return false;
}

}  // namespace vram::checks
