// Lab 04: pitched images. Pictures that the harness makes have every legal kind of pitch, and are
// surrounded by bytes that must not change.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <vector>

#include "grader/checks/04_pitched_2d_reference.h"
#include "grader/checks/support/device_access.h"
#include "grader/checks/support/failure_sweep.h"
#include "grader/checks/support/host_buffer.h"
#include "grader/checks/support/judgements.h"
#include "grader/checks/support/learner.h"
#include "grader/checks/support/verdict.h"
#include "grader/timing/paired_measurement.h"
#include "pitched_image.h"

namespace {

using namespace vram::checks;
using vram::runtime::AllocationRecord;

struct Shape {
    int width;
    int height;
    int channels;

    std::size_t row_bytes() const { return static_cast<std::size_t>(width) * channels; }
    std::size_t bytes() const { return row_bytes() * height; }
    std::string text() const {
        return std::to_string(width) + " x " + std::to_string(height) + " pixels of " +
               std::to_string(channels) + (channels == 1 ? " byte" : " bytes");
    }
};

/// Primes, one row, one column, wider than high and higher than wide, each kind of pixel.
const std::vector<Shape> all_shapes = {{37, 11, 1}, {101, 23, 3}, {1, 67, 4},   {131, 1, 12},
                                       {5, 97, 12}, {259, 7, 4},  {67, 41, 12}, {1, 1, 3}};

std::vector<std::uint8_t> random_bytes(std::size_t count, std::uint32_t seed) {
    std::vector<std::uint8_t> bytes(count);
    std::uint32_t state = seed * 2654435761u + 1;
    for (std::uint8_t& byte : bytes) {
        state = state * 1664525u + 1013904223u;
        byte = static_cast<std::uint8_t>(state >> 24);
    }
    return bytes;
}

/// A picture that the harness made: rows `pitch` bytes apart in a larger block, everything around the
/// pixels filled with known bytes.
class Picture {
  public:
    Picture(const Shape& shape, std::size_t pitch, std::uint32_t seed)
        : shape_(shape),
          pitch_(pitch),
          pixels_(random_bytes(shape.bytes(), seed)),
          block_(random_bytes(2 * margin + pitch * shape.height, seed + 1)),
          device_(block_.size()) {
        place(block_, pixels_);
        written_ = write_device(device_.get(), block_.data(), block_.size());
    }

    Image image() const {
        return Image{device_.as<std::uint8_t>() + margin, pitch_, shape_.width, shape_.height,
                     shape_.channels};
    }
    const Shape& shape() const { return shape_; }
    const std::vector<std::uint8_t>& pixels() const { return pixels_; }
    std::uint8_t pixel_byte(int row, int column, int channel) const {
        return pixels_[row * shape_.row_bytes() + column * shape_.channels + channel];
    }

    /// The block holds `wanted` as its pixels, and around them what it held before.
    bool judge(const std::vector<std::uint8_t>& wanted, const std::string& what,
               const Moment& since) const {
        std::vector<std::uint8_t> expected = block_;
        place(expected, wanted);
        std::vector<std::uint8_t> actual(block_.size());
        if (!written_ || !read_device(actual.data(), device_.get(), actual.size())) {
            fail(Story("wrong-pixels", "The picture can't be read back after " + what + ".")
                     .steps_after(since.call()));
            return false;
        }
        const auto differs =
            std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end()).first;
        if (differs == actual.end()) {
            return true;
        }
        tell(static_cast<std::size_t>(differs - actual.begin()), *differs, expected, what, since);
        return false;
    }

  private:
    /// A multiple of 256, so that the picture is aligned like an allocation.
    static constexpr std::size_t margin = 4096;

    void place(std::vector<std::uint8_t>& block, const std::vector<std::uint8_t>& pixels) const {
        for (int row = 0; row < shape_.height; ++row) {
            std::copy_n(pixels.begin() + row * shape_.row_bytes(), shape_.row_bytes(),
                        block.begin() + margin + row * pitch_);
        }
    }

    void tell(std::size_t offset, std::uint8_t found, const std::vector<std::uint8_t>& expected,
              const std::string& what, const Moment& since) const {
        const std::string values = "byte " + std::to_string(expected[offset]);
        const std::size_t picture_bytes = pitch_ * (shape_.height - 1) + shape_.row_bytes();
        const std::size_t inside = offset - margin;
        const bool in_rows = offset >= margin && inside < picture_bytes;
        if (in_rows && inside % pitch_ < shape_.row_bytes()) {
            const std::size_t row = inside / pitch_;
            const std::size_t column = inside % pitch_ / shape_.channels;
            const std::string place =
                "row " + std::to_string(row) + ", column " + std::to_string(column);
            fail(Story("wrong-pixels", "After " + what + " of " + shape_.text() +
                                           " with a pitch of " + std::to_string(pitch_) +
                                           ", the first wrong pixel is " + place + ".")
                     .steps_after(since.call(), 4)
                     .expected(values + " in its channel " +
                               std::to_string(inside % pitch_ % shape_.channels))
                     .found("byte " + std::to_string(found)));
            return;
        }
        const std::string where =
            !in_rows ? (offset < margin ? "before the first row" : "behind the last row")
                     : "beside row " + std::to_string(inside / pitch_) + ", " +
                           std::to_string(inside % pitch_ - shape_.row_bytes()) +
                           " bytes behind its last pixel";
        fail(Story("outside-overwritten", "The " + what + " of " + shape_.text() +
                                              " changed a byte that is no pixel: " + where + ".")
                 .steps_after(since.call(), 4)
                 .expected("bytes outside of the picture keep their value")
                 .found(values + " became " + std::to_string(found))
                 .why("a window shares its padding with the picture around it"));
    }

    Shape shape_;
    std::size_t pitch_;
    std::vector<std::uint8_t> pixels_;
    std::vector<std::uint8_t> block_;
    DeviceBytes device_;
    bool written_ = false;
};

