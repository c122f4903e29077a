// Lab 03: error checking. Errors are made by injection where one is wanted at a chosen call, and by
// real refused launches and faulting kernels where the runtime's own behaviour matters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "compute_service.h"
#include "grader/checks/support/device_access.h"
#include "grader/checks/support/failure_sweep.h"
#include "grader/checks/support/host_buffer.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/verdict.h"

namespace {

using namespace vram::checks;
using vram::runtime::Entry;
using vram::runtime::Injection;
using vram::runtime::MisuseKind;

constexpr int elements = 1000;
constexpr float factor = 3.0f;

/// What the learner's code told to its log.
std::vector<std::string>& logged() {
    static std::vector<std::string> lines;
    return lines;
}

void keep_line(const char* line) {
    logged().emplace_back(line == nullptr ? "" : line);
}

void listen() {
    logged().clear();
    learner([] { set_log(keep_line); });
}

std::vector<float> numbers(int count) {
    std::vector<float> values(count);
    for (int index = 0; index < count; ++index) {
        values[index] = static_cast<float>(index % 97) - 40.0f;
    }
    return values;
}

std::vector<float> scaled(std::vector<float> values) {
    for (float& value : values) {
        value *= factor;
    }
    return values;
}

/// A launch with more threads than a block can have is refused; which code says so differs between
/// versions of the runtime.
constexpr int too_many_threads = 2048;

bool is_refusal(cudaError_t status) {
    return status == cudaErrorInvalidValue || status == cudaErrorInvalidConfiguration;
}

const char* phase_name(Phase phase) {
    switch (phase) {
        case Phase::none:
            return "none";
        case Phase::launch:
            return "launch";
        case Phase::execution:
            return "execution";
    }
    return "no phase at all";
}

std::string result_text(const LaunchResult& result) {
    return error_text(result.status) + ", phase " + phase_name(result.phase);
}

bool judge_result(const LaunchResult& result, bool status_is_right, Phase phase,
                  const std::string& wanted, const std::string& what, const Moment& since,
                  const std::string& diagnosis, const std::string& why) {
    if (status_is_right && result.phase == phase) {
        return true;
    }
    fail(Story(diagnosis, what + " was answered with " + result_text(result) + ".")
             .steps_after(since.call())
             .show("")
             .expected(wanted + ", phase " + phase_name(phase))
             .found(result_text(result))
             .why(why));
    return false;
}

// --- Steps that the harness hands to run_steps ------------------------------------------------------

struct Job {
    int runs[3] = {0, 0, 0};
    cudaError_t results[3] = {cudaSuccess, cudaSuccess, cudaSuccess};
};

template <int number>
cudaError_t step(void* job) {
    Job& mine = *static_cast<Job*>(job);
    ++mine.runs[number];
    return mine.results[number];
}

constexpr Step three_steps[] = {step<0>, step<1>, step<2>};

}  // namespace

TEST(Check, EvaluatesItsArgumentOnce) {
    for (cudaError_t error : {cudaSuccess, cudaErrorMemoryAllocation, cudaErrorIllegalAddress}) {
        listen();
        Job job;
        job.results[1] = error;
        const Moment before;
        const cudaError_t status = learner([&] { return run_steps(three_steps, 3, &job); });
        const int wanted_runs[3] = {1, 1, error == cudaSuccess ? 1 : 0};
        for (int number = 0; number < 3; ++number) {
            if (job.runs[number] == wanted_runs[number]) {
                continue;
            }
            const bool repeated = job.runs[number] > 1;
            fail(Story(repeated ? "evaluated-again" : "wrong-steps",
                       "Step " + std::to_string(number + 1) + " ran " +
                           std::to_string(job.runs[number]) + " times when step 2 returned " +
                           error_text(error) + ".")
                     .expected("it runs " + std::to_string(wanted_runs[number]) + " times")
                     .found(std::to_string(job.runs[number]) + " times")
                     .why(repeated ? "a macro that writes its argument twice runs it twice" : ""));
            return;
        }
        if (!judge_status(status, error, "run_steps", before,
                          "the status of the first step that failed is the result")) {
            return;
        }
    }
    const Moment before;
    const cudaError_t refused = learner([] { return run_steps(nullptr, 1, nullptr); });
    (void)judge_status(refused, cudaErrorInvalidValue, "run_steps(nullptr, 1, nullptr)", before);
}

