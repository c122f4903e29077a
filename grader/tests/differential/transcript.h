// What a sequence did and saw, a line a call. It holds nothing that may differ from run to run on
// one device: no addresses, no times, no pitches.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace vram::differential {

class Transcript {
  public:
    explicit Transcript(std::uint64_t seed) : seed_(seed) {}

    /// Writes "SEED STEP what -> seen".
    void write(const std::string& what, const std::string& seen) {
        std::printf("%llu %d %s -> %s\n", static_cast<unsigned long long>(seed_), ++step_,
                    what.c_str(), seen.c_str());
    }
    cudaError_t result(const std::string& what, cudaError_t error) {
        write(what, error == cudaSuccess ? "ok" : cudaGetErrorName(error));
        return error;
    }

  private:
    std::uint64_t seed_;
    int step_ = 0;
};

}  // namespace vram::differential