/// Pitches that a picture of this shape can have: of an allocation, tight, odd, and generous.
std::vector<std::size_t> pitches_for(const Shape& shape) {
    const std::size_t row = shape.row_bytes();
    return {(row + 511) / 256 * 256, row, row + 13, row + 1024};
}

std::vector<std::uint8_t> inverted(std::vector<std::uint8_t> pixels) {
    for (std::uint8_t& byte : pixels) {
        byte = static_cast<std::uint8_t>(255 - byte);
    }
    return pixels;
}

std::vector<std::uint8_t> transposed(const Picture& picture) {
    const Shape& shape = picture.shape();
    std::vector<std::uint8_t> result;
    result.reserve(shape.bytes());
    for (int column = 0; column < shape.width; ++column) {
        for (int row = 0; row < shape.height; ++row) {
            for (int channel = 0; channel < shape.channels; ++channel) {
                result.push_back(picture.pixel_byte(row, column, channel));
            }
        }
    }
    return result;
}

std::vector<std::uint8_t> repeated(const std::vector<std::uint8_t>& pixel, std::size_t bytes) {
    std::vector<std::uint8_t> result(bytes);
    for (std::size_t index = 0; index < bytes; ++index) {
        result[index] = pixel[index % pixel.size()];
    }
    return result;
}

Image poisoned_image() {
    Image image;
    std::memset(static_cast<void*>(&image), 0xA5, sizeof image);
    return image;
}

bool judge_success(cudaError_t status, const std::string& call, const Moment& since) {
    return judge_status(status, cudaSuccess, call, since);
}

bool judge_empty(const Image& image, const std::string& when, const Moment& since) {
    if (image.pixels == nullptr && image.pitch == 0 && image.width == 0 && image.height == 0) {
        return true;
    }
    fail(Story("not-empty", when + " the image still looks as if it had pixels.")
             .steps_after(since.call(), 4)
             .expected("{nullptr, 0, 0, 0, channels}")
             .found("pixels " + std::string(image.pixels == nullptr ? "null" : "not null") +
                    ", pitch " + std::to_string(image.pitch) + ", " + std::to_string(image.width) +
                    " x " + std::to_string(image.height)));
    return false;
}

/// An image without pixels keeps its number of channels.
bool judge_empty_with_channels(const Image& image, int channels, const std::string& when,
                               const Moment& since) {
    if (!judge_empty(image, when, since)) {
        return false;
    }
    if (image.channels == channels) {
        return true;
    }
    fail(Story("not-empty", when + " the image has another number of channels.")
             .steps_after(since.call(), 4)
             .expected("{nullptr, 0, 0, 0, " + std::to_string(channels) + "}")
             .found("channels " + std::to_string(image.channels)));
    return false;
}

/// The call waited for the last kernel that it launched.
bool judge_awaited(const std::string& call, const Moment& since) {
    vram::runtime::CallRecord last_launch;
    bool awaited = true;
    for (const vram::runtime::CallRecord& made : since.calls()) {
        const std::string name = vram::runtime::entry_name(made.entry);
        if (vram::runtime::is_launch(made.entry)) {
            last_launch = made;
            awaited = false;
        } else if (vram::runtime::waits_for_device(made.entry) ||
                   name.find("Query") != std::string::npos || name == "cudaMemcpy" ||
                   name == "cudaMemcpy2D" || name == "cudaFree") {
            awaited = true;
        }
    }
    if (awaited) {
        return true;
    }
    fail(Story("not-awaited", call + " returned before its kernel was done.")
             .step(last_launch)
             .show("nobody waits for it")
             .expected("a wait between the launch and the return")
             .why("when a function returns cudaSuccess its work is done; what goes wrong in the "
                  "kernel "
                  "is told by the wait"));
    return false;
}

/// Rows a gigabyte apart: the distance from the first row to the last does not fit into an int. Only
/// the pixels are ever touched.
class RowsFarApart {
  public:
    static constexpr int rows = 4;
    static constexpr std::size_t pitch = std::size_t{1} << 30;

    explicit RowsFarApart(const Shape& shape) : shape_(shape) {
        if (cudaMalloc(&block_, pitch * (rows - 1) + shape.row_bytes()) != cudaSuccess) {
            block_ = nullptr;
            cudaGetLastError();
        }
    }
    ~RowsFarApart() { cudaFree(block_); }
    RowsFarApart(const RowsFarApart&) = delete;
    RowsFarApart& operator=(const RowsFarApart&) = delete;

    /// False on a device that has no such memory to spare.
    bool there() const { return block_ != nullptr; }
    Image image() const { return {block_, pitch, shape_.width, rows, shape_.channels}; }
    std::vector<std::uint8_t> pixels() const {
        std::vector<std::uint8_t> all;
        for (int row = 0; row < rows; ++row) {
            const auto part =
                read_device_array<std::uint8_t>(block_ + row * pitch, shape_.row_bytes());
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }
    bool set(const std::vector<std::uint8_t>& pixels) const {
        bool written = true;
        for (int row = 0; row < rows; ++row) {
            written = written &&
                      write_device(block_ + row * pitch, pixels.data() + row * shape_.row_bytes(),
                                   shape_.row_bytes());
        }
        return written;
    }

  private:
    Shape shape_;
    std::uint8_t* block_ = nullptr;
};

bool judge_far_rows(const std::vector<std::uint8_t>& actual,
                    const std::vector<std::uint8_t>& wanted, const std::string& what,
                    const Moment& since) {
    if (actual == wanted) {
        return true;
    }
    fail(Story("wrong-pixels", "After " + what +
                                   " of a picture whose rows are a gigabyte apart, its "
                                   "pixels are wrong.")
             .steps_after(since.call(), 4)
             .expected("row 3 begins 3221225472 bytes behind row 0")
             .why("a product of a row and a pitch goes beyond an int"));
    return false;
}

/// Page-locked host memory: an asynchronous copy of it comes late.
class PinnedBytes {
  public:
    explicit PinnedBytes(std::size_t bytes) {
        if (cudaMallocHost(&memory_, bytes) != cudaSuccess) {
            memory_ = nullptr;
        }
    }
    ~PinnedBytes() { cudaFreeHost(memory_); }
    PinnedBytes(const PinnedBytes&) = delete;
    PinnedBytes& operator=(const PinnedBytes&) = delete;
    std::uint8_t* get() const { return static_cast<std::uint8_t*>(memory_); }