namespace {

/// The line without what it has to hold besides the expression and the line number.
std::string without(std::string line, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
        const std::size_t at = line.find(part);
        if (at != std::string::npos) {
            line.erase(at, part.size());
        }
    }
    return line;
}

/// Whether something is called in this text: "steps[index](job)", "(*step)(job)", "run(job)".
bool holds_a_call(const std::string& text) {
    for (std::size_t at = 1; at < text.size(); ++at) {
        const char before = text[at - 1];
        const bool name_or_bracket = std::isalnum(static_cast<unsigned char>(before)) ||
                                     before == '_' || before == ']' || before == ')';
        if (text[at] == '(' && name_or_bracket && text.find(')', at) > at + 1) {
            return true;
        }
    }
    return false;
}

bool judge_failure_line(const std::string& line) {
    const std::string file = "compute_service.cu";
    const std::string name = cudaGetErrorName(cudaErrorMemoryAllocation);
    const std::string description = cudaGetErrorString(cudaErrorMemoryAllocation);
    const std::string rest = without(line, {file, name, description});
    struct Part {
        const char* what;
        std::string example;
        bool held;
    };
    for (const Part& part :
         {Part{"the text of the expression that ran the step", "steps[index](job)",
               holds_a_call(rest)},
          Part{"the file", file, line.find(file) != std::string::npos},
          Part{"the name of the code", name, line.find(name) != std::string::npos},
          Part{"the description of the code", description,
               line.find(description) != std::string::npos},
          Part{"the line where it failed", "42", std::any_of(rest.begin(), rest.end(), [](char c) {
                   return c >= '1' && c <= '9';
               })}}) {
        if (!part.held) {
            fail(Story("message-incomplete",
                       std::string("The logged line does not hold ") + part.what + ".")
                     .expected("a line with \"" + part.example + "\" or the like in it")
                     .found("\"" + line + "\""));
            return false;
        }
    }
    return true;
}

}  // namespace

TEST(Check, SaysWhatFailedAndWhere) {
    listen();
    Job job;
    learner([&] { return run_steps(three_steps, 3, &job); });
    if (!logged().empty()) {
        fail(Story("success-logged", "Three steps succeeded, and something was logged.")
                 .found("\"" + logged().front() + "\"")
                 .expected("no line"));
        return;
    }
    job.results[2] = cudaErrorMemoryAllocation;
    learner([&] { return run_steps(three_steps, 3, &job); });
    if (logged().size() != 1) {
        fail(Story("not-logged",
                   "A failing step left " + std::to_string(logged().size()) + " lines in the log.")
                 .expected("one line")
                 .found(std::to_string(logged().size()) + " lines"));
        return;
    }
    (void)judge_failure_line(logged().front());
}

TEST(Launch, RefusalIsSeen) {
    listen();
    DeviceBytes data(elements * sizeof(float));
    for (int threads : {too_many_threads, 0}) {
        logged().clear();
        const Moment before;
        const LaunchResult result =
            learner([&] { return scale_on_device(data.as<float>(), elements, factor, threads); });
        const std::string what = "A launch with " + std::to_string(threads) + " threads in a block";
        if (!judge_result(result, is_refusal(result.status), Phase::launch,
                          "cudaErrorInvalidValue or cudaErrorInvalidConfiguration", what, before,
                          "launch-error-missed",
                          "a refused launch runs no thread, and a later synchronise succeeds")) {
            return;
        }
        const bool told = std::any_of(logged().begin(), logged().end(), [&](const auto& line) {
            return line.find("scale") != std::string::npos &&
                   line.find("<<<") != std::string::npos &&
                   line.find(std::to_string(threads)) != std::string::npos &&
                   line.find(cudaGetErrorName(result.status)) != std::string::npos;
        });
        if (!told) {
            fail(Story("message-incomplete", "The log does not say which launch was refused.")
                     .expected("a line with scale, <<<blocks, " + std::to_string(threads) +
                               ">>> and " + cudaGetErrorName(result.status))
                     .found(logged().empty() ? "no line" : "\"" + logged().back() + "\""));
            return;
        }
    }
    // A good launch after the refused one.
    const std::vector<float> values = numbers(elements);
    if (!write_device(data.get(), values.data(), data.size())) {
        fail(Story("device-lost", "After a refused launch the device can't be used any more."));
        return;
    }
    const Moment before;
    const LaunchResult result =
        learner([&] { return scale_on_device(data.as<float>(), elements, factor, 96); });
    if (!judge_result(result, result.status == cudaSuccess, Phase::none, "cudaSuccess",
                      "A good launch after a refused one", before, "wrong-status", "")) {
        return;
    }
    const auto found = read_device_array<float>(data.get(), elements);
    const auto wanted = scaled(values);
    (void)judge_contents(found.data(), wanted.data(), data.size(), sizeof(float), "data", before);
}

