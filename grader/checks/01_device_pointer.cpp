// Lab 01: memory that is handed out through pointers, structs and a table on the device.
#include "device_pointer.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "grader/checks/support/announcement.h"
#include "grader/checks/support/device_access.h"
#include "grader/checks/support/failure_sweep.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/verdict.h"

namespace vram::checks {
namespace {

/// What the contract allows a call to ask for beyond what the contents need, in bytes.
constexpr std::size_t spare_bytes = 512;

/// Enough for the largest request of these checks, so that a right one is not refused here.
constexpr std::size_t large_capacity = std::size_t{64} << 30;

/// What an out-parameter holds before a call: nothing that anybody could use.
template <class T>
T* garbage() {
    return reinterpret_cast<T*>(std::uintptr_t{0x5eed5eed5eed5eed});
}

/// Runs the learner's code with a clean last-error slot, so that it reads its own errors only.
template <class Function>
auto call(Function&& function) {
    session().clear_last_error();
    return learner(std::forward<Function>(function));
}

/// A call with a null argument that some programs do not survive; `name` is told if so.
template <class Function>
cudaError_t call_with_null(const std::string& name, Function&& function) {
    const Announcement announcement(name);
    return call(std::forward<Function>(function));
}

bool judge_written(cudaError_t status, const std::string& name) {
    if (status != cudaErrorNotYetImplemented) {
        return true;
    }
    fail(Story("not-written-yet",
               name + " is not written yet: it returned cudaErrorNotYetImplemented.")
             .expected("the memory that the contract promises")
             .found("nothing was done"));
    return false;
}

bool judge_success(cudaError_t status, const std::string& name, const Moment& since) {
    return judge_written(status, name) && judge_status(status, cudaSuccess, name, since);
}

/// A refused call: cudaErrorInvalidValue, and no memory was asked for.
bool judge_refused(cudaError_t status, const std::string& name, const Moment& since,
                   const std::string& why) {
    if (!judge_written(status, name)) {
        return false;
    }
    if (since.count_allocations() == 0 && status != cudaSuccess) {
        return judge_status(status, cudaErrorInvalidValue, name, since, why);
    }
    fail(Story("not-refused", name + " was not refused: " +
                                  (status == cudaSuccess ? "it returned cudaSuccess."
                                                         : "it asked the runtime for memory."))
             .steps_after(since.call())
             .expected("cudaErrorInvalidValue, before any memory is asked for")
             .found(error_text(status))
             .why(why));
    return false;
}

/// The live learner allocation that `pointer` points into, with `pointer`'s offset in it.
struct Target {
    runtime::AllocationRecord allocation;
    std::size_t offset = 0;

    bool exists() const { return allocation.id != 0; }
    std::size_t bytes() const { return allocation.bytes - offset; }
};

Target target_of(const void* pointer) {
    const runtime::ClassifiedPointer classified = session().classify(pointer);
    const bool inside =
        classified.place == runtime::Place::base || classified.place == runtime::Place::interior;
    if (!inside) {
        return {};
    }
    return {session().allocation(classified.allocation), classified.offset};
}

bool is_device_memory(const runtime::AllocationRecord& allocation) {
    switch (allocation.family) {
        case runtime::Family::pinned:
        case runtime::Family::registered:
        case runtime::Family::array:
            return false;
        default:
            return true;
    }
}

/// `pointer` leads into live device memory that was handed out since then.
bool judge_handed_out(const void* pointer, const std::string& name, const Moment& since) {
    const Target target = target_of(pointer);
    if (target.exists() && is_device_memory(target.allocation)) {
        if (target.allocation.made_by > since.call()) {
            return true;
        }
        fail(Story("not-separate", name + " leads into memory that was handed out before.")
                 .step(target.allocation.made_by)
                 .show("the memory was allocated here, for an earlier call")
                 .expected("every call hands out memory of its own"));
        return false;
    }

    const auto lost = since.still_live();
    const bool unchanged = pointer == garbage<void>() || pointer == nullptr;
    if (unchanged && !lost.empty()) {
        fail(Story("out-not-set", "The allocation succeeded, but its address did not reach " +
                                      name + ": it went to another variable.")
                 .step(lost.front().made_by)
                 .show("this call stored the address, not in the caller's variable")
                 .expected(name + " is " + address_text(reinterpret_cast<void*>(lost.front().base)))
                 .found(pointer == nullptr ? name + " is null"
                                           : name + " holds what it held before the call"));
    } else if (unchanged) {
        fail(Story("out-not-set", name + " does not lead to any memory, and cudaSuccess was "
                                         "returned.")
                 .steps_after(since.call())
                 .expected(name + " is an address that the runtime handed out")
                 .found(pointer == nullptr ? name + " is null"
                                           : name + " holds what it held before the call"));
    } else {
        const std::string place =
            target.exists()
                ? "host memory from " + std::string(runtime::family_name(target.allocation.family))
                : runtime::place_name(session().classify(pointer).place);
        fail(Story("not-device-memory", name + " is not the address of live device memory.")
                 .steps_after(since.call())
                 .expected(name + " is an address that the runtime handed out")
                 .found(name + " is " + address_text(pointer) + ": " + place));
    }
    return false;
}

/// What `name` needs, in words: "1001 floats, 4004 bytes".
struct Need {
    std::size_t elements;
    std::size_t element_bytes;
    const char* noun;