  private:
    void* memory_ = nullptr;
};

/// The allocation behind a fresh image was asked for with this shape, and its pitch was kept.
bool judge_fresh_image(const Image& image, const Shape& shape, const Moment& since) {
    const AllocationRecord block = allocation_at(image.pixels);
    if (block.id == 0) {
        fail(Story("pitch-not-kept", "The image of " + shape.text() +
                                         " does not hold the address of a live allocation.")
                 .steps_after(since.call()));
        return false;
    }
    if (image.width != shape.width || image.height != shape.height ||
        image.channels != shape.channels) {
        fail(Story("wrong-size", "An image of " + shape.text() +
                                     " was asked for; the struct says " +
                                     Shape{image.width, image.height, image.channels}.text() + ".")
                 .step(block.made_by));
        return false;
    }
    const auto height = static_cast<std::size_t>(shape.height);
    if (block.pitch != 0 && block.row_bytes == height && block.rows == shape.row_bytes() &&
        block.rows != block.row_bytes) {
        fail(Story("width-height-swapped",
                   "The runtime was asked for " + std::to_string(block.rows) + " rows of " +
                       std::to_string(block.row_bytes) + " bytes: width and height are swapped.")
                 .step(block.made_by)
                 .show("first the bytes of a row, then the number of rows")
                 .expected(std::to_string(height) + " rows of " +
                           std::to_string(shape.row_bytes()) + " bytes"));
        return false;
    }
    if (block.pitch != 0 && image.pitch != block.pitch) {
        fail(Story("pitch-not-kept", "The runtime answered with a pitch of " +
                                         std::to_string(block.pitch) + "; the image says " +
                                         std::to_string(image.pitch) + ".")
                 .step(block.made_by)
                 .show("its answer is the only right pitch of this block"));
        return false;
    }
    const std::size_t needed = image.pitch * (height - 1) + shape.row_bytes();
    if (image.pitch < shape.row_bytes() || block.bytes < needed) {
        fail(Story("wrong-size", "The block is too small for " + shape.text() + ": " +
                                     std::to_string(block.bytes) + " bytes with a pitch of " +
                                     std::to_string(image.pitch) + ".")
                 .step(block.made_by)
                 .show("widths are in bytes here")
                 .expected("rows of at least " + std::to_string(shape.row_bytes()) + " bytes"));
        return false;
    }
    return true;
}

/// The bytes of one row of `shape` do not fit into an int: the runtime is asked for all of them, or
/// for nothing. A request of such a size is made to fail, so that no such image is made or touched.
bool judge_row_beyond_an_int(const Shape& shape) {
    const Moment before;
    Image image = poisoned_image();
    vram::runtime::Injection injection;
    injection.nth = 1;
    injection.repeat = true;
    injection.larger_than = std::size_t{256} << 20;
    FailureCase failure(1, injection);
    failure.arm();
    const cudaError_t status =
        learner([&] { return create_image(&image, shape.width, shape.height, shape.channels); });
    failure.disarm();
    if (status != cudaSuccess) {
        return judge_empty(image, "After a failed create_image", before);
    }
    const bool fits = judge_fresh_image(image, shape, before);
    learner([&] { return destroy_image(&image); });
    return fits;
}

}  // namespace

TEST(Create, AsksForRowsInBytes) {
    for (std::uint64_t seed : {0, 1, 2}) {
        session().vary(seed);
        for (const Shape& shape : all_shapes) {
            const Moment before;
            Image image = poisoned_image();
            const cudaError_t status = learner(
                [&] { return create_image(&image, shape.width, shape.height, shape.channels); });
            if (!judge_success(status, "create_image", before) ||
                !judge_fresh_image(image, shape, before)) {
                return;
            }
            for (const char* when : {"the first", "the second"}) {
                const cudaError_t released = learner([&] { return destroy_image(&image); });
                if (!judge_success(released, std::string(when) + " destroy_image", before) ||
                    !judge_no_leaks(before, "destroy_image") ||
                    !judge_empty_with_channels(image, shape.channels,
                                               std::string("After ") + when + " destroy_image",
                                               before)) {
                    return;
                }
            }
        }
    }
}

TEST(Create, RefusesWhatIsNoImage) {
    struct Case {
        Shape shape;
        cudaError_t wanted;
    };
    for (const Case& refused :
         {Case{{0, 5, 3}, cudaSuccess}, Case{{5, 0, 4}, cudaSuccess}, Case{{0, 0, 1}, cudaSuccess},
          Case{{-1, 5, 3}, cudaErrorInvalidValue}, Case{{5, -2, 3}, cudaErrorInvalidValue},
          Case{{5, 5, 2}, cudaErrorInvalidValue}, Case{{5, 5, 0}, cudaErrorInvalidValue},
          Case{{5, 5, -3}, cudaErrorInvalidValue}}) {
        const Moment before;
        Image image = poisoned_image();
        const Shape& shape = refused.shape;
        const std::string call = "create_image(&image, " + std::to_string(shape.width) + ", " +
                                 std::to_string(shape.height) + ", " +
                                 std::to_string(shape.channels) + ")";
        const cudaError_t status = learner(
            [&] { return create_image(&image, shape.width, shape.height, shape.channels); });
        if (!judge_status(status, refused.wanted, call, before) ||
            !judge_empty(image, "After " + call, before) || !judge_no_calls(before, call)) {
            return;
        }
    }
    for (const Shape& shape : {Shape{(1 << 30) + 1, 1, 4}, Shape{357913943, 1, 12}}) {
        if (!judge_row_beyond_an_int(shape)) {
            return;
        }
    }
    const Moment before;
    const cudaError_t status = learner([] { return create_image(nullptr, 5, 5, 3); });
    const cudaError_t released = learner([] { return destroy_image(nullptr); });
    if (!judge_status(status, cudaErrorInvalidValue, "create_image(nullptr, 5, 5, 3)", before) ||
        !judge_status(released, cudaSuccess, "destroy_image(nullptr)", before)) {
        return;
    }
}