TEST(Launch, StaleErrorIsNotBlamed) {
    listen();
    DeviceBytes data(elements * sizeof(float));
    const std::vector<float> values = numbers(elements);
    if (!write_device(data.get(), values.data(), data.size())) {
        GTEST_FAIL() << "the harness could not write to the device";
    }
    session().plant_last_error(cudaErrorMemoryAllocation);
    const Moment before;
    const LaunchResult result =
        learner([&] { return scale_on_device(data.as<float>(), elements, factor, 128); });
    if (!judge_result(result, result.status == cudaSuccess, Phase::none, "cudaSuccess",
                      "A good launch, with an older out-of-memory error in the slot,", before,
                      "stale-error-blamed",
                      "the last-error slot keeps an error until somebody reads it with "
                      "cudaGetLastError")) {
        return;
    }
    const auto found = read_device_array<float>(data.get(), elements);
    const auto wanted = scaled(values);
    (void)judge_contents(found.data(), wanted.data(), data.size(), sizeof(float), "data", before);
}

TEST(Launch, FaultIsToldApart) {
    listen();
    // The kernel gets an address that is no device memory. What follows is a sticky error, so this
    // check ends with it.
    tolerate(MisuseKind::device_report);
    const Moment before;
    float* nowhere = reinterpret_cast<float*>(std::uintptr_t{64});
    const LaunchResult result =
        learner([&] { return scale_on_device(nowhere, elements, factor, 128); });
    (void)judge_result(
        result, result.status == cudaErrorIllegalAddress || result.status == cudaErrorLaunchFailure,
        Phase::execution, "cudaErrorIllegalAddress", "A kernel that touches an illegal address",
        before, result.status == cudaSuccess ? "execution-error-missed" : "wrong-phase",
        "the launch itself succeeds; the fault shows at the next wait");
}

namespace {

Injection out_of_memory_above(std::size_t bytes) {
    Injection injection;
    injection.nth = 1;
    injection.error = cudaErrorMemoryAllocation;
    injection.repeat = true;
    injection.larger_than = bytes;
    injection.eligible = vram::runtime::allocates;
    return injection;
}

struct BestEffort {
    void* out = reinterpret_cast<void*>(std::uintptr_t{0x1234});
    std::size_t got = 77;
    cudaError_t status = cudaSuccess;
};

BestEffort ask(std::size_t wanted, std::size_t floor) {
    BestEffort effort;
    effort.status =
        learner([&] { return allocate_best_effort(&effort.out, wanted, floor, &effort.got); });
    return effort;
}

std::vector<std::size_t> sizes_asked(const Moment& since) {
    std::vector<std::size_t> sizes;
    for (const auto& call : since.calls()) {
        if (vram::runtime::allocates(call.entry)) {
            sizes.push_back(call.arguments[1]);
        }
    }
    return sizes;
}

std::string list(const std::vector<std::size_t>& sizes) {
    std::string text;
    for (std::size_t size : sizes) {
        text += (text.empty() ? "" : ", ") + std::to_string(size);
    }
    return text.empty() ? "nothing" : text;
}

bool judge_asked(const std::vector<std::size_t>& wanted, const Moment& since) {
    const std::vector<std::size_t> asked = sizes_asked(since);
    if (asked == wanted) {
        return true;
    }
    fail(Story("wrong-requests", "The runtime was asked for " + list(asked) + " bytes.")
             .steps_after(since.call(), 10)
             .expected("requests of " + list(wanted) + " bytes")
             .found(list(asked)));
    return false;
}

bool judge_slot_is_clean(const std::string& what, const Moment& since) {
    const auto slot = session().last_error();
    if (slot.code == cudaSuccess) {
        return true;
    }
    fail(Story("stale-error-left",
               what + " succeeded and left " + error_text(slot.code) + " in the last-error slot.")
             .steps_after(since.call(), 8)
             .expected("the slot is clean: the failure was handled")
             .found(error_text(slot.code))
             .why("the next launch check would read it and blame a launch that was right"));
    return false;
}

}  // namespace

