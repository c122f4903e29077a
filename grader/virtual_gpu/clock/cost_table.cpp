#include "grader/virtual_gpu/clock/cost_table.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vram::virtual_gpu::cost {
namespace {

constexpr double mebibyte = 1024.0 * 1024;

struct Sample {
    double bytes;
    double microseconds;
};

/// Medians of the measured cost table; between two samples the logarithms are interpolated.
constexpr std::array<Sample, 5> allocations{{{1 * mebibyte, 45},
                                             {32 * mebibyte, 49},
                                             {256 * mebibyte, 77},
                                             {1024 * mebibyte, 141},
                                             {8192 * mebibyte, 1020}}};
constexpr std::array<Sample, 5> releases{{{1 * mebibyte, 37},
                                          {32 * mebibyte, 63},
                                          {256 * mebibyte, 165},
                                          {1024 * mebibyte, 532},
                                          {8192 * mebibyte, 4616}}};
constexpr std::array<Sample, 3> reserves{
    {{1 * mebibyte, 52}, {256 * mebibyte, 367}, {1024 * mebibyte, 1412}}};

template <std::size_t count>
std::uint64_t interpolate(const std::array<Sample, count>& samples, std::size_t bytes) {
    const double size = static_cast<double>(bytes);
    if (size <= samples.front().bytes)
        return static_cast<std::uint64_t>(samples.front().microseconds * 1000);
    std::size_t upper = 1;
    while (upper + 1 < count && samples[upper].bytes < size)
        ++upper;
    const Sample& a = samples[upper - 1];
    const Sample& b = samples[upper];
    const double slope = std::log(b.microseconds / a.microseconds) / std::log(b.bytes / a.bytes);
    return static_cast<std::uint64_t>(a.microseconds * 1000 * std::pow(size / a.bytes, slope));
}

constexpr std::uint64_t shared_chunk_call = 1'700;
constexpr double device_bytes_per_nanosecond = 2620;  // read and written, copy of 1 GiB
constexpr double link_bytes_per_nanosecond = 19.4;    // 64 MB pageable in 3.46 ms
constexpr double host_bytes_per_nanosecond = 10;
// 132 multiprocessors with four schedulers each, at 1.98 GHz.
constexpr double warp_instructions_per_nanosecond = 132 * 4 * 1.98;
constexpr std::uint64_t copy_latency = 12'000;  // cudaMemset of 4 KB
constexpr std::uint64_t kernel_latency = 2'000;

}  // namespace

std::uint64_t allocate(std::size_t bytes, bool chunk_is_mapped) {
    return chunk_is_mapped ? shared_chunk_call : interpolate(allocations, bytes);
}

std::uint64_t release(std::size_t bytes, bool chunk_stays_mapped) {
    return chunk_stays_mapped ? shared_chunk_call : interpolate(releases, bytes);
}

std::uint64_t reserve(std::size_t bytes) {
    return interpolate(reserves, bytes);
}

std::uint64_t copy(Path path, std::size_t bytes) {
    const double size = static_cast<double>(bytes);
    double nanoseconds = 0;
    switch (path) {
        case Path::to_device:
        case Path::to_host:
            nanoseconds = size / link_bytes_per_nanosecond;
            break;
        case Path::on_device:
            nanoseconds = 2 * size / device_bytes_per_nanosecond;
            break;
        case Path::on_host:
            nanoseconds = size / host_bytes_per_nanosecond;
            break;
        case Path::set:
            nanoseconds = size / device_bytes_per_nanosecond;
            break;
    }
    return copy_latency + static_cast<std::uint64_t>(nanoseconds);
}

std::uint64_t kernel(const ptx::Counters& counters) {
    constexpr double sector_bytes = 32;
    const auto sectors = counters.load_sectors + counters.store_sectors + counters.atomic_sectors;
    const double memory = static_cast<double>(sectors) * sector_bytes / device_bytes_per_nanosecond;
    const double issue =
        static_cast<double>(counters.warp_instructions) / warp_instructions_per_nanosecond;
    return kernel_latency + static_cast<std::uint64_t>(std::max(memory, issue));
}

}  // namespace vram::virtual_gpu::cost