TEST(Upload, HostStrideIsItsOwn) {
    std::uint32_t seed = 10;
    for (const Shape& shape : all_shapes) {
        for (std::size_t pitch : pitches_for(shape)) {
            for (std::size_t host_stride : {shape.row_bytes(), shape.row_bytes() + 17}) {
                Picture picture(shape, pitch, ++seed);
                const std::size_t host_bytes = host_stride * (shape.height - 1) + shape.row_bytes();
                HostArray<std::uint8_t> host(host_bytes, "the host rows");
                host.fill_pattern(++seed);
                std::vector<std::uint8_t> wanted;
                for (int row = 0; row < shape.height; ++row) {
                    const std::uint8_t* first = host.data() + row * host_stride;
                    wanted.insert(wanted.end(), first, first + shape.row_bytes());
                }
                const Moment before;
                Image image = picture.image();
                const cudaError_t status =
                    learner([&] { return upload_image(&image, host.data(), host_stride); });
                if (!judge_success(status, "upload_image", before) ||
                    !picture.judge(wanted, "upload", before)) {
                    return;
                }
            }
        }
    }
    const Moment before;
    Picture picture({9, 3, 4}, 256, 1);
    HostArray<std::uint8_t> host(35 * 3, "the host rows");
    Image image = picture.image();
    const cudaError_t status = learner([&] { return upload_image(&image, host.data(), 35); });
    if (!judge_status(status, cudaErrorInvalidValue,
                      "upload_image with a host stride of 35 for rows of 36 bytes", before)) {
        return;
    }
    Image empty{nullptr, 0, 0, 0, 4};
    const cudaError_t of_empty = learner([&] { return upload_image(&empty, host.data(), 35); });
    const cudaError_t of_null = learner([&] { return upload_image(&image, nullptr, 36); });
    const cudaError_t to_null = learner([&] { return upload_image(nullptr, host.data(), 36); });
    if (!judge_success(of_empty, "upload_image of an image without pixels", before) ||
        !judge_status(of_null, cudaErrorInvalidValue, "upload_image of null", before) ||
        !judge_status(to_null, cudaErrorInvalidValue, "upload_image into null", before)) {
        return;
    }

    const Shape shape{61, 29, 4};
    Picture target(shape, 512, 2);
    PinnedBytes pinned(shape.bytes());
    const std::vector<std::uint8_t> sent = random_bytes(shape.bytes(), 3);
    std::copy(sent.begin(), sent.end(), pinned.get());
    const Moment sending;
    Image sent_to = target.image();
    const cudaError_t status_of_pinned =
        learner([&] { return upload_image(&sent_to, pinned.get(), shape.row_bytes()); });
    std::fill_n(pinned.get(), shape.bytes(), std::uint8_t{0});
    if (!judge_success(status_of_pinned, "upload_image", sending) ||
        !target.judge(sent, "upload from memory that changed after the return", sending)) {
        return;
    }

    const Shape narrow{3, RowsFarApart::rows, 1};
    const RowsFarApart far(narrow);
    if (far.there()) {
        const std::vector<std::uint8_t> rows = random_bytes(narrow.bytes(), 4);
        const Moment uploading;
        Image far_image = far.image();
        const cudaError_t uploaded =
            learner([&] { return upload_image(&far_image, rows.data(), narrow.row_bytes()); });
        (void)(judge_success(uploaded, "upload_image", uploading) &&
               judge_far_rows(far.pixels(), rows, "upload", uploading));
    }
}