namespace {

/// Only out of memory gets better by asking for less.
bool judge_other_errors_are_returned_at_once() {
    const Moment before;
    Injection injection;
    injection.nth = 1;
    injection.error = cudaErrorNotSupported;
    injection.repeat = true;
    injection.eligible = vram::runtime::allocates;
    session().inject(injection);
    const BestEffort effort = ask(4096, 16);
    session().stop_injecting();
    return judge_status(effort.status, cudaErrorNotSupported, "allocate_best_effort", before,
                        "only out of memory gets better by asking for less") &&
           judge_asked({4096}, before) && judge_null(effort.out, "*out", before);
}

}  // namespace

TEST(BestEffort, AsksForLessAndCleansUp) {
    {
        const Moment before;
        session().inject(out_of_memory_above(300));
        const BestEffort effort = ask(2000, 100);
        session().stop_injecting();
        if (!judge_status(effort.status, cudaSuccess, "allocate_best_effort(2000 bytes, floor 100)",
                          before, "250 bytes are to be had") ||
            !judge_asked({2000, 1000, 500, 250}, before) ||
            !judge_allocation(effort.out, 250, "*out", before)) {
            return;
        }
        if (effort.got != 250) {
            fail(Story("wrong-size",
                       "*got says " + std::to_string(effort.got) + "; the block has 250 bytes.")
                     .steps_after(before.call()));
            return;
        }
        if (!judge_slot_is_clean("allocate_best_effort", before)) {
            return;
        }
        cudaFree(effort.out);
    }
    if (!judge_other_errors_are_returned_at_once()) {
        return;
    }
    {
        const Moment before;
        session().inject(out_of_memory_above(1));
        const BestEffort effort = ask(1000, 300);
        session().stop_injecting();
        if (!judge_status(effort.status, cudaErrorMemoryAllocation,
                          "allocate_best_effort(1000 bytes, floor 300) with no memory", before) ||
            !judge_asked({1000, 500, 300}, before) || !judge_null(effort.out, "*out", before)) {
            return;
        }
    }
    const Moment before;
    const BestEffort effort = ask(100, 101);
    (void)(judge_status(effort.status, cudaErrorInvalidValue,
                        "allocate_best_effort(100 bytes, floor 101)", before) &&
           judge_no_calls(before, "allocate_best_effort with a floor above what is wanted"));
}

TEST(Sticky, IsKnown) {
    struct Known {
        cudaError_t code;
        bool sticky;
    };
    for (const Known& known :
         {Known{cudaErrorIllegalAddress, true}, Known{cudaErrorMisalignedAddress, true},
          Known{cudaErrorInvalidAddressSpace, true}, Known{cudaErrorIllegalInstruction, true},
          Known{cudaErrorInvalidPc, true}, Known{cudaErrorHardwareStackError, true},
          Known{cudaErrorAssert, true}, Known{cudaErrorLaunchFailure, true},
          Known{cudaErrorLaunchTimeout, true}, Known{cudaSuccess, false},
          Known{cudaErrorInvalidValue, false}, Known{cudaErrorMemoryAllocation, false},
          Known{cudaErrorInvalidConfiguration, false}, Known{cudaErrorInvalidDeviceFunction, false},
          Known{cudaErrorNotReady, false}, Known{cudaErrorNotSupported, false},
          Known{cudaErrorInvalidResourceHandle, false},
          // Neighbours of the sticky ones by number.
          Known{cudaErrorLaunchOutOfResources, false},
          Known{cudaErrorPeerAccessAlreadyEnabled, false},
          Known{cudaErrorHostMemoryAlreadyRegistered, false},
          Known{cudaErrorCooperativeLaunchTooLarge, false}}) {
        const bool answer = learner([&] { return is_sticky(known.code); });
        if (answer != known.sticky) {
            fail(Story("wrong-stickiness", error_text(known.code) + " was called " +
                                               (answer ? "sticky" : "recoverable") + ".")
                     .expected(known.sticky ? "sticky: the context is lost"
                                            : "recoverable: the next call can succeed"));
            return;
        }
    }
}

