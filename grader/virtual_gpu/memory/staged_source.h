// Page-locked memory that a pending copy still has to read, and whether the host changed it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "grader/virtual_gpu/streams/operation.h"

namespace vram::virtual_gpu {

/// The bytes of one source as they were when the copy was enqueued.
struct StagedSource {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t checksum = 0;
    bool comparable = true;  ///< false once work of the device, or a host function, may write them
};

class StagedSources {
  public:
    std::shared_ptr<StagedSource> remember(std::uint64_t begin, std::uint64_t end);
    /// True when the bytes are not what they were. Ends the watch.
    bool changed(const std::shared_ptr<StagedSource>& source);
    /// Work of the device wrote these bytes, rightly or not: what stood there no longer counts.
    void written_by_device(const std::vector<Access>& accesses);
    void written_by_host_function();

  private:
    std::vector<std::weak_ptr<StagedSource>> sources_;
};

}  // namespace vram::virtual_gpu