TEST(Download, LeavesTheGapsAlone) {
    std::uint32_t seed = 20;
    for (const Shape& shape : all_shapes) {
        for (std::size_t pitch : pitches_for(shape)) {
            for (std::size_t host_stride : {shape.row_bytes(), shape.row_bytes() + 29}) {
                Picture picture(shape, pitch, ++seed);
                HostArray<std::uint8_t> host(host_stride * (shape.height - 1) + shape.row_bytes(),
                                             "the host rows");
                host.fill_pattern(++seed);
                const std::vector<std::uint8_t> untouched(host.begin(), host.end());
                const Moment before;
                const Image image = picture.image();
                const cudaError_t status =
                    learner([&] { return download_image(&image, host.data(), host_stride); });
                if (!judge_success(status, "download_image", before)) {
                    return;
                }
                for (int row = 0; row < shape.height; ++row) {
                    const std::size_t first = row * host_stride;
                    if (!judge_contents(
                            host.data() + first, picture.pixels().data() + row * shape.row_bytes(),
                            shape.row_bytes(), shape.channels,
                            "row " + std::to_string(row) + " of the host buffer", before)) {
                        return;
                    }
                    const std::size_t gap = first + shape.row_bytes();
                    const std::size_t next = std::min(first + host_stride, host.size());
                    if (!std::equal(host.begin() + gap, host.begin() + next,
                                    untouched.begin() + gap)) {
                        fail(Story("gap-overwritten",
                                   "The download wrote into the gap behind host row " +
                                       std::to_string(row) + ".")
                                 .steps_after(before.call(), 4)
                                 .expected("only width x channels bytes of each host row change"));
                        return;
                    }
                }
            }
        }
    }
    const Shape shape{61, 29, 4};
    Picture picture(shape, 512, ++seed);
    const Image image = picture.image();
    PinnedBytes pinned(shape.bytes());
    const Moment before;
    const cudaError_t status =
        learner([&] { return download_image(&image, pinned.get(), shape.row_bytes()); });
    const std::vector<std::uint8_t> received(pinned.get(), pinned.get() + shape.bytes());
    if (!judge_success(status, "download_image", before) ||
        !judge_contents(received.data(), picture.pixels().data(), shape.bytes(), shape.channels,
                        "the page-locked host rows", before,
                        "when download_image returns its work is done")) {
        return;
    }
    const Moment refusing;
    const cudaError_t narrow =
        learner([&] { return download_image(&image, pinned.get(), shape.row_bytes() - 1); });
    const cudaError_t to_null =
        learner([&] { return download_image(&image, nullptr, shape.row_bytes()); });
    const cudaError_t of_null =
        learner([&] { return download_image(nullptr, pinned.get(), shape.row_bytes()); });
    (void)(judge_status(narrow, cudaErrorInvalidValue,
                        "download_image with a host stride of one byte less than a row",
                        refusing) &&
           judge_status(to_null, cudaErrorInvalidValue, "download_image to null", refusing) &&
           judge_status(of_null, cudaErrorInvalidValue, "download_image of null", refusing));
}

TEST(Fill, StaysInsideTheWindow) {
    std::uint32_t seed = 30;
    for (const Shape& shape : all_shapes) {
        for (std::size_t pitch : pitches_for(shape)) {
            Picture picture(shape, pitch, ++seed);
            const std::vector<std::uint8_t> pixel =
                random_bytes(static_cast<std::size_t>(shape.channels), ++seed);
            const Moment before;
            Image image = picture.image();
            const cudaError_t status = learner([&] { return fill_image(&image, pixel.data()); });
            if (!judge_success(status, "fill_image", before) ||
                !judge_awaited("fill_image", before) ||
                !picture.judge(repeated(pixel, shape.bytes()), "fill", before)) {
                return;
            }
        }
        // A grey of several bytes.
        const std::vector<std::uint8_t> grey(shape.channels, 77);
        Picture picture(shape, pitches_for(shape)[2], ++seed);
        const Moment before;
        Image image = picture.image();
        const cudaError_t status = learner([&] { return fill_image(&image, grey.data()); });
        if (!judge_success(status, "fill_image", before) ||
            !picture.judge(repeated(grey, shape.bytes()), "fill with equal bytes", before)) {
            return;
        }
    }
    // A window of a larger picture, cut out by the learner's own crop_image.
    Picture picture({50, 20, 3}, 512, ++seed);
    std::vector<std::uint8_t> wanted = picture.pixels();
    const std::vector<std::uint8_t> pixel = {1, 2, 3};
    for (int row = 4; row < 4 + 9; ++row) {
        for (int byte = 7 * 3; byte < (7 + 13) * 3; ++byte) {
            wanted[row * 150 + byte] = pixel[byte % 3];
        }
    }
    const Moment before;
    const Image image = picture.image();
    Image window = poisoned_image();
    const cudaError_t cropped = learner([&] { return crop_image(&image, 7, 4, 13, 9, &window); });
    if (!judge_success(cropped, "crop_image", before)) {
        return;
    }
    const cudaError_t filled = learner([&] { return fill_image(&window, pixel.data()); });
    if (!judge_success(filled, "fill_image of a window", before) ||
        !picture.judge(wanted, "fill of a window", before)) {
        return;
    }
    struct Window {
        int x, y, width, height;
    };
    for (const Window& outside :
         {Window{40, 0, 11, 5}, Window{0, 16, 5, 5}, Window{-1, 0, 5, 5}, Window{0, -1, 5, 5},
          Window{0, 0, 5, -1}, Window{INT_MAX, 0, 11, 5}, Window{0, INT_MAX, 5, 11}}) {
        const cudaError_t refused = learner([&] {
            return crop_image(&image, outside.x, outside.y, outside.width, outside.height, &window);
        });
        if (!judge_status(refused, cudaErrorInvalidValue,
                          "crop_image of " + std::to_string(outside.width) + " x " +
                              std::to_string(outside.height) + " pixels at column " +
                              std::to_string(outside.x) + ", row " + std::to_string(outside.y) +
                              ", of an image of 50 x 20,",
                          before)) {
            return;
        }
    }
    for (const Window& nothing : {Window{5, 5, 0, 3}, Window{5, 5, 3, 0}, Window{50, 20, 0, 0}}) {
        window = poisoned_image();
        const Moment cropping;
        const cudaError_t status = learner([&] {
            return crop_image(&image, nothing.x, nothing.y, nothing.width, nothing.height, &window);
        });
        if (!judge_success(status, "crop_image of a window without pixels", cropping) ||
            !judge_empty_with_channels(window, 3, "After crop_image of a window without pixels",
                                       cropping)) {
            return;
        }
    }
    const Moment refusing;
    Image target = picture.image();
    const cudaError_t no_pixel = learner([&] { return fill_image(&target, nullptr); });
    const cudaError_t no_image = learner([&] { return fill_image(nullptr, pixel.data()); });
    const cudaError_t of_null = learner([&] { return crop_image(nullptr, 0, 0, 1, 1, &window); });
    const cudaError_t to_null = learner([&] { return crop_image(&image, 0, 0, 1, 1, nullptr); });
    if (!judge_status(no_pixel, cudaErrorInvalidValue, "fill_image with null", refusing) ||
        !judge_status(no_image, cudaErrorInvalidValue, "fill_image of null", refusing) ||
        !judge_status(of_null, cudaErrorInvalidValue, "crop_image of null", refusing) ||
        !judge_status(to_null, cudaErrorInvalidValue, "crop_image to null", refusing)) {
        return;
    }
    const Shape narrow{3, RowsFarApart::rows, 1};
    const RowsFarApart far(narrow);
    if (far.there()) {
        const std::vector<std::uint8_t> colour = {201};
        const Moment filling;
        Image far_image = far.image();
        const cudaError_t far_filled =
            learner([&] { return fill_image(&far_image, colour.data()); });
        (void)(judge_success(far_filled, "fill_image", filling) &&
               judge_far_rows(far.pixels(), repeated(colour, narrow.bytes()), "fill", filling));
    }
}