namespace {

/// A service of the learner's, and one request to it.
struct Client {
    Service* service = nullptr;
    std::vector<float> in = numbers(elements);
    std::vector<float> out = std::vector<float>(elements, -1.0f);

    cudaError_t start() {
        return learner([&] { return service_start(&service, elements); });
    }
    cudaError_t request(int threads = 128) {
        std::fill(out.begin(), out.end(), -1.0f);
        return learner([&] {
            return service_scale(service, in.data(), out.data(), elements, factor, threads);
        });
    }
    cudaError_t stop() {
        Service* ended = service;
        service = nullptr;
        return learner([&] { return service_stop(ended); });
    }
    bool judge_output(const Moment& since) const {
        const auto wanted = scaled(in);
        return judge_contents(out.data(), wanted.data(), wanted.size() * sizeof(float),
                              sizeof(float), "out", since);
    }
    bool output_is_right() const { return out == scaled(in); }
};

bool judge_started(Client& client, const Moment& since) {
    const cudaError_t status = client.start();
    if (!judge_status(status, cudaSuccess, "service_start", since)) {
        return false;
    }
    if (client.service == nullptr) {
        fail(Story("out-not-set", "service_start returned cudaSuccess and no service.")
                 .steps_after(since.call()));
        return false;
    }
    return true;
}

/// What a request answers when one of its calls fails with a code that can be survived.
void judge_survival(FailureCase& failure) {
    const Moment before;
    Client client;
    if (!judge_started(client, before)) {
        return;
    }
    failure.arm();
    const cudaError_t status = client.request();
    failure.disarm();
    if (failure.fired() && status == cudaSuccess && !client.output_is_right()) {
        fail(Story("error-not-reported", "service_scale returned cudaSuccess " +
                                             failure.condition() + ", and its output is wrong.")
                 .steps_after(before.call())
                 .expected(error_text(failure.error())));
        return;
    }
    if (failure.fired() && status != cudaSuccess && status != failure.error()) {
        fail(Story("wrong-status",
                   "service_scale returned " + error_text(status) + " " + failure.condition() + ".")
                 .steps_after(before.call())
                 .expected(error_text(failure.error()))
                 .found(error_text(status))
                 .why("statuses are numbers of errors, not bits: they can't be combined"));
        return;
    }
    const Moment after_failure;
    const cudaError_t next = client.request();
    (void)(judge_status(next, cudaSuccess,
                        "the next request " + failure.condition() + " in the one before",
                        failure.fired() ? after_failure : before,
                        "this error is handled; nothing of it may reach the next request") &&
           client.judge_output(after_failure) &&
           judge_slot_is_clean("The next request", after_failure) &&
           judge_status(client.stop(), cudaSuccess, "service_stop", before) &&
           judge_no_leaks(before, "service_stop"));
}

/// What a start answers when one of its calls fails, and what it leaves behind.
void judge_failing_start(FailureCase& failure) {
    const Moment before;
    Client client;
    failure.arm();
    const cudaError_t status = client.start();
    failure.disarm();
    if (!failure.fired()) {
        client.stop();
        return;
    }
    if (status == cudaSuccess) {
        (void)judge_status(client.request(), cudaSuccess,
                           "a request to a service that started " + failure.condition(), before);
        client.stop();
        return;
    }
    (void)(judge_status(status, failure.error(), "service_start, " + failure.condition() + ",",
                        before) &&
           judge_null(client.service, "*out", before) &&
           judge_no_leaks(before, "service_start " + failure.condition()));
}

}  // namespace

