// Lab 02: data that lies on the other side of the bus.
#include "host_and_device.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "grader/checks/support/announcement.h"
#include "grader/checks/support/device_access.h"
#include "grader/checks/support/failure_sweep.h"
#include "grader/checks/support/host_buffer.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/verdict.h"

namespace vram::checks {
namespace {

/// A count whose bytes do not fit into size_t: the product is 12.
constexpr std::size_t impossible_count = SIZE_MAX / sizeof(float) + 4;

/// Runs the learner's code with a clean last-error slot, so that it reads its own errors only.
template <class Function>
auto call(Function&& function) {
    session().clear_last_error();
    return learner(std::forward<Function>(function));
}

bool judge_success(cudaError_t status, const std::string& name, const Moment& since) {
    if (status != cudaErrorNotYetImplemented) {
        return judge_status(status, cudaSuccess, name, since);
    }
    fail(Story("not-written-yet",
               name + " is not written yet: it returned cudaErrorNotYetImplemented.")
             .expected("what the contract promises")
             .found("nothing was done"));
    return false;
}

/// Numbers that are all different from their neighbours and exact in every sum of these checks.
float sample(std::size_t index, std::size_t seed) {
    return static_cast<float>((index * 37 + seed * 101) % 4099) * 0.25f - 300.0f;
}

std::vector<float> samples(std::size_t count, std::size_t seed) {
    std::vector<float> result(count);
    for (std::size_t index = 0; index < count; ++index) {
        result[index] = sample(index, seed);
    }
    return result;
}

/// `count` floats in the middle of a larger block of the device, whose other elements belong to
/// somebody else.
class Window {
  public:
    Window(std::vector<float> contents, std::string name)
        : count_(contents.size()),
          name_(std::move(name)),
          whole_(samples(count_ + 2 * margin, 9)),
          memory_(whole_.size() * sizeof(float)) {
        std::copy(contents.begin(), contents.end(), whole_.begin() + margin);
        if (!write_device(memory_.get(), whole_.data(), memory_.size())) {
            ADD_FAILURE() << "the device memory of this check can't be written";
        }
    }

    float* get() const { return memory_.as<float>() + margin; }
    std::size_t count() const { return count_; }

    /// The elements are `wanted`, and the neighbours are what they were.
    bool judge(const std::vector<float>& wanted, const Moment& since,
               const std::string& why = "") const {
        return judge_contents(contents().data(), wanted.data(), count_ * sizeof(float),
                              sizeof(float), name_, since, why) &&
               judge_neighbours(since);
    }
    bool judge_neighbours(const Moment& since) const {
        const std::vector<float> now = all();
        for (std::size_t index = 0; index < now.size(); ++index) {
            const bool neighbour = index < margin || index >= margin + count_;
            if (neighbour && now[index] != whole_[index]) {
                const auto position =
                    static_cast<long long>(index) - static_cast<long long>(margin);
                fail(Story("neighbours-touched", "An element outside of " + name_ +
                                                     " was changed: index " +
                                                     std::to_string(position) + " of " +
                                                     std::to_string(count_) + " elements.")
                         .steps_after(since.call())
                         .expected("only the elements from 0 to count - 1 are written"));
                return false;
            }
        }
        return true;
    }
    std::vector<float> contents() const {
        const std::vector<float> now = all();
        return {now.begin() + margin, now.begin() + static_cast<std::ptrdiff_t>(margin + count_)};
    }

  private:
    static constexpr std::size_t margin = 64;

    std::vector<float> all() const {
        std::vector<float> now(whole_.size());
        if (!read_device(now.data(), memory_.get(), memory_.size())) {
            ADD_FAILURE() << "the device memory of this check can't be read";
        }
        return now;
    }

    std::size_t count_;
    std::string name_;
    std::vector<float> whole_;
    DeviceBytes memory_;
};

/// Pinned host memory of the harness.
class PinnedFloats {
  public:
    explicit PinnedFloats(std::size_t count) : count_(count) {
        void* memory = nullptr;
        if (cudaMallocHost(&memory, count * sizeof(float)) != cudaSuccess) {
            throw std::bad_alloc();
        }
        data_ = static_cast<float*>(memory);
    }
    ~PinnedFloats() { cudaFreeHost(data_); }
    PinnedFloats(const PinnedFloats&) = delete;
    PinnedFloats& operator=(const PinnedFloats&) = delete;
    float* data() const { return data_; }
    std::size_t size() const { return count_; }