/// Whether invert_image makes calls for each row. Then it meets no limit of a grid, and a million rows
/// would take it too long.
bool inverts_row_by_row() {
    const Shape column{1, 64, 1};
    Picture picture(column, 1, 43);
    const Moment before;
    Image image = picture.image();
    (void)learner([&] { return invert_image(&image); });
    return before.calls().size() >= static_cast<std::size_t>(column.height);
}

/// More rows than a grid of blocks of 16 rows reaches.
void judge_many_rows() {
    const Shape column{1, 65535 * 16 + 1, 1};
    Picture picture(column, 1, 42);
    const Moment before;
    Image image = picture.image();
    const cudaError_t status = learner([&] { return invert_image(&image); });
    (void)(judge_success(status, "invert_image of " + column.text(), before) &&
           picture.judge(inverted(picture.pixels()), "inversion", before));
}

TEST(Invert, EveryPixelOnce) {
    std::uint32_t seed = 40;
    for (const Shape& shape : all_shapes) {
        for (std::size_t pitch : pitches_for(shape)) {
            Picture picture(shape, pitch, ++seed);
            const Moment before;
            Image image = picture.image();
            const cudaError_t status = learner([&] { return invert_image(&image); });
            if (!judge_success(status, "invert_image", before) ||
                !judge_awaited("invert_image", before) ||
                !picture.judge(inverted(picture.pixels()), "inversion", before)) {
                return;
            }
        }
    }
    const Moment before;
    Image empty{nullptr, 0, 0, 0, 1};
    const cudaError_t status = learner([&] { return invert_image(&empty); });
    const cudaError_t of_null = learner([] { return invert_image(nullptr); });
    if (!judge_success(status, "invert_image of an image without pixels", before) ||
        !judge_status(of_null, cudaErrorInvalidValue, "invert_image of null", before)) {
        return;
    }
    const Shape narrow{3, RowsFarApart::rows, 1};
    const RowsFarApart far(narrow);
    const std::vector<std::uint8_t> rows = random_bytes(narrow.bytes(), 41);
    if (far.there() && far.set(rows)) {
        const Moment inverting;
        Image far_image = far.image();
        const cudaError_t far_inverted = learner([&] { return invert_image(&far_image); });
        (void)(judge_success(far_inverted, "invert_image", inverting) &&
               judge_far_rows(far.pixels(), inverted(rows), "inversion", inverting));
    }
    if (!failed() && !inverts_row_by_row()) {
        judge_many_rows();
    }
}