TEST(Service, SurvivesWhatCanBeSurvived) {
    SweepOptions options;
    options.errors = {cudaErrorInvalidValue, cudaErrorMemoryAllocation};
    if (!sweep_failures(judge_survival, options) || !sweep_failures(judge_failing_start, options)) {
        return;
    }
    // A launch that the runtime refuses by itself, then a good request.
    (void)in_fresh_process([] {
        const Moment before;
        Client client;
        if (!judge_started(client, before)) {
            return;
        }
        const cudaError_t refused = client.request(too_many_threads);
        if (!is_refusal(refused)) {
            fail(Story("launch-error-missed",
                       "A request with 2048 threads in a block was answered with " +
                           error_text(refused) + ".")
                     .steps_after(before.call())
                     .expected("the code with which the launch was refused"));
            return;
        }
        const Moment second;
        const cudaError_t next = client.request();
        (void)(judge_status(next, cudaSuccess, "the request after a refused launch", second) &&
               client.judge_output(second) &&
               judge_status(client.stop(), cudaSuccess, "service_stop", second) &&
               judge_no_leaks(before, "service_stop"));
    });
}

namespace {

/// A free that fails is often the first sign of a bug elsewhere; its code is not to be lost.
void judge_failing_release() {
    const Moment before;
    Client client;
    if (!judge_started(client, before)) {
        return;
    }
    Injection injection;
    injection.nth = 1;
    injection.error = cudaErrorInvalidValue;
    injection.eligible = vram::runtime::releases;
    session().inject(injection);
    const cudaError_t status = client.stop();
    const bool fired = session().injections_fired() > 0;
    session().stop_injecting();
    (void)judge_status(status, fired ? cudaErrorInvalidValue : cudaSuccess,
                       fired ? "service_stop, when a release failed," : "service_stop", before);
}

}  // namespace

TEST(Service, FirstErrorIsTheResult) {
    // From the failing call on every call fails, with another code: the first one counts.
    for (int nth = 1; nth <= 4; ++nth) {
        const bool clean = in_fresh_process([nth] {
            const Moment before;
            Client client;
            if (!judge_started(client, before)) {
                return;
            }
            Injection injection;
            injection.nth = static_cast<std::uint64_t>(nth);
            injection.error = cudaErrorInvalidValue;
            injection.repeat = true;
            injection.later_error = cudaErrorMemoryAllocation;
            session().inject(injection);
            const cudaError_t status = client.request();
            const bool fired = session().injections_fired() > 0;
            session().stop_injecting();
            if (fired) {
                (void)judge_status(status, cudaErrorInvalidValue,
                                   "service_scale, when one call failed with "
                                   "cudaErrorInvalidValue and all later ones with "
                                   "cudaErrorMemoryAllocation,",
                                   before, "the first error is the cause; what follows is noise");
            } else {
                (void)judge_status(status, cudaSuccess, "service_scale", before);
            }
        });
        if (!clean) {
            return;
        }
    }
    (void)in_fresh_process(judge_failing_release);
}

TEST(Service, StopsWorkAfterAStickyError) {
    SweepOptions options;
    options.errors = {cudaErrorIllegalAddress};
    (void)sweep_failures(
        [](FailureCase& failure) {
            const Moment before;
            Client client;
            if (!judge_started(client, before)) {
                return;
            }
            failure.arm();
            const cudaError_t status = client.request();
            if (failure.clean()) {
                (void)judge_status(status, cudaSuccess, "service_scale", before);
                return;
            }
            if (session().injections_fired() == 0) {
                failure.disarm();
                return;
            }
            if (!judge_status(status, cudaErrorIllegalAddress, "service_scale", before,
                              "a sticky error reached it")) {
                return;
            }
            const Moment dead;
            const cudaError_t later = client.request();
            if (!judge_status(later, cudaErrorIllegalAddress, "a request to a dead service",
                              dead)) {
                return;
            }
            const cudaError_t stopped = client.stop();
            const bool quiet =
                judge_no_calls(dead, "A service that a sticky error had ended",
                               "after a sticky error no call can succeed in this process");
            failure.disarm();
            (void)(quiet && judge_status(stopped, cudaErrorIllegalAddress,
                                         "service_stop of a dead service", dead));
        },
        options);
}
