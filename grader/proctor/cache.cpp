#include "grader/proctor/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace vram::proctor {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t default_limit = std::uintmax_t{2} << 30;
/// An entry that was used this recently may be in use by another grader.
constexpr auto in_use = std::chrono::minutes(15);

/// Names an entry's folder. Collisions are harmless, see Cache::find.
std::uint64_t short_hash(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    return hash;
}

bool is_private_folder(const fs::path& folder) {
    struct stat status {};
    return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & 077) == 0;
}

}  // namespace

Cache::Cache(fs::path folder, std::uintmax_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
        throw FileError(folder_.string() + ": " + error.message());
    }
    ScratchFolder probe(folder_);
}

fs::path Cache::place_of(const std::string& key) const {
    char name[32];
    std::snprintf(name, sizeof name, "entry-%016llx",
                  static_cast<unsigned long long>(short_hash(key)));
    return folder_ / name;
}

std::optional<fs::path> Cache::find(const std::string& key) const {
    const fs::path entry = place_of(key);
    try {
        if (read_file(entry / "key") != key) {
            return std::nullopt;
        }
    } catch (const FileError&) {
        return std::nullopt;
    }
    // The time of the folder says when it was last used.
    utimensat(AT_FDCWD, entry.c_str(), nullptr, 0);
    return entry;
}

ScratchFolder Cache::scratch() const {
    return ScratchFolder(folder_);
}

fs::path Cache::publish(const std::string& key, const ScratchFolder& prepared) const {
    write_file(prepared.path() / "key", key);
    const fs::path entry = place_of(key);
    std::error_code error;
    fs::rename(prepared.path(), entry, error);
    if (!error) {
        return entry;
    }
    if (find(key)) {
        return entry;
    }
    // An entry with the same short hash and another key is in the way, or one that was cut short.
    const fs::path aside = prepared.path().string() + "-old";
    fs::rename(entry, aside, error);
    fs::remove_all(aside, error);
    fs::rename(prepared.path(), entry, error);
    if (error && !find(key)) {
        throw FileError(entry.string() + ": " + error.message());
    }
    return entry;
}

void Cache::shrink() const {
    struct Entry {
        fs::path path;
        fs::file_time_type used;
        std::uintmax_t bytes;
    };
    std::vector<Entry> entries;
    std::uintmax_t total = 0;
    std::error_code error;
    for (const auto& each : fs::directory_iterator(folder_, error)) {
        std::error_code missing;
        const auto used = each.last_write_time(missing);
        if (missing) {
            continue;
        }
        entries.push_back({each.path(), used, bytes_in(each.path())});
        total += entries.back().bytes;
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& one, const Entry& other) { return one.used < other.used; });
    const auto now = fs::file_time_type::clock::now();
    for (const Entry& entry : entries) {
        // What a grader left that was killed is no entry and goes too.
        const bool scratch = entry.path.filename().string().starts_with("scratch-");
        if (now - entry.used < in_use || (total <= most_bytes_ && !scratch)) {
            continue;
        }
        // Renamed first, so that nobody finds half an entry.
        const fs::path aside = entry.path.string() + "-old" + std::to_string(getpid());
        fs::rename(entry.path, aside, error);
        if (!error) {
            fs::remove_all(aside, error);
            total -= entry.bytes;
        }
    }
}

Cache open_cache(const fs::path& preferred) {
    if (const char* chosen = std::getenv("VRAM_CACHE"); chosen != nullptr && *chosen != '\0') {
        try {
            return Cache(fs::absolute(chosen), default_limit);
        } catch (const FileError& error) {
            throw FileError("VRAM_CACHE is \"" + std::string(chosen) +
                            "\"; it can be a folder that can be written. " + error.what());
        }
    }
    try {
        return Cache(preferred, default_limit);
    } catch (const FileError&) {
        const fs::path fallback =
            fs::temp_directory_path() / ("vram-cache-" + std::to_string(geteuid()));
        mkdir(fallback.c_str(), 0700);
        if (!is_private_folder(fallback)) {
            throw;
        }
        return Cache(fallback, default_limit);
    }
}

std::string file_identity(const fs::path& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        return path.string() + " missing";
    }
    return path.string() + " " + std::to_string(status.st_size) + " bytes, changed " +
           std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) +
           ", inode " + std::to_string(status.st_ino);
}

}  // namespace vram::proctor