namespace {

constexpr double most_sectors = 1.3;
constexpr double slowest_ratio = 1.5;

void judge_sectors(const char* kind, std::uint64_t sectors, const Picture& picture,
                   const Moment& since) {
    const Shape& shape = picture.shape();
    const std::uint64_t fewest = (shape.row_bytes() + 31) / 32 * shape.height;
    if (sectors >= fewest && static_cast<double>(sectors) <= most_sectors * fewest) {
        return;
    }
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f", static_cast<double>(sectors) / fewest);
    fail(Story("too-many-sectors", sectors < fewest
                                       ? std::string("The picture was not handled by a kernel.")
                                       : std::string("The kernel's ") + kind + " touch " + ratio +
                                             " times the sectors that the rows occupy.")
             .steps_after(since.call(), 3)
             .show("")
             .expected(std::to_string(fewest) + " sectors of 32 bytes, at most 1.3 times as many")
             .found(std::to_string(sectors) + " sectors")
             .why("the memory moves whole sectors, whether one byte of them is wanted or all"));
}

void judge_sectors_on_virtual_gpu() {
    for (const Shape& shape :
         {Shape{333, 64, 1}, Shape{333, 64, 3}, Shape{333, 64, 4}, Shape{333, 64, 12}}) {
        Picture picture(shape, (shape.row_bytes() + 511) / 256 * 256, 50);
        Image image = picture.image();
        const Moment before;
        const auto counted = session().kernel_counters();
        const cudaError_t status = learner([&] { return invert_image(&image); });
        const auto now = session().kernel_counters();
        if (!judge_success(status, "invert_image", before)) {
            return;
        }
        judge_sectors("loads", now.load_sectors - counted.load_sectors, picture, before);
        if (!failed()) {
            judge_sectors("stores", now.store_sectors - counted.store_sectors, picture, before);
        }
        if (failed()) {
            return;
        }
    }
}

/// What the virtual clock shows for a call, from an idle device to an idle device.
template <class Call>
double virtual_microseconds(const Call& call) {
    cudaDeviceSynchronize();
    const std::uint64_t before = session().virtual_nanoseconds();
    call();
    cudaDeviceSynchronize();
    return static_cast<double>(session().virtual_nanoseconds() - before) / 1000;
}

/// The virtual clock counts what calls, launches and sectors cost on a GPU, always the same. It knows
/// nothing of occupancy or caches, so the bound is wide: it tells a launch for each row from one for
/// the picture, not a good kernel from a better one.
void judge_virtual_time() {
    constexpr double most_times_as_long = 3;
    Picture picture({1021, 512, 4}, 4096 + 512, 51);
    Image image = picture.image();
    const double reference_time = virtual_microseconds([&] { reference::invert_image(&image); });
    const Moment before;
    const double learner_time =
        virtual_microseconds([&] { learner([&] { return invert_image(&image); }); });
    if (failed() || learner_time <= most_times_as_long * reference_time) {
        return;
    }
    char found[96];
    std::snprintf(found, sizeof found, "%.1f us, against %.1f us of the reference", learner_time,
                  reference_time);
    fail(
        Story("too-slow",
              "invert_image takes clearly longer than the reference on the virtual "
              "clock, which counts calls, launches and sectors.")
            .steps_after(before.call(), 4)
            .show("")
            .expected("at most 3 times the reference's time on the same picture")
            .found(found)
            .why("a launch costs as much as moving some ten megabytes, and an allocation ten times "
                 "as much"));
}

void judge_time_on_gpu() {
    const Shape shape{4093, 4096, 4};
    const std::size_t pitch = 16384 + 512;
    std::vector<std::uint8_t> pixels;
    DeviceBytes source(pitch * shape.height);
    DeviceBytes work_area(pitch * shape.height);
    Image image{work_area.as<std::uint8_t>(), pitch, shape.width, shape.height, shape.channels};
    vram::timing::PairedWork work;
    work.prepare = [&](int run) {
        cudaMemset(source.get(), run % 251, source.size());
        cudaMemcpy(work_area.get(), source.get(), source.size(), cudaMemcpyDeviceToDevice);
    };
    work.reference = [&] { reference::invert_image(&image); };
    work.learner = [&] { learner([&] { return invert_image(&image); }); };
    work.wait_for_everything = [] { cudaDeviceSynchronize(); };
    work.outputs_are_right = [&](int run) {
        // A few rows of each run: first, last, and one that changes from run to run.
        for (int row : {0, run * 37 % shape.height, shape.height - 1}) {
            pixels.resize(shape.row_bytes());
            if (!read_device(pixels.data(), image.pixels + row * pitch, pixels.size()) ||
                std::any_of(pixels.begin(), pixels.end(),
                            [&](std::uint8_t byte) { return byte != 255 - run % 251; })) {
                return false;
            }
        }
        return true;
    };
    const Moment before;
    const vram::timing::PairedResult result = vram::timing::compare(work, slowest_ratio);
    switch (result.comparison) {
        case vram::timing::Comparison::within_bound:
            remark(result.summary());
            break;
        case vram::timing::Comparison::inconclusive:
            inconclusive(result.summary());
            break;
        case vram::timing::Comparison::outputs_wrong:
            fail(Story("wrong-pixels", "A timed call of invert_image left wrong pixels.")
                     .steps_after(before.call(), 3));
            break;
        case vram::timing::Comparison::beyond_bound:
            fail(Story("too-slow", "invert_image takes clearly longer than the reference.")
                     .steps_after(before.call(), 2)
                     .expected("at most 1.5 times the reference's time on the same picture")
                     .found(result.summary()));
            break;
    }
}

}  // namespace

TEST(Invert, TouchesEachSectorOnce) {
    if (on_virtual_gpu()) {
        judge_sectors_on_virtual_gpu();
        if (!failed()) {
            judge_virtual_time();
        }
    } else {
        judge_time_on_gpu();
    }
}

TEST(Transpose, TwoPitches) {
    std::uint32_t seed = 60;
    for (const Shape& shape : all_shapes) {
        const Shape turned{shape.height, shape.width, shape.channels};
        const std::vector<std::size_t> in_pitches = pitches_for(shape);
        const std::vector<std::size_t> out_pitches = pitches_for(turned);
        for (std::size_t index = 0; index < in_pitches.size(); ++index) {
            Picture in_picture(shape, in_pitches[index], ++seed);
            Picture out_picture(turned, out_pitches[(index + 1) % out_pitches.size()], ++seed);
            const Moment before;
            const Image in = in_picture.image();
            Image out = out_picture.image();
            const cudaError_t status = learner([&] { return transpose_image(&in, &out); });
            if (!judge_success(status, "transpose_image", before) ||
                !judge_awaited("transpose_image", before) ||
                !out_picture.judge(transposed(in_picture), "transposition", before) ||
                !in_picture.judge(in_picture.pixels(), "transposition (input)", before)) {
                return;
            }
        }
    }
    Picture in_picture({12, 5, 3}, 256, ++seed);
    Picture out_picture({12, 5, 3}, 256, ++seed);
    const Moment before;
    const Image in = in_picture.image();
    Image out = out_picture.image();
    const cudaError_t status = learner([&] { return transpose_image(&in, &out); });
    if (!judge_status(status, cudaErrorInvalidValue,
                      "transpose_image of 12 x 5 pixels into 12 x 5 pixels", before)) {
        return;
    }
    Picture other_channels({5, 12, 1}, 256, ++seed);
    Image grey = other_channels.image();
    const Moment refusing;
    const cudaError_t channels = learner([&] { return transpose_image(&in, &grey); });
    const cudaError_t of_null = learner([&] { return transpose_image(nullptr, &grey); });
    const cudaError_t to_null = learner([&] { return transpose_image(&in, nullptr); });
    if (!judge_status(channels, cudaErrorInvalidValue,
                      "transpose_image of 3 channels into one with 1 channel", refusing) ||
        !judge_status(of_null, cudaErrorInvalidValue, "transpose_image of null", refusing) ||
        !judge_status(to_null, cudaErrorInvalidValue, "transpose_image into null", refusing)) {
        return;
    }
    const Shape narrow{3, RowsFarApart::rows, 1};
    const Shape wide{RowsFarApart::rows, 3, 1};
    const RowsFarApart far(narrow);
    Picture near(wide, 8, ++seed);
    const std::vector<std::uint8_t> rows = random_bytes(narrow.bytes(), 61);
    if (!far.there() || !far.set(rows)) {
        return;
    }
    const Moment transposing;
    const Image far_in = far.image();
    Image near_out = near.image();
    std::vector<std::uint8_t> turned(rows.size());
    for (std::size_t index = 0; index < rows.size(); ++index) {
        turned[index % 3 * RowsFarApart::rows + index / 3] = rows[index];
    }
    const cudaError_t there = learner([&] { return transpose_image(&far_in, &near_out); });
    if (!judge_success(there, "transpose_image", transposing) ||
        !near.judge(turned, "transposition of rows that are a gigabyte apart", transposing)) {
        return;
    }
    const Moment back;
    const Image near_in = near.image();
    Image far_out = far.image();
    (void)far.set(std::vector<std::uint8_t>(rows.size(), 0));
    const cudaError_t again = learner([&] { return transpose_image(&near_in, &far_out); });
    (void)(judge_success(again, "transpose_image", back) &&
           judge_far_rows(far.pixels(), rows, "transposition", back));
}

