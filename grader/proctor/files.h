// Reading and writing whole files.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vram::proctor {

/// A file or folder that could not be used; the text names it and says why.
class FileError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws FileError.
std::string read_file(const std::filesystem::path& path);
/// Writes into place; what was there before is lost. Throws FileError, also for a full disk.
void write_file(const std::filesystem::path& path, std::string_view contents);
/// Writes beside `path` and renames, so that a reader sees the old contents or the new ones and a
/// full disk costs nothing. Something that is no regular file (/dev/stdout) is written directly.
void replace_file(const std::filesystem::path& path, std::string_view contents);
/// Throws FileError when replace_file() could not write there. Touches nothing.
void require_replaceable(const std::filesystem::path& path);

/// What the regular files in a folder and below hold together; files that vanish meanwhile count nothing.
std::uintmax_t bytes_in(const std::filesystem::path& folder);

/// A new folder inside `parent` that only this user can enter; removed with all it holds.
class ScratchFolder {
  public:
    explicit ScratchFolder(const std::filesystem::path& parent);  ///< throws FileError
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace vram::proctor
