#include "grader/proctor/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace vram::proctor {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path) {
    throw FileError(path.string() + ": " + std::strerror(errno));
}

class Descriptor {
  public:
    Descriptor(const fs::path& path, int flags)
        : number_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {
        if (number_ < 0) {
            fail(path);
        }
    }
    ~Descriptor() { close(number_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

  private:
    int number_;
};

}  // namespace

std::string read_file(const fs::path& path) {
    const Descriptor file(path, O_RDONLY);
    std::string contents;
    char buffer[1 << 16];
    for (;;) {
        const ssize_t count = read(file.number(), buffer, sizeof buffer);
        if (count < 0) {
            fail(path);
        }
        if (count == 0) {
            return contents;
        }
        contents.append(buffer, static_cast<std::size_t>(count));
    }
}

void write_file(const fs::path& path, std::string_view contents) {
    const Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
    while (!contents.empty()) {
        const ssize_t count = write(file.number(), contents.data(), contents.size());
        if (count < 0) {
            fail(path);
        }
        contents.remove_prefix(static_cast<std::size_t>(count));
    }
}

void replace_file(const fs::path& path, std::string_view contents) {
    std::error_code ignored;
    if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
        write_file(path, contents);
        return;
    }
    fs::path target = path;
    if (fs::is_symlink(path, ignored)) {
        target = fs::weakly_canonical(path);
    }
    const fs::path beside = target.string() + ".new" + std::to_string(getpid());
    try {
        write_file(beside, contents);
        fs::rename(beside, target);
    } catch (const fs::filesystem_error& error) {
        fs::remove(beside, ignored);
        throw FileError(path.string() + ": " + error.code().message());
    } catch (const FileError&) {
        const int cause = errno;
        fs::remove(beside, ignored);
        throw FileError(path.string() + ": " + std::strerror(cause));
    }
}

void require_replaceable(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        errno = EISDIR;
        fail(path);
    }
    const bool in_place = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
    // A slash at the end: something that is no folder is not good enough.
    const fs::path written = in_place ? path : fs::absolute(path).parent_path() / "";
    if (access(written.c_str(), W_OK) != 0) {
        fail(path);
    }
}

std::uintmax_t bytes_in(const fs::path& folder) {
    std::uintmax_t total = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code missing;
        const std::uintmax_t bytes =
            entry->is_regular_file(missing) ? entry->file_size(missing) : 0;
        total += missing ? 0 : bytes;
    }
    return total;
}

ScratchFolder::ScratchFolder(const fs::path& parent) {
    std::string name = (parent / "scratch-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        fail(parent);
    }
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace vram::proctor