namespace {

/// A function that was told of a failure says so; one that still succeeded did its work.
bool reported_or_right(cudaError_t status, const FailureCase& failure, const std::string& call,
                       const Moment& since, bool result_is_right) {
    // After a sticky error no later call succeeds, so there is no way to be done all the same.
    if (!failure.fired() || status != cudaSuccess || (result_is_right && !failure.sticky())) {
        return true;
    }
    fail(Story("error-not-reported", call + " returned cudaSuccess " + failure.condition() +
                                         ", and its work is not done.")
             .steps_after(since.call())
             .step(failure.failed_call())
             .show("the code of this call was lost")
             .expected("the code of the call that failed"));
    return false;
}

void judge_create(FailureCase& failure) {
    const Moment before;
    Image image = poisoned_image();
    failure.arm();
    const cudaError_t status = learner([&] { return create_image(&image, 37, 5, 3); });
    failure.disarm();
    if (!failure.fired()) {
        (void)judge_success(status, "create_image", before);
        return;
    }
    const bool made = allocation_at(image.pixels).id != 0;
    if (!reported_or_right(status, failure, "create_image", before, made)) {
        return;
    }
    if (status != cudaSuccess) {
        (void)(judge_empty(image, "After create_image failed", before) &&
               (failure.sticky() || judge_no_leaks(before, "create_image failed")));
    }
}

void judge_destroy(FailureCase& failure) {
    const Moment before;
    Image image = poisoned_image();
    const cudaError_t created = learner([&] { return create_image(&image, 37, 5, 3); });
    if (created != cudaSuccess) {
        return;  // judged by the checks of create_image
    }
    failure.arm();
    const cudaError_t status = learner([&] { return destroy_image(&image); });
    failure.disarm();
    (void)(failure.fired() ? reported_or_right(status, failure, "destroy_image", before, false)
                           : judge_success(status, "destroy_image", before));
}

template <class Call>
void judge_work(FailureCase& failure, const std::string& name, const Call& call,
                const std::vector<std::uint8_t>& wanted, const Picture& picture) {
    const Moment before;
    failure.arm();
    const cudaError_t status = learner(call);
    failure.disarm();
    if (!failure.fired()) {
        (void)judge_success(status, name, before);
        return;
    }
    std::vector<std::uint8_t> row(picture.shape().row_bytes());
    const Image image = picture.image();
    bool right = true;
    for (int index = 0; index < image.height; ++index) {
        right = right && read_device(row.data(), image.pixels + index * image.pitch, row.size()) &&
                std::equal(row.begin(), row.end(), wanted.begin() + index * row.size());
    }
    (void)reported_or_right(status, failure, name, before, right);
}

}  // namespace

TEST(Failure, IsReported) {
    if (!sweep_failures(judge_create) || !sweep_failures(judge_destroy)) {
        return;
    }
    const Shape shape{37, 5, 3};
    const std::vector<std::uint8_t> host = random_bytes(shape.bytes(), 70);
    const std::vector<std::uint8_t> pixel = {9, 8, 7};
    (void)(sweep_failures([&](FailureCase& failure) {
               Picture picture(shape, 256, 71);
               Image image = picture.image();
               judge_work(
                   failure, "upload_image",
                   [&] { return upload_image(&image, host.data(), shape.row_bytes()); }, host,
                   picture);
           }) &&
           sweep_failures([&](FailureCase& failure) {
               Picture picture(shape, 256, 72);
               const Image image = picture.image();
               std::vector<std::uint8_t> rows(shape.bytes());
               const Moment before;
               failure.arm();
               const cudaError_t status =
                   learner([&] { return download_image(&image, rows.data(), shape.row_bytes()); });
               failure.disarm();
               (void)reported_or_right(status, failure, "download_image", before,
                                       rows == picture.pixels());
           }) &&
           sweep_failures([&](FailureCase& failure) {
               Picture picture(shape, 256, 73);
               Image image = picture.image();
               judge_work(
                   failure, "fill_image", [&] { return fill_image(&image, pixel.data()); },
                   repeated(pixel, shape.bytes()), picture);
           }) &&
           sweep_failures([&](FailureCase& failure) {
               Picture picture(shape, 256, 74);
               Image image = picture.image();
               judge_work(
                   failure, "invert_image", [&] { return invert_image(&image); },
                   inverted(picture.pixels()), picture);
           }) &&
           sweep_failures([&](FailureCase& failure) {
               Picture in_picture(shape, 256, 75);
               Picture out_picture({5, 37, 3}, 256, 76);
               const Image in = in_picture.image();
               Image out = out_picture.image();
               judge_work(
                   failure, "transpose_image", [&] { return transpose_image(&in, &out); },
                   transposed(in_picture), out_picture);
           }));
}