  private:
    std::size_t count_;
    float* data_ = nullptr;
};

bool is_copy(const runtime::CallRecord& made) {
    const std::string name = runtime::entry_name(made.entry);
    return name.rfind("cudaMemcpy", 0) == 0 && name.find("2D") == std::string::npos &&
           name.find("3D") == std::string::npos && name.find("Symbol") == std::string::npos &&
           name.find("Array") == std::string::npos && name.find("Batch") == std::string::npos &&
           name.find("Peer") == std::string::npos;
}

/// Bytes that a copy of `is_copy` was asked for.
std::size_t copied_bytes(const runtime::CallRecord& made) {
    return made.arguments[2];
}

/// Explains a wrong amount by the copy that was made, when there is just one.
bool judge_amount(std::size_t count, const Moment& since) {
    std::vector<runtime::CallRecord> copies;
    for (const auto& made : since.calls()) {
        if (is_copy(made)) {
            copies.push_back(made);
        }
    }
    if (copies.size() != 1 || copied_bytes(copies.front()) >= count * sizeof(float)) {
        return true;
    }
    const std::size_t bytes = copied_bytes(copies.front());
    const std::string needed = std::to_string(count) +
                               " floats of 4 bytes: " + std::to_string(count * sizeof(float)) +
                               " bytes";
    if (bytes == count) {
        fail(Story("elements-for-bytes", std::to_string(bytes) + " bytes were copied for " +
                                             std::to_string(count) +
                                             " elements: the number of elements was passed where "
                                             "bytes are counted.")
                 .step(copies.front())
                 .show("this counts bytes")
                 .expected(needed)
                 .found(std::to_string(bytes) + " bytes"));
        return false;
    }
    if (bytes == sizeof(float*)) {
        fail(Story("size-of-pointer",
                   "8 bytes were copied: the size of a pointer, not of the data behind it.")
                 .step(copies.front())
                 .show("sizeof of a pointer is 8, whatever it points to")
                 .expected(needed)
                 .found("8 bytes"));
        return false;
    }
    return true;
}

enum class Side { host, device, either };

const char* side_text(Side side) {
    return side == Side::host ? "on the host" : "on the device";
}

Side side_of(const runtime::ClassifiedPointer& pointer) {
    switch (pointer.place) {
        case runtime::Place::host_stack:
        case runtime::Place::host_data:
        case runtime::Place::host_heap:
            return Side::host;
        case runtime::Place::base:
        case runtime::Place::interior:
            break;
        default:
            return Side::either;
    }
    switch (session().allocation(pointer.allocation).family) {
        case runtime::Family::pinned:
        case runtime::Family::registered:
            return Side::host;
        case runtime::Family::managed:
            return Side::either;
        default:
            return Side::device;
    }
}

Side named_destination(std::uint64_t kind) {
    if (kind == cudaMemcpyDefault) {
        return Side::either;
    }
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    return to_device ? Side::device : Side::host;
}

Side named_source(std::uint64_t kind) {
    if (kind == cudaMemcpyDefault) {
        return Side::either;
    }
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return from_device ? Side::device : Side::host;
}

bool contradict(Side named, Side true_side) {
    return named != Side::either && true_side != Side::either && named != true_side;
}

/// Each copy named its true direction, or cudaMemcpyDefault.
bool judge_directions(const Moment& since) {
    for (const auto& made : since.calls()) {
        if (!is_copy(made)) {
            continue;
        }
        const std::uint64_t kind = made.arguments[3];
        const Side destination = side_of(made.pointers[0]);
        const Side source = side_of(made.pointers[1]);
        const bool wrong_destination = contradict(named_destination(kind), destination);
        if (!wrong_destination && !contradict(named_source(kind), source)) {
            continue;
        }
        fail(Story("copy-wrong-direction",
                   std::string("A copy names a direction in which it does not go: its ") +
                       (wrong_destination ? "destination" : "source") + " lies " +
                       side_text(wrong_destination ? destination : source) + ".")
                 .step(made)
                 .show("")
                 .expected("the direction in which the data go, or cudaMemcpyDefault")
                 .why("it gave the right result only because the runtime looked at the "
                      "addresses"));
        return false;
    }
    return true;
}

bool judge_no_overlap(const Moment& since) {
    for (const auto& made : since.calls()) {
        if (!is_copy(made)) {
            continue;
        }
        const std::uint64_t to = made.pointers[0].address;
        const std::uint64_t from = made.pointers[1].address;
        const std::uint64_t bytes = copied_bytes(made);
        if (to != from && to < from + bytes && from < to + bytes) {
            fail(Story("overlapping-copy", "One copy of " + std::to_string(bytes) +
                                               " bytes reads and writes overlapping memory.")
                     .step(made)
                     .show("its two areas are " +
                           std::to_string(to > from ? to - from : from - to) + " bytes apart")
                     .expected("the source and the destination of a copy do not overlap")
                     .why("the runtime may copy in any order, so it may read what it has just "
                          "written"));
            return false;
        }
    }
    return true;
}

/// A call with arguments that ask for nothing, or for nothing possible.
struct EdgeCase {
    std::string name;
    std::function<cudaError_t()> call;
    cudaError_t wanted;
};

/// Null may be handed on to the runtime, which refuses it too.
bool judge_edges(const std::vector<EdgeCase>& edges) {
    return in_fresh_process([&]() {
        tolerate(runtime::MisuseKind::copy_bad_pointer);
        for (const EdgeCase& edge : edges) {
            const Moment since;
            const Announcement announcement(edge.name);
            const cudaError_t status = call(edge.call);
            ASSERT_TRUE(edge.wanted == cudaSuccess
                            ? judge_success(status, edge.name, since)
                            : judge_status(status, edge.wanted, edge.name, since));
        }
    });
}

// ---- the checks ---------------------------------------------------------------------------------

bool judge_upload(std::size_t count) {
    const std::string name = "upload(device, host, " + std::to_string(count) + ")";
    const std::vector<float> wanted = samples(count, 1);
    HostArray<float> host(count, "host");
    std::copy(wanted.begin(), wanted.end(), host.begin());
    const Window device(samples(count, 2), "device");
    const Moment since;
    const cudaError_t status = call([&] { return upload(device.get(), host.data(), count); });
    if (!judge_success(status, name, since)) {
        return false;
    }
    return (device.contents() == wanted || judge_amount(count, since)) &&
           device.judge(wanted, since) &&
           judge_contents(host.data(), wanted.data(), host.bytes(), sizeof(float), "host", since,
                          "an upload only reads host memory");
}

bool judge_download(std::size_t count) {
    const std::string name = "download(host, device, " + std::to_string(count) + ")";
    const std::vector<float> wanted = samples(count, 3);
    HostArray<float> host(count, "host");
    host.fill_bytes(0xa5);
    const Window device(wanted, "device");
    const Moment since;
    const cudaError_t status = call([&] { return download(host.data(), device.get(), count); });
    if (!judge_success(status, name, since)) {
        return false;
    }
    const bool arrived = std::memcmp(host.data(), wanted.data(), host.bytes()) == 0;
    return (arrived || judge_amount(count, since)) &&
           judge_contents(host.data(), wanted.data(), host.bytes(), sizeof(float), "host", since) &&
           device.judge(wanted, since, "a download only reads device memory");
}

/// More bytes than an int can count. Never touched: the pages of it don't exist until then.
class ManyFloats {
  public:
    static constexpr std::size_t count = 600'000'000;
    ManyFloats()
        : mapping_(mmap(nullptr, count * sizeof(float), PROT_READ,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    ~ManyFloats() {
        if (there()) {
            munmap(mapping_, count * sizeof(float));
        }
    }
    ManyFloats(const ManyFloats&) = delete;
    ManyFloats& operator=(const ManyFloats&) = delete;
    bool there() const { return mapping_ != MAP_FAILED; }
    const float* data() const { return static_cast<const float*>(mapping_); }

  private:
    void* mapping_;
};

/// What the first copy of a large upload asks for. The first call is made to fail, so that nothing
/// is moved; a program that begins with another call is not judged.
void judge_large_upload() {
    const ManyFloats host;
    float* device = nullptr;
    if (!host.there() || cudaMalloc(&device, ManyFloats::count * sizeof(float)) != cudaSuccess) {
        return;  // a card, or a machine, that is too small for this question
    }
    const Moment since;
    runtime::Injection injection;
    injection.nth = 1;
    injection.error = cudaErrorInvalidValue;
    FailureCase failure(1, injection);
    failure.arm();
    call([&] { return upload(device, host.data(), ManyFloats::count); });
    failure.disarm();
    cudaFree(device);
    const runtime::CallRecord copy = failure.failed_call();
    if (!is_copy(copy) || copied_bytes(copy) <= ManyFloats::count * sizeof(float)) {
        return;
    }
    fail(Story("bytes-do-not-fit",
               "The bytes of a large upload were counted in a type that is too "
               "small for them.")
             .step(copy)
             .show("the number of bytes became negative on its way here")
             .expected("at most " + std::to_string(ManyFloats::count * sizeof(float)) +
                       " bytes for 600000000 floats")
             .found(std::to_string(copied_bytes(copy)) + " bytes")
             .why("an int ends at 2147483647; std::size_t holds any number of bytes"));
}

TEST(Transfer, EveryElementArrives) {
    for (std::size_t count : {1001u, 1u, 2u, 7u, 100003u}) {
        ASSERT_TRUE(judge_upload(count));
        ASSERT_TRUE(judge_download(count));
    }
    const Window device(samples(16, 1), "device");
    HostArray<float> host(16, "host");
    host.fill_pattern(5);
    ASSERT_TRUE(judge_edges({
        {"upload(nullptr, nullptr, 0)", [] { return upload(nullptr, nullptr, 0); }, cudaSuccess},
        {"download(nullptr, nullptr, 0)", [] { return download(nullptr, nullptr, 0); },
         cudaSuccess},
        {"upload(nullptr, host, 16)", [&] { return upload(nullptr, host.data(), 16); },
         cudaErrorInvalidValue},
        {"upload(device, nullptr, 16)", [&] { return upload(device.get(), nullptr, 16); },
         cudaErrorInvalidValue},
        {"download(nullptr, device, 16)", [&] { return download(nullptr, device.get(), 16); },
         cudaErrorInvalidValue},
        {"download(host, nullptr, 16)", [&] { return download(host.data(), nullptr, 16); },
         cudaErrorInvalidValue},
        {"upload(device, host, too many)",
         [&] { return upload(device.get(), host.data(), impossible_count); },
         cudaErrorInvalidValue},
        {"download(host, device, too many)",
         [&] { return download(host.data(), device.get(), impossible_count); },
         cudaErrorInvalidValue},
    }));
    in_fresh_process(judge_large_upload);
}

TEST(Transfer, NamesItsDirection) {
    const std::size_t count = 1001;
    const Window device(samples(count, 1), "device");
    HostArray<float> pageable(count, "host");
    pageable.fill_pattern(3);
    const PinnedFloats pinned(count);
    std::fill_n(pinned.data(), count, 1.0f);
    for (float* host : {pageable.data(), pinned.data()}) {
        const Moment since;
        const cudaError_t up = call([&] { return upload(device.get(), host, count); });
        ASSERT_TRUE(judge_success(up, "upload(device, host, 1001)", since));
        const cudaError_t down = call([&] { return download(host, device.get(), count); });
        ASSERT_TRUE(judge_success(down, "download(host, device, 1001)", since));
        ASSERT_TRUE(judge_directions(since));
    }
}

/// The call that was not waited for: the last copy.
void fail_as_in_flight(const std::string& first_line, const std::string& expected,
                       const Moment& since) {
    Story story("copy-in-flight", first_line);
    for (const auto& made : since.calls()) {
        story.step(made);
        if (is_copy(made)) {
            story.show("with pinned memory, this may return before the copy has happened");
        }
    }
    fail(story.expected(expected));
}

TEST(Transfer, IsOverAtReturn) {
    const std::size_t count = std::size_t{8} << 20;  // long enough to be still under way on a GPU
    const std::vector<float> wanted = samples(count, 4);
    const DeviceBytes device(count * sizeof(float));
    const PinnedFloats host(count);
    std::copy(wanted.begin(), wanted.end(), host.data());

    const Moment since;
    const cudaError_t up = call([&] { return upload(device.as<float>(), host.data(), count); });
    // The end first: it is what a copy under way reads last.
    for (std::size_t index = count; index-- > 0;) {
        host.data()[index] = -1.0f;
    }
    ASSERT_TRUE(judge_success(up, "upload(device, pinned, 8388608)", since));
    if (read_device_array<float>(device.get(), count) != wanted) {
        fail_as_in_flight(
            "upload returned while its copy was still reading host memory: what the host wrote "
            "next ended up on the device.",
            "after the return, the host may change what was uploaded", since);
        return;
    }

    const Moment later;
    const cudaError_t down = call([&] { return download(host.data(), device.as<float>(), count); });
    const bool arrived = host.data()[count - 1] == wanted[count - 1] &&
                         std::memcmp(host.data(), wanted.data(), count * sizeof(float)) == 0;
    ASSERT_TRUE(judge_success(down, "download(pinned, device, 8388608)", later));
    if (!arrived) {
        fail_as_in_flight("download returned before the elements were in host memory.",
                          "after the return, the host may read what was downloaded", later);
    }
}

bool judge_fill(std::size_t count, float value) {
    char name[64];
    std::snprintf(name, sizeof name, "fill(device, %g, %zu)", static_cast<double>(value), count);
    const Window device(samples(count, 2), "device");
    const Moment since;
    const cudaError_t status = call([&] { return fill(device.get(), value, count); });
    if (!judge_success(status, name, since)) {
        return false;
    }
    const std::vector<float> wanted(count, value);
    const float found = device.contents().front();
    unsigned char bytes[sizeof(float)];
    std::memcpy(bytes, &found, sizeof found);
    const bool equal_bytes = bytes[0] == bytes[1] && bytes[1] == bytes[2] && bytes[2] == bytes[3];
    if (found != value && equal_bytes) {
        char text[80];
        std::snprintf(text, sizeof text, "every byte is 0x%02x, which makes each element %g",
                      bytes[0], static_cast<double>(found));
        char wish[32];
        std::snprintf(wish, sizeof wish, "each element is %g", static_cast<double>(value));
        fail(Story("bytes-set", std::string(name) +
                                    " set the bytes of the elements to one value, not the "
                                    "elements.")
                 .steps_after(since.call())
                 .show("")
                 .expected(wish)
                 .found(text));
        return false;
    }
    return device.judge(wanted, since) && judge_directions(since);
}

TEST(Fill, SetsElementsNotBytes) {
    for (float value : {1.0f, -2.5f, 0.0f, 3.14159f, 1e30f}) {
        for (std::size_t count : {1001u, 1u, 3u}) {
            ASSERT_TRUE(judge_fill(count, value));
        }
    }
    ASSERT_TRUE(judge_fill(100003, 255.0f));
    const Window device(samples(16, 1), "device");
    ASSERT_TRUE(judge_edges({
        {"fill(nullptr, 1, 0)", [] { return fill(nullptr, 1, 0); }, cudaSuccess},
        {"fill(nullptr, 1, 16)", [] { return fill(nullptr, 1, 16); }, cudaErrorInvalidValue},
        {"fill(nullptr, 0, 16)", [] { return fill(nullptr, 0, 16); }, cudaErrorInvalidValue},
        {"fill(device, 1, too many)", [&] { return fill(device.get(), 1, impossible_count); },
         cudaErrorInvalidValue},
    }));
}

bool judge_sum(const std::vector<float>& contents, const std::string& why = "") {
    const std::size_t count = contents.size();
    const std::string name = "sum(device, " + std::to_string(count) + ", &total)";
    const Window device(contents, "device");
    const double poison = -123456789.125;
    double total = poison;
    const Moment since;
    const cudaError_t status = call([&] { return sum(device.get(), count, &total); });
    if (!judge_success(status, name, since)) {
        return false;
    }
    const double wanted = std::accumulate(contents.begin(), contents.end(), 0.0);
    if (total != wanted) {
        char right[64];
        char found[64];
        std::snprintf(right, sizeof right, "total is %.17g", wanted);
        std::snprintf(found, sizeof found, "total is %.17g", total);
        fail(Story(total == poison ? "out-not-set" : "wrong-sum",
                   total == poison ? name + " returned cudaSuccess and stored no sum."
                                   : name + " stored a wrong sum.")
                 .steps_after(since.call())
                 .expected(right)
                 .found(found)
                 .why(why));
        return false;
    }
    return device.judge(contents, since, "a sum only reads device memory") &&
           judge_directions(since);
}

TEST(Sum, AddsEveryElement) {
    for (std::size_t count : {1001u, 1u, 2u, 3u, 100003u}) {
        ASSERT_TRUE(judge_sum(samples(count, count)));
    }
    // After the first element a float would not change any more.
    std::vector<float> counted(1001, 1.0f);
    counted.front() = 16777216.0f;
    ASSERT_TRUE(judge_sum(counted, "a float can't hold 16777217; a double can"));

    double total = 5;
    {
        const Moment since;
        const cudaError_t status = call([&] { return sum(nullptr, 0, &total); });
        ASSERT_TRUE(judge_success(status, "sum(nullptr, 0, &total)", since));
        if (total != 0) {
            fail(Story("wrong-sum", "The sum of no elements was not 0.")
                     .expected("total is 0")
                     .found("total is " + std::to_string(total)));
            return;
        }
    }
    const Window device(samples(16, 1), "device");
    ASSERT_TRUE(judge_edges({
        {"sum(nullptr, 16, &total)", [&] { return sum(nullptr, 16, &total); },
         cudaErrorInvalidValue},
        {"sum(device, too many, &total)",
         [&] { return sum(device.get(), impossible_count, &total); }, cudaErrorInvalidValue},
        {"sum(device, 16, nullptr)", [&] { return sum(device.get(), 16, nullptr); },
         cudaErrorInvalidValue},
    }));
}

/// The arrays differ as little as floats can at each index of `differences`.
bool judge_compare(std::size_t count, const std::vector<std::size_t>& differences) {
    const std::string name = "compare(a, b, " + std::to_string(count) + ", &index)";
    const std::vector<float> left = samples(count, 6);
    std::vector<float> right = left;
    for (std::size_t index : differences) {
        right[index] = std::nextafter(right[index], 1e9f);
    }
    const Window a(left, "a");
    const Window b(right, "b");
    const std::size_t poison = 987654321;
    std::size_t index = poison;
    const Moment since;
    const cudaError_t status = call([&] { return compare(a.get(), b.get(), count, &index); });
    if (!judge_success(status, name, since)) {
        return false;
    }
    const std::size_t wanted = differences.empty() ? count : differences.front();
    if (index != wanted) {
        fail(Story(index == poison ? "out-not-set" : "wrong-index",
                   index == poison ? name + " returned cudaSuccess and stored no index."
                                   : name + " stored a wrong index.")
                 .step(differences.empty()
                           ? "the arrays are equal"
                           : "the arrays differ first at index " + std::to_string(wanted))
                 .steps_after(since.call())
                 .expected("index is " + std::to_string(wanted))
                 .found("index is " + std::to_string(index)));
        return false;
    }
    return a.judge(left, since, "comparing only reads") &&
           b.judge(right, since, "comparing only reads") && judge_directions(since);
}

TEST(Compare, FindsTheFirstDifference) {
    ASSERT_TRUE(judge_compare(1001, {500, 501, 1000}));
    ASSERT_TRUE(judge_compare(1001, {1000}));
    ASSERT_TRUE(judge_compare(1001, {0, 999}));
    ASSERT_TRUE(judge_compare(1001, {2, 700}));
    ASSERT_TRUE(judge_compare(1001, {}));
    ASSERT_TRUE(judge_compare(1, {}));
    ASSERT_TRUE(judge_compare(1, {0}));
    ASSERT_TRUE(judge_compare(100003, {99999}));
    {
        const Moment since;
        std::size_t index = 7;
        const cudaError_t status = call([&] { return compare(nullptr, nullptr, 0, &index); });
        ASSERT_TRUE(judge_success(status, "compare(nullptr, nullptr, 0, &index)", since));
        if (index != 0) {
            fail(Story("wrong-index", "Two arrays without elements did not compare as equal.")
                     .expected("index is 0, the number of elements")
                     .found("index is " + std::to_string(index)));
            return;
        }
    }
    const Window device(samples(16, 1), "device");
    std::size_t index = 0;
    ASSERT_TRUE(judge_edges({
        {"compare(nullptr, b, 16, &index)",
         [&] { return compare(nullptr, device.get(), 16, &index); }, cudaErrorInvalidValue},
        {"compare(a, nullptr, 16, &index)",
         [&] { return compare(device.get(), nullptr, 16, &index); }, cudaErrorInvalidValue},
        {"compare(a, b, too many, &index)",
         [&] { return compare(device.get(), device.get(), impossible_count, &index); },
         cudaErrorInvalidValue},
        {"compare(a, b, 16, nullptr)",
         [&] { return compare(device.get(), device.get(), 16, nullptr); }, cudaErrorInvalidValue},
    }));
}

struct Move {
    std::size_t count;
    std::size_t from;
    std::size_t to;
    std::size_t length;

    std::string name() const {
        return "copy_within(device, " + std::to_string(count) + ", " + std::to_string(from) + ", " +
               std::to_string(to) + ", " + std::to_string(length) + ")";
    }
};

bool judge_move(const Move& move) {
    const std::vector<float> before = samples(move.count, 8);
    std::vector<float> wanted = before;
    std::memmove(&wanted[move.to], &before[move.from], move.length * sizeof(float));
    const Window device(before, "device");
    const Moment since;
    const cudaError_t status = call(
        [&] { return copy_within(device.get(), move.count, move.from, move.to, move.length); });
    return judge_success(status, move.name(), since) && judge_no_overlap(since) &&
           device.judge(wanted, since) && judge_directions(since);
}

bool judge_refused_move(const Move& move) {
    const std::vector<float> before = samples(move.count, 8);
    const Window device(before, "device");
    const Moment since;
    const cudaError_t status = call(
        [&] { return copy_within(device.get(), move.count, move.from, move.to, move.length); });
    if (status == cudaSuccess) {
        fail(Story("not-refused", move.name() + " was not refused.")
                 .steps_after(since.call())
                 .expected("cudaErrorInvalidValue: a range leaves the array")
                 .found("cudaSuccess")
                 .why("what lies beyond the array belongs to somebody else"));
        return false;
    }
    return judge_status(status, cudaErrorInvalidValue, move.name(), since,
                        "a range leaves the array") &&
           device.judge(before, since, "a refused call changes nothing");
}

TEST(CopyWithin, SurvivesOverlap) {
    const Move moves[] = {
        {1009, 600, 100, 300},  // apart
        {1009, 0, 300, 700},    // overlapping, to the right
        {1009, 300, 0, 700},    // overlapping, to the left
        {1009, 0, 1, 200},        {1009, 1, 0, 200},        {1009, 17, 17, 50}, {1009, 0, 504, 505},
        {100003, 1, 4097, 90000}, {100003, 4097, 1, 90000}, {1, 0, 0, 1},
    };
    for (const Move& move : moves) {
        ASSERT_TRUE(judge_move(move));
    }
    const Move refused[] = {
        {1009, 1000, 0, 10},         {1009, 0, 1000, 10}, {1009, 0, 0, 1010},
        {1009, SIZE_MAX - 4, 3, 10},  // the sum of start and length is 5
        {1009, 3, SIZE_MAX - 4, 10},
    };
    for (const Move& move : refused) {
        ASSERT_TRUE(judge_refused_move(move));
    }
    const Window device(samples(16, 1), "device");
    ASSERT_TRUE(judge_edges({
        {"copy_within(nullptr, 0, 0, 0, 0)", [] { return copy_within(nullptr, 0, 0, 0, 0); },
         cudaSuccess},
        {"copy_within(device, 16, 3, 5, 0)", [&] { return copy_within(device.get(), 16, 3, 5, 0); },
         cudaSuccess},
        {"copy_within(nullptr, 16, 0, 4, 4)", [] { return copy_within(nullptr, 16, 0, 4, 4); },
         cudaErrorInvalidValue},
    }));
}

std::string place_text(Place place) {
    switch (place) {
        case Place::unregistered:
            return "Place::unregistered";
        case Place::pinned:
            return "Place::pinned";
        case Place::device:
            return "Place::device";
        case Place::managed:
            return "Place::managed";
    }
    return "no Place at all (" + std::to_string(static_cast<int>(place)) + ")";
}

bool judge_place(const void* pointer, Place wanted, const std::string& what) {
    const Moment since;
    const Place found = call([&] { return place_of(pointer); });
    if (found == wanted) {
        return true;
    }
    if (found == static_cast<Place>(-1)) {
        fail(Story("not-written-yet", "place_of is not written yet.")
                 .expected(place_text(wanted) + " for " + what));
        return false;
    }
    fail(Story("wrong-place",
               "place_of was asked about " + what + " and said " + place_text(found) + ".")
             .steps_after(since.call())
             .expected(place_text(wanted))
             .found(place_text(found)));
    return false;
}

/// Memory of one family, asked about at its first byte, inside, and after its release.
bool judge_family(const std::string& what, const std::function<cudaError_t(void**)>& make,
                  cudaError_t (*release)(void*), Place wanted) {
    void* memory = nullptr;
    if (make(&memory) != cudaSuccess) {
        ADD_FAILURE() << "this check could not allocate memory with " << what;
        return false;
    }
    auto* bytes = static_cast<char*>(memory);
    const bool right = judge_place(bytes, wanted, "memory from " + what) &&
                       judge_place(bytes + 1001, wanted, "the inside of memory from " + what) &&
                       judge_place(bytes + 4003, wanted, "the last byte of memory from " + what);
    cudaDeviceSynchronize();
    release(memory);
    return right &&
           judge_place(bytes, Place::unregistered, "memory from " + what + " that was released");
}

TEST(Place, IsToldForEveryKind) {
    constexpr std::size_t bytes = 4004;
    static float in_static_storage = 0;
    float on_the_stack = 0;
    const std::vector<float> on_the_heap(1001);
    ASSERT_TRUE(judge_family(
        "cudaMalloc", [](void** out) { return cudaMalloc(out, bytes); }, cudaFree, Place::device));
    ASSERT_TRUE(judge_place(&on_the_stack, Place::unregistered, "a variable on the stack"));
    ASSERT_TRUE(judge_place(&on_the_heap[500], Place::unregistered, "memory from new"));
    ASSERT_TRUE(judge_place(&in_static_storage, Place::unregistered, "a static variable"));
    ASSERT_TRUE(judge_place(nullptr, Place::unregistered, "null"));
    ASSERT_TRUE(judge_family(
        "cudaMallocHost", [](void** out) { return cudaMallocHost(out, bytes); }, cudaFreeHost,
        Place::pinned));
    ASSERT_TRUE(judge_family(
        "cudaHostAlloc", [](void** out) { return cudaHostAlloc(out, bytes, cudaHostAllocMapped); },
        cudaFreeHost, Place::pinned));
    ASSERT_TRUE(judge_family(
        "cudaMallocManaged",
        [](void** out) { return cudaMallocManaged(out, bytes, cudaMemAttachGlobal); }, cudaFree,
        Place::managed));
    ASSERT_TRUE(judge_family(
        "cudaMallocPitch",
        [](void** out) {
            std::size_t pitch = 0;
            return cudaMallocPitch(out, &pitch, bytes, 7);
        },
        cudaFree, Place::device));

    void* ordered = nullptr;
    ASSERT_EQ(cudaMallocAsync(&ordered, bytes, cudaStream_t{}), cudaSuccess);
    cudaDeviceSynchronize();
    ASSERT_TRUE(judge_place(ordered, Place::device, "memory from cudaMallocAsync"));
    cudaFree(ordered);
}

// ---- failures and repetition --------------------------------------------------------------------

/// One use of a function of the lab, and a look at its result.
struct Use {
    std::string name;
    std::function<void()> prepare;
    std::function<cudaError_t()> call;
    std::function<bool()> right;  ///< the result is what it should be
};

struct Live {
    std::size_t blocks = 0;
    std::size_t handles = 0;
};

Live live_since(const Moment& since) {
    return {since.still_live().size(), since.handles_still_live().size()};
}

bool judge_not_more(const Live& before, const Moment& since, const std::string& after_what,
                    const std::string& why) {
    const Live now = live_since(since);
    if (now.blocks <= before.blocks && now.handles <= before.handles) {
        return true;
    }
    return judge_no_leaks(since, after_what, why);
}

/// Repeating a use adds nothing to what is kept.
bool judge_repetition(const Use& use) {
    use.prepare();
    const Moment since;
    call(use.call);
    const cudaError_t status = call(use.call);
    if (!judge_success(status, use.name, since)) {
        return false;
    }
    const Live second = live_since(since);
    call(use.call);
    return judge_not_more(second, since, "calling " + use.name + " three times",
                          "each call keeps more than the one before");
}

bool judge_failures(const Use& use) {
    return sweep_failures([&](FailureCase& failure) {
        use.prepare();
        const Moment since;
        session().clear_last_error();
        failure.arm();
        const cudaError_t status = learner(use.call);
        failure.disarm();
        if (!failure.fired()) {
            return;
        }
        if (status == cudaSuccess) {
            if (!use.right()) {
                fail(Story("error-not-reported",
                           use.name + " returned cudaSuccess, but a runtime call of it failed and "
                                      "the result is wrong.")
                         .steps_after(since.call())
                         .expected(error_text(failure.error()))
                         .found("cudaSuccess")
                         .why(failure.condition()));
            }
            return;
        }
        ASSERT_TRUE(judge_status(status, failure.error(), use.name, since, failure.condition()));
        if (failure.sticky()) {
            return;
        }
        // What is kept on purpose is there after a success; the next failure must not add to it.
        const std::string condition = failure.condition();
        call(use.call);
        const Live before = live_since(since);
        session().clear_last_error();
        failure.arm();
        learner(use.call);
        failure.disarm();
        call(use.call);
        ASSERT_TRUE(judge_not_more(before, since, use.name + " failed", condition));
    });
}

TEST(Failure, IsReportedAndLeavesNothing) {
    const std::size_t count = 1001;
    const std::vector<float> contents = samples(count, 1);
    std::vector<float> moved = contents;
    std::memmove(&moved[300], &contents[0], 700 * sizeof(float));
    std::vector<float> different = contents;
    different[900] += 1;

    HostArray<float> host(count, "host");
    const Window device(contents, "device");
    const Window other(different, "other");
    double total = 0;
    std::size_t index = 0;
    const auto restore_device = [&] {
        EXPECT_TRUE(write_device(device.get(), contents.data(), count * sizeof(float)));
    };
    const Use uses[] = {
        {"upload(device, host, 1001)",
         [&] {
             restore_device();
             std::copy(different.begin(), different.end(), host.begin());
         },
         [&] { return upload(device.get(), host.data(), count); },
         [&] { return device.contents() == different; }},
        {"download(host, device, 1001)",
         [&] {
             restore_device();
             host.fill_bytes(0xa5);
         },
         [&] { return download(host.data(), device.get(), count); },
         [&] { return std::equal(contents.begin(), contents.end(), host.begin()); }},
        {"fill(device, 2.5, 1001)", restore_device, [&] { return fill(device.get(), 2.5f, count); },
         [&] { return device.contents() == std::vector<float>(count, 2.5f); }},
        {"sum(device, 1001, &total)",
         [&] {
             restore_device();
             total = -1;
         },
         [&] { return sum(device.get(), count, &total); },
         [&] { return total == std::accumulate(contents.begin(), contents.end(), 0.0); }},
        {"compare(device, other, 1001, &index)",
         [&] {
             restore_device();
             index = 77777;
         },
         [&] { return compare(device.get(), other.get(), count, &index); },
         [&] { return index == 900; }},
        {"copy_within(device, 1001, 0, 300, 700)", restore_device,
         [&] { return copy_within(device.get(), count, 0, 300, 700); },
         [&] { return device.contents() == moved; }},
    };
    for (const Use& use : uses) {
        ASSERT_TRUE(judge_repetition(use));
        ASSERT_TRUE(judge_failures(use));
    }
    ASSERT_TRUE(sweep_failures([&](FailureCase& failure) {
        const Moment since;
        session().clear_last_error();
        failure.arm();
        const Place place = learner([&] { return place_of(device.get()); });
        failure.disarm();
        if (failure.fired() && place != Place::unregistered && place != Place::device) {
            fail(Story("wrong-place",
                       "place_of could not ask the runtime and said " + place_text(place) + ".")
                     .steps_after(since.call())
                     .expected("Place::unregistered when the runtime can't say")
                     .found(place_text(place))
                     .why(failure.condition()));
        }
    }));
}

}  // namespace
}  // namespace vram::checks