    std::size_t bytes() const { return elements * element_bytes; }
    std::string text() const {
        return std::to_string(elements) + " " + noun + " of " + std::to_string(element_bytes) +
               " bytes: " + std::to_string(bytes()) + " bytes";
    }
};

Need floats(std::size_t count) {
    return {count, sizeof(float), "floats"};
}

bool judge_room(const void* pointer, const std::string& name, const Need& need) {
    const Target target = target_of(pointer);
    if (target.bytes() >= need.bytes()) {
        return true;
    }
    fail(Story("too-small", "The memory behind " + name + " has " + std::to_string(target.bytes()) +
                                " bytes; " + std::to_string(need.bytes()) + " are needed.")
             .step(target.allocation.made_by)
             .show("")
             .expected(need.text())
             .found(std::to_string(target.bytes()) + " bytes")
             .why("the runtime counts bytes"));
    return false;
}

/// All that was allocated since then is not much more than `needed` bytes.
bool judge_thrift(std::size_t needed, const std::string& name, const Moment& since) {
    const auto blocks = since.still_live();
    std::size_t bytes = 0;
    for (const auto& block : blocks) {
        bytes += block.bytes;
    }
    if (bytes <= needed + spare_bytes) {
        return true;
    }
    Story story("too-large", name + " allocated " + std::to_string(bytes) +
                                 " bytes for contents of " + std::to_string(needed) + " bytes.");
    for (const auto& block : blocks) {
        story.step(block.made_by);
    }
    fail(story.show("")
             .expected("at most " + std::to_string(needed + spare_bytes) + " bytes")
             .found(std::to_string(bytes) + " bytes"));
    return false;
}

bool judge_block(const void* pointer, const std::string& name, const Need& need,
                 const Moment& since) {
    return judge_handed_out(pointer, name, since) && judge_room(pointer, name, need);
}

bool judge_no_memory(const std::string& name, const Moment& since) {
    const auto blocks = since.still_live();
    if (blocks.empty()) {
        return true;
    }
    fail(Story("memory-for-nothing", name + " allocated " + std::to_string(blocks.front().bytes) +
                                         " bytes for contents without elements.")
             .step(blocks.front().made_by)
             .show("")
             .expected("no memory for zero elements"));
    return false;
}

bool overlap(const void* first, std::size_t first_bytes, const void* second,
             std::size_t second_bytes) {
    const auto a = reinterpret_cast<std::uintptr_t>(first);
    const auto b = reinterpret_cast<std::uintptr_t>(second);
    return a < b + second_bytes && b < a + first_bytes;
}

/// A request too large for some GPUs: granted in full, or refused by the runtime although the right
/// number of bytes was asked for.
/// Releases a block that was handed out, so that large ones find room. It is the check that does so:
/// whether the learner's own release works is another question.
void give_back(void* block) {
    cudaFree(block);
}

bool judge_large(cudaError_t status, const void* pointer, const std::string& name, const Need& need,
                 const Moment& since) {
    if (status == cudaSuccess) {
        return judge_block(pointer, name, need, since) &&
               judge_thrift(need.bytes(), "the call", since);
    }
    std::uint64_t asked = 0;
    runtime::CallNumber number = 0;
    for (const auto& made : since.calls()) {
        if (runtime::allocates(made.entry) && made.result != cudaSuccess) {
            asked = made.arguments[1];
            number = made.number;
        }
    }
    if (asked >= need.bytes() && asked <= need.bytes() + spare_bytes) {
        return true;
    }
    fail(Story(asked < need.bytes() ? "too-small" : "too-large",
               "For " + name + ", " + std::to_string(asked) + " bytes were asked for; " +
                   std::to_string(need.bytes()) + " are needed.")
             .step(number)
             .show("")
             .expected(need.text())
             .found(std::to_string(asked) + " bytes")
             .why("the product is larger than the type in which it was computed can hold"));
    return false;
}

/// After a call that failed because a runtime call of it was made to fail.
bool judge_reported(const FailureCase& failure, cudaError_t status, const std::string& name,
                    const Moment& since) {
    return judge_status(status, failure.error(), name, since, failure.condition());
}

/// A failed call keeps no memory. After a sticky error nothing can be released any more.
bool judge_nothing_kept(const FailureCase& failure, const std::string& name, const Moment& since) {
    return failure.sticky() || judge_no_leaks(since, name + " failed", failure.condition());
}

/// A call that returned cudaSuccess although one of its runtime calls failed, and whose results are
/// not what they should be.
void fail_as_not_reported(const FailureCase& failure, const std::string& name,
                          const Moment& since) {
    fail(Story("error-not-reported", name +
                                         " returned cudaSuccess, but a runtime call of it failed "
                                         "and the result is not usable.")
             .steps_after(since.call())
             .expected(error_text(failure.error()))
             .found("cudaSuccess")
             .why(failure.condition()));
}

bool usable(const void* pointer, std::size_t bytes) {
    const Target target = target_of(pointer);
    return target.exists() && is_device_memory(target.allocation) && target.bytes() >= bytes;
}

/// A block of the harness that no release has anything to do with.
class Bystander {
  public:
    bool judge_alive(const std::string& after_what, const Moment& since) const {
        if (target_of(memory_.get()).exists()) {
            return true;
        }
        fail(Story("other-block-lost",
                   "After " + after_what + ", memory that it was not given is gone.")
                 .steps_after(since.call())
                 .expected("only what was passed in is released"));
        return false;
    }

