// A cache of folders, found by everything that went into them.
//
// The whole key is kept beside each entry and compared, so two keys with the same short hash are
// told apart. Entries appear by a rename: several graders may use one cache at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "grader/proctor/files.h"

namespace vram::proctor {

class Cache {
  public:
    /// Makes the folder if it is missing. Throws FileError when it can't be written.
    Cache(std::filesystem::path folder, std::uintmax_t most_bytes);

    /// The entry's folder, which stays for at least some minutes from now.
    std::optional<std::filesystem::path> find(const std::string& key) const;
    /// A folder on the same file system to prepare an entry in.
    ScratchFolder scratch() const;
    /// Moves all that is in `prepared` into an entry and returns its folder, or the folder of the
    /// same entry when somebody else was faster.
    std::filesystem::path publish(const std::string& key, const ScratchFolder& prepared) const;
    /// Drops the entries that were unused for longest until the rest fits.
    void shrink() const;

    const std::filesystem::path& folder() const { return folder_; }

  private:
    std::filesystem::path place_of(const std::string& key) const;

    std::filesystem::path folder_;
    std::uintmax_t most_bytes_;
};

/// The cache in VRAM_CACHE or `preferred`; where neither can be written, a private one below the
/// system's temporary folder. Throws FileError if that fails too.
Cache open_cache(const std::filesystem::path& preferred);

/// Path, size, time and identity of a file that only installing or building changes.
std::string file_identity(const std::filesystem::path& path);

}  // namespace vram::proctor