  private:
    DeviceBytes memory_{256};
};

// ---- matrices and row tables --------------------------------------------------------------------

Matrix garbage_matrix() {
    return {garbage<float>(), 77, 77};
}

RowTable garbage_table() {
    return {garbage<float*>(), garbage<float>(), 77, 77};
}

bool judge_dimensions(int rows, int cols, int wanted_rows, int wanted_cols, const std::string& name,
                      const Moment& since, const std::string& why = "") {
    if (rows == wanted_rows && cols == wanted_cols) {
        return true;
    }
    fail(Story("wrong-dimensions", name + " has the dimensions " + std::to_string(rows) + " x " +
                                       std::to_string(cols) + ".")
             .steps_after(since.call())
             .expected(std::to_string(wanted_rows) + " x " + std::to_string(wanted_cols))
             .found(std::to_string(rows) + " x " + std::to_string(cols))
             .why(why));
    return false;
}

bool judge_empty(const Matrix& matrix, const Moment& since, const std::string& why = "") {
    return judge_null(matrix.data, "matrix.data", since, why) &&
           judge_dimensions(matrix.rows, matrix.cols, 0, 0, "the empty matrix", since, why);
}

bool judge_empty(const RowTable& table, const Moment& since, const std::string& why = "") {
    return judge_null(table.row_start, "table.row_start", since, why) &&
           judge_null(table.data, "table.data", since, why) &&
           judge_dimensions(table.rows, table.cols, 0, 0, "the empty table", since, why);
}

std::size_t elements(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

std::string shape(const char* name, int rows, int cols) {
    return std::string(name) + ", " + std::to_string(rows) + ", " + std::to_string(cols) + ")";
}

cudaError_t call_make_matrix(Matrix* matrix, int rows, int cols) {
    return call([&] { return make_matrix(matrix, rows, cols); });
}

cudaError_t call_make_row_table(RowTable* table, int rows, int cols) {
    return call([&] { return make_row_table(table, rows, cols); });
}

bool judge_matrix(const Matrix& matrix, int rows, int cols, const Moment& since) {
    return judge_block(matrix.data, "matrix.data", floats(elements(rows, cols)), since) &&
           judge_dimensions(matrix.rows, matrix.cols, rows, cols, "the matrix", since);
}

/// The first row whose entry in the table on the device is not its address; `rows` if none.
int first_wrong_row(const RowTable& table, std::vector<float*>& entries) {
    entries = read_device_array<float*>(table.row_start, static_cast<std::size_t>(table.rows));
    if (entries.empty()) {
        return 0;
    }
    int row = 0;
    while (row < table.rows && entries[row] == table.data + elements(row, table.cols)) {
        ++row;
    }
    return row;
}

bool judge_rows(const RowTable& table, const Moment& since) {
    std::vector<float*> entries;
    const int row = first_wrong_row(table, entries);
    if (row == table.rows) {
        return true;
    }
    const std::string name = "row_start[" + std::to_string(row) + "]";
    fail(Story("wrong-row-address",
               "In the table on the device, " + name + " is not the address of its row.")
             .steps_after(since.call())
             .expected(name + " is " + address_text(table.data + elements(row, table.cols)) + ", " +
                       std::to_string(elements(row, table.cols)) + " floats behind data")
             .found(entries.empty() ? "the table can't be read"
                                    : name + " is " + address_text(entries[row])));
    return false;
}

/// Writes each row through its entry in the table and reads the data as one piece.
bool judge_data_through_rows(const RowTable& table, const Moment& since) {
    const auto width = static_cast<std::size_t>(table.cols);
    std::vector<float*> entries;
    first_wrong_row(table, entries);
    std::vector<float> wanted(elements(table.rows, table.cols));
    for (std::size_t index = 0; index < wanted.size(); ++index) {
        wanted[index] = static_cast<float>(index) + 0.5f;
    }
    bool written = true;
    for (std::size_t row = 0; row < entries.size(); ++row) {
        written =
            written && write_device(entries[row], &wanted[row * width], width * sizeof(float));
    }
    if (written && read_device_array<float>(table.data, wanted.size()) == wanted) {
        return true;
    }
    fail(
        Story("wrong-row-address", "What is written through the row table does not arrive in data.")
            .steps_after(since.call())
            .expected("row r of data is where entry r of the table points"));
    return false;
}

bool judge_table(const RowTable& table, int rows, int cols, const Moment& since) {
    const Need starts{static_cast<std::size_t>(rows), sizeof(float*), "pointers"};
    return judge_block(table.data, "table.data", floats(elements(rows, cols)), since) &&
           judge_block(table.row_start, "table.row_start", starts, since) &&
           judge_dimensions(table.rows, table.cols, rows, cols, "the table", since) &&
           judge_rows(table, since);
}

bool usable_table(const RowTable& table, int rows, int cols) {
    std::vector<float*> entries;
    return table.rows == rows && table.cols == cols &&
           usable(table.data, elements(rows, cols) * sizeof(float)) &&
           usable(table.row_start, static_cast<std::size_t>(rows) * sizeof(float*)) &&
           first_wrong_row(table, entries) == rows;
}

// ---- the checks ---------------------------------------------------------------------------------

TEST(Array, AddressReachesTheCaller) {
    const Moment since;
    float* array = garbage<float>();
    const cudaError_t status = call([&] { return make_array(&array, 1001); });
    ASSERT_TRUE(judge_success(status, "make_array(&array, 1001)", since));
    ASSERT_TRUE(judge_handed_out(array, "array", since));

    // Null is no better a value to start from than garbage, and a second call shares nothing.
    const Moment later;
    float* other = nullptr;
    const cudaError_t again = call([&] { return make_array(&other, 1001); });
    ASSERT_TRUE(judge_success(again, "make_array(&other, 1001)", later));
    ASSERT_TRUE(judge_handed_out(other, "other", later));
}

TEST(Array, HoldsEveryElement) {
    for (std::size_t count : {1001u, 1u, 3u, 65537u, 1048583u}) {
        const Moment since;
        const std::string name = "make_array(&array, " + std::to_string(count) + ")";
        float* array = garbage<float>();
        const cudaError_t status = call([&] { return make_array(&array, count); });
        ASSERT_TRUE(judge_success(status, name, since));
        ASSERT_TRUE(judge_block(array, "array", floats(count), since));
        ASSERT_TRUE(judge_thrift(count * sizeof(float), name, since));
        give_back(array);
    }

    // Its bytes do not fit into 32 bits.
    session().set_capacity(large_capacity);
    const Moment since;
    const std::size_t count = (std::size_t{1} << 30) + 3;
    float* array = garbage<float>();
    const cudaError_t status = call([&] { return make_array(&array, count); });
    ASSERT_TRUE(judge_large(status, array, "array", floats(count), since));
    if (status == cudaSuccess) {
        give_back(array);
    }
}

void array_fails_without_trace(FailureCase& failure) {
    const std::string name = "make_array(&array, 1001)";
    const Moment since;
    float* array = garbage<float>();
    session().clear_last_error();
    failure.arm();
    const cudaError_t status = learner([&] { return make_array(&array, 1001); });
    failure.disarm();
    if (!failure.fired()) {
        return;
    }
    if (status == cudaSuccess) {
        if (!usable(array, 1001 * sizeof(float))) {
            fail_as_not_reported(failure, name, since);
        }
        return;
    }
    ASSERT_TRUE(judge_reported(failure, status, name, since));
    ASSERT_TRUE(judge_null(array, "array", since, failure.condition()));
    ASSERT_TRUE(judge_nothing_kept(failure, name, since));
}

TEST(Array, ZeroAndImpossibleCounts) {
    {
        const Moment since;
        float* array = garbage<float>();
        const cudaError_t status = call([&] { return make_array(&array, 0); });
        ASSERT_TRUE(judge_success(status, "make_array(&array, 0)", since));
        ASSERT_TRUE(judge_no_memory("make_array(&array, 0)", since));
        ASSERT_TRUE(judge_null(array, "array", since, "an array without elements has no address"));
    }
    const std::size_t most = SIZE_MAX / sizeof(float);
    for (std::size_t count : {most + 1, most + 2, most + 1001, SIZE_MAX / 2, SIZE_MAX}) {
        const Moment since;
        float* array = garbage<float>();
        const std::string name = "make_array(&array, " + std::to_string(count) + ")";
        const cudaError_t status = call([&] { return make_array(&array, count); });
        ASSERT_TRUE(
            judge_refused(status, name, since,
                          "its bytes do not fit into size_t; the product is a small number"));
        ASSERT_TRUE(judge_null(array, "array", since));
    }
    {
        // It fits into size_t, but into no GPU.
        const Moment since;
        float* array = garbage<float>();
        const std::size_t count = std::size_t{1} << 60;
        const cudaError_t status = call([&] { return make_array(&array, count); });
        cudaError_t refusal = cudaErrorMemoryAllocation;
        for (const auto& made : since.calls()) {
            if (runtime::allocates(made.entry) && made.result != cudaSuccess) {
                refusal = static_cast<cudaError_t>(made.result);
            }
        }
        ASSERT_TRUE(judge_reports_failure(status, "make_array(&array, 1 << 60)", since));
        ASSERT_TRUE(judge_status(status, refusal, "make_array(&array, 1 << 60)", since,
                                 "the code of the call that failed is what the caller hears"));
        ASSERT_TRUE(judge_null(array, "array", since));
    }
    ASSERT_TRUE(sweep_failures(array_fails_without_trace));
    {
        const Moment since;
        const cudaError_t status =
            call_with_null("make_array(nullptr, 16)", [] { return make_array(nullptr, 16); });
        ASSERT_TRUE(judge_refused(status, "make_array(nullptr, 16)", since,
                                  "there is no variable to store an address in"));
    }
}

void array_release_fails(FailureCase& failure) {
    const std::string name = "free_array(&array)";
    const Moment since;
    float* array = garbage<float>();
    const cudaError_t made = call([&] { return make_array(&array, 1001); });
    ASSERT_TRUE(judge_success(made, "make_array(&array, 1001)", since));
    failure.arm();
    const cudaError_t status = learner([&] { return free_array(&array); });
    failure.disarm();
    if (failure.fired()) {
        ASSERT_TRUE(judge_reported(failure, status, name, since));
        ASSERT_TRUE(judge_null(array, "array", since, failure.condition()));
    }
}

TEST(Array, IsReleasedOnce) {
    const Bystander other;
    const Moment since;
    float* array = garbage<float>();
    const cudaError_t made = call([&] { return make_array(&array, 1001); });
    ASSERT_TRUE(judge_success(made, "make_array(&array, 1001)", since));
    ASSERT_TRUE(judge_handed_out(array, "array", since));

    const cudaError_t status = call([&] { return free_array(&array); });
    ASSERT_TRUE(judge_success(status, "free_array(&array)", since));
    ASSERT_TRUE(judge_no_leaks(since, "free_array(&array)"));
    ASSERT_TRUE(judge_null(array, "array", since, "the next release would be of somebody else's"));
    ASSERT_TRUE(other.judge_alive("free_array(&array)", since));

    const Moment later;
    const cudaError_t again = call([&] { return free_array(&array); });
    ASSERT_TRUE(judge_success(again, "the second free_array(&array)", later));
    ASSERT_TRUE(judge_null(array, "array", later));

    SweepOptions releases;
    releases.eligible = runtime::releases;
    ASSERT_TRUE(sweep_failures(array_release_fails, releases));

    const Moment last;
    const cudaError_t nothing =
        call_with_null("free_array(nullptr)", [] { return free_array(nullptr); });
    ASSERT_TRUE(judge_success(nothing, "free_array(nullptr)", last));
}

void pair_fails_without_trace(FailureCase& failure) {
    const std::string name = "make_pair(&image, 1001, &mask, 37)";
    const Moment since;
    float* image = garbage<float>();
    float* mask = garbage<float>();
    session().clear_last_error();
    failure.arm();
    const cudaError_t status = learner([&] { return make_pair(&image, 1001, &mask, 37); });
    failure.disarm();
    if (!failure.fired()) {
        return;
    }
    if (status == cudaSuccess) {
        if (!usable(image, 1001 * sizeof(float)) || !usable(mask, 37 * sizeof(float))) {
            fail_as_not_reported(failure, name, since);
        }
        return;
    }
    ASSERT_TRUE(judge_reported(failure, status, name, since));
    ASSERT_TRUE(judge_null(image, "image", since, failure.condition()));
    ASSERT_TRUE(judge_null(mask, "mask", since, failure.condition()));
    ASSERT_TRUE(judge_nothing_kept(failure, name, since));
}

TEST(Pair, BothOrNeither) {
    const std::pair<std::size_t, std::size_t> counts[] = {{37, 100003}, {100003, 37}, {1001, 1001},
                                                          {0, 64},      {64, 0},      {0, 0}};
    for (const auto& [image_count, mask_count] : counts) {
        const std::string name = "make_pair(&image, " + std::to_string(image_count) + ", &mask, " +
                                 std::to_string(mask_count) + ")";
        const Moment since;
        float* image = garbage<float>();
        float* mask = garbage<float>();
        const cudaError_t status = call([&, image_count = image_count, mask_count = mask_count] {
            return make_pair(&image, image_count, &mask, mask_count);
        });
        ASSERT_TRUE(judge_success(status, name, since));
        ASSERT_TRUE(image_count == 0 ? judge_null(image, "image", since)
                                     : judge_block(image, "image", floats(image_count), since));
        ASSERT_TRUE(mask_count == 0 ? judge_null(mask, "mask", since)
                                    : judge_block(mask, "mask", floats(mask_count), since));
        if (overlap(image, image_count * sizeof(float), mask, mask_count * sizeof(float))) {
            fail(Story("not-separate", "image and mask lead into the same memory.")
                     .steps_after(since.call())
                     .expected("what is written to the image does not change the mask")
                     .found("image is " + address_text(image) + ", mask is " + address_text(mask)));
            return;
        }
        const std::size_t bytes = (image_count + mask_count) * sizeof(float);
        ASSERT_TRUE(bytes > 0 ? judge_thrift(bytes, name, since) : judge_no_memory(name, since));
    }
    {
        const Moment since;
        float* image = garbage<float>();
        float* mask = garbage<float>();
        const std::size_t impossible = SIZE_MAX / sizeof(float) + 2;
        const cudaError_t status = call([&] { return make_pair(&image, 1001, &mask, impossible); });
        ASSERT_TRUE(judge_refused(status, "make_pair(&image, 1001, &mask, too many)", since,
                                  "the mask's bytes do not fit into size_t"));
        ASSERT_TRUE(judge_null(image, "image", since));
        ASSERT_TRUE(judge_null(mask, "mask", since));
    }
    ASSERT_TRUE(sweep_failures(pair_fails_without_trace));
    {
        const Moment since;
        float* image = garbage<float>();
        const cudaError_t status = call_with_null("make_pair(&image, 16, nullptr, 16)", [&] {
            return make_pair(&image, 16, nullptr, 16);
        });
        ASSERT_TRUE(judge_refused(status, "make_pair(&image, 16, nullptr, 16)", since,
                                  "there is no variable for the mask"));
        ASSERT_TRUE(judge_null(image, "image", since));
        float* mask = garbage<float>();
        const cudaError_t other = call_with_null("make_pair(nullptr, 16, &mask, 16)",
                                                 [&] { return make_pair(nullptr, 16, &mask, 16); });
        ASSERT_TRUE(judge_refused(other, "make_pair(nullptr, 16, &mask, 16)", since,
                                  "there is no variable for the image"));
        ASSERT_TRUE(judge_null(mask, "mask", since));
    }
}

void matrix_fails_without_trace(FailureCase& failure) {
    const std::string name = "make_matrix(&matrix, 37, 11)";
    const Moment since;
    Matrix matrix = garbage_matrix();
    session().clear_last_error();
    failure.arm();
    const cudaError_t status = learner([&] { return make_matrix(&matrix, 37, 11); });
    failure.disarm();
    if (!failure.fired()) {
        return;
    }
    if (status == cudaSuccess) {
        if (!usable(matrix.data, 37 * 11 * sizeof(float))) {
            fail_as_not_reported(failure, name, since);
        }
        return;
    }
    ASSERT_TRUE(judge_reported(failure, status, name, since));
    ASSERT_TRUE(judge_empty(matrix, since, failure.condition()));
    ASSERT_TRUE(judge_nothing_kept(failure, name, since));
}

TEST(Matrix, DimensionsBecomeBytes) {
    for (const auto& [rows, cols] : {std::pair{37, 1001}, {1001, 37}, {1, 1}, {1, 4099}}) {
        const std::string name = shape("make_matrix(&matrix", rows, cols);
        const Moment since;
        Matrix matrix = garbage_matrix();
        const cudaError_t status = call_make_matrix(&matrix, rows, cols);
        ASSERT_TRUE(judge_success(status, name, since));
        ASSERT_TRUE(judge_matrix(matrix, rows, cols, since));
        ASSERT_TRUE(judge_thrift(elements(rows, cols) * sizeof(float), name, since));
        give_back(matrix.data);
    }
    for (const auto& [rows, cols] : {std::pair{0, 5}, {5, 0}, {0, 0}}) {
        const std::string name = shape("make_matrix(&matrix", rows, cols);
        const Moment since;
        Matrix matrix = garbage_matrix();
        const cudaError_t status = call_make_matrix(&matrix, rows, cols);
        ASSERT_TRUE(judge_success(status, name, since));
        ASSERT_TRUE(judge_no_memory(name, since));
        ASSERT_TRUE(judge_empty(matrix, since));
    }
    for (const auto& [rows, cols] :
         {std::pair{-1, 7}, {7, -1}, {-3, -5}, {INT_MIN, INT_MIN}, {0, -1}, {-1, 0}}) {
        const Moment since;
        Matrix matrix = garbage_matrix();
        const cudaError_t status = call_make_matrix(&matrix, rows, cols);
        ASSERT_TRUE(judge_refused(status, shape("make_matrix(&matrix", rows, cols), since,
                                  "no matrix has a negative number of rows or columns"));
        ASSERT_TRUE(judge_empty(matrix, since));
    }
    session().set_capacity(large_capacity);
    // The first product is 65536 in int, the second one is negative.
    for (const auto& [rows, cols] : {std::pair{65536, 65537}, {46341, 46341}}) {
        const Moment since;
        Matrix matrix = garbage_matrix();
        const cudaError_t status = call_make_matrix(&matrix, rows, cols);
        ASSERT_TRUE(
            judge_large(status, matrix.data, "matrix.data", floats(elements(rows, cols)), since));
        if (status == cudaSuccess) {
            give_back(matrix.data);
        }
    }
    ASSERT_TRUE(sweep_failures(matrix_fails_without_trace));

    const Moment since;
    const cudaError_t status =
        call_with_null("make_matrix(nullptr, 3, 4)", [] { return make_matrix(nullptr, 3, 4); });
    ASSERT_TRUE(judge_refused(status, "make_matrix(nullptr, 3, 4)", since, "there is no struct"));
}

TEST(RowTable, EveryRowIsReachable) {
    for (const auto& [rows, cols] : {std::pair{5, 7}, {37, 1001}, {1, 300}, {300, 1}}) {
        const std::string name = shape("make_row_table(&table", rows, cols);
        const Moment since;
        RowTable table = garbage_table();
        const cudaError_t status = call_make_row_table(&table, rows, cols);
        ASSERT_TRUE(judge_success(status, name, since));
        ASSERT_TRUE(judge_table(table, rows, cols, since));
        const std::size_t data_bytes = elements(rows, cols) * sizeof(float);
        const std::size_t table_bytes = static_cast<std::size_t>(rows) * sizeof(float*);
        ASSERT_TRUE(judge_thrift(data_bytes + table_bytes, name, since));
        if (overlap(table.data, data_bytes, table.row_start, table_bytes)) {
            fail(Story("not-separate", "The rows and the table of their addresses share memory.")
                     .steps_after(since.call())
                     .expected("what is written to a row does not change row_start")
                     .found("data is " + address_text(table.data) + ", row_start is " +
                            address_text(table.row_start)));
            return;
        }
        ASSERT_TRUE(judge_data_through_rows(table, since));
    }
    for (const auto& [rows, cols] : {std::pair{0, 5}, {5, 0}, {0, 0}}) {
        const std::string name = shape("make_row_table(&table", rows, cols);
        const Moment since;
        RowTable table = garbage_table();
        const cudaError_t status = call_make_row_table(&table, rows, cols);
        ASSERT_TRUE(judge_success(status, name, since));
        ASSERT_TRUE(judge_no_memory(name, since));
        ASSERT_TRUE(judge_empty(table, since));
    }
    for (const auto& [rows, cols] : {std::pair{-1, 7}, {7, -1}, {-3, -5}}) {
        const Moment since;
        RowTable table = garbage_table();
        const cudaError_t status = call_make_row_table(&table, rows, cols);
        ASSERT_TRUE(judge_refused(status, shape("make_row_table(&table", rows, cols), since,
                                  "no table has a negative number of rows or columns"));
        ASSERT_TRUE(judge_empty(table, since));
    }
    const Moment since;
    const cudaError_t status = call_with_null("make_row_table(nullptr, 3, 4)",
                                              [] { return make_row_table(nullptr, 3, 4); });
    ASSERT_TRUE(
        judge_refused(status, "make_row_table(nullptr, 3, 4)", since, "there is no struct"));
}

void table_fails_without_trace(FailureCase& failure) {
    const std::string name = "make_row_table(&table, 37, 11)";
    const Moment since;
    RowTable table = garbage_table();
    session().clear_last_error();
    failure.arm();
    const cudaError_t status = learner([&] { return make_row_table(&table, 37, 11); });
    failure.disarm();
    if (!failure.fired()) {
        ASSERT_TRUE(judge_success(status, name, since));
        return;
    }
    if (status == cudaSuccess) {
        if (!usable_table(table, 37, 11)) {
            fail_as_not_reported(failure, name, since);
        }
        return;
    }
    ASSERT_TRUE(judge_reported(failure, status, name, since));
    ASSERT_TRUE(judge_empty(table, since, failure.condition()));
    ASSERT_TRUE(judge_nothing_kept(failure, name, since));
}

TEST(RowTable, FailureLeavesNothing) {
    ASSERT_TRUE(sweep_failures(table_fails_without_trace));
}

// ---- releasing pairs, matrices and tables -------------------------------------------------------

struct Pair {
    float* image = garbage<float>();
    float* mask = garbage<float>();
};

bool judge_empty(const Pair& pair, const Moment& since, const std::string& why = "") {
    return judge_null(pair.image, "image", since, why) && judge_null(pair.mask, "mask", since, why);
}

/// One kind of thing that can be made and released.
template <class Thing>
struct Kind {
    const char* make_name;
    const char* free_name;
    cudaError_t (*make)(Thing*);
    cudaError_t (*release)(Thing*);
    cudaError_t (*release_null)();
};

const Kind<Pair> pairs = {"make_pair(&image, 1001, &mask, 37)", "free_pair(&image, &mask)",
                          [](Pair* pair) { return make_pair(&pair->image, 1001, &pair->mask, 37); },
                          [](Pair* pair) { return free_pair(&pair->image, &pair->mask); },
                          [] { return free_pair(nullptr, nullptr); }};

const Kind<Matrix> matrices = {"make_matrix(&matrix, 37, 11)", "free_matrix(&matrix)",
                               [](Matrix* matrix) { return make_matrix(matrix, 37, 11); },
                               free_matrix, [] { return free_matrix(nullptr); }};

const Kind<RowTable> tables = {"make_row_table(&table, 37, 11)", "free_row_table(&table)",
                               [](RowTable* table) { return make_row_table(table, 37, 11); },
                               free_row_table, [] { return free_row_table(nullptr); }};

template <class Thing>
bool judge_release(const Kind<Thing>& kind, const Bystander& other) {
    const std::string name = kind.free_name;
    const Moment since;
    Thing thing{};
    const cudaError_t made = call([&] { return kind.make(&thing); });
    if (!judge_success(made, kind.make_name, since)) {
        return false;
    }
    const cudaError_t status = call([&] { return kind.release(&thing); });
    if (!judge_success(status, name, since) || !judge_no_leaks(since, name) ||
        !judge_empty(thing, since) || !other.judge_alive(name, since)) {
        return false;
    }
    const Moment later;
    const cudaError_t again = call([&] { return kind.release(&thing); });
    return judge_success(again, "the second " + name, later) && judge_empty(thing, later);
}

template <class Thing>
bool judge_failing_release(const Kind<Thing>& kind) {
    SweepOptions releases;
    releases.eligible = runtime::releases;
    return sweep_failures(
        [&](FailureCase& failure) {
            const std::string name = kind.free_name;
            const Moment since;
            Thing thing{};
            const cudaError_t made = call([&] { return kind.make(&thing); });
            ASSERT_TRUE(judge_success(made, kind.make_name, since));
            failure.arm();
            const cudaError_t status = learner([&] { return kind.release(&thing); });
            failure.disarm();
            if (!failure.fired()) {
                return;
            }
            ASSERT_TRUE(judge_reported(failure, status, name, since));
            ASSERT_TRUE(judge_empty(thing, since, failure.condition()));
            ASSERT_TRUE(failure.sticky() ||
                        judge_no_leaks(since, name,
                                       "the other release is still due " + failure.condition()));
        },
        releases);
}

template <class Thing>
bool judge_release_of_nothing(const Kind<Thing>& kind, const std::string& name) {
    const Moment since;
    const cudaError_t status = call_with_null(name, kind.release_null);
    return judge_success(status, name, since);
}

TEST(Release, EmptiesWhatItWasGiven) {
    const Bystander other;
    ASSERT_TRUE(judge_release(pairs, other));
    ASSERT_TRUE(judge_release(matrices, other));
    ASSERT_TRUE(judge_release(tables, other));
    ASSERT_TRUE(judge_failing_release(pairs));
    ASSERT_TRUE(judge_failing_release(matrices));
    ASSERT_TRUE(judge_failing_release(tables));
    ASSERT_TRUE(judge_release_of_nothing(pairs, "free_pair(nullptr, nullptr)"));
    ASSERT_TRUE(judge_release_of_nothing(matrices, "free_matrix(nullptr)"));
    ASSERT_TRUE(judge_release_of_nothing(tables, "free_row_table(nullptr)"));
}

}  // namespace
}  // namespace vram::checks
