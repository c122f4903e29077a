// What a lab is, read from grader/checks/NN-name.json.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "grader/proctor/device.h"

namespace vram::proctor {

struct Check {
    std::string name;  ///< "Release.SecondCallDoesNothing"
    double points = 0;
    std::vector<DeviceKind> devices;     ///< those that can decide it
    std::vector<std::string> diagnoses;  ///< ids that the check itself can give

    bool decided_by(DeviceKind device) const;
};

/// One way in which the learner's file is compiled. A check has to hold in each of them.
struct Variant {
    std::string name;  ///< in plain words: "the release build (with NDEBUG)"; empty: the only one
    std::vector<std::string> defines;  ///< macros, such as "NDEBUG"
    /// Words without which a source file is the same program in this variant as in the first one,
    /// such as "assert". Empty: it may always differ.
    std::vector<std::string> if_mentioned;

    bool may_differ(std::string_view source) const;
};

struct Lab {
    std::string name;    ///< "06-double-free"
    std::string title;   ///< "Double free"
    std::string file;    ///< "frame_store.cu", unique among all labs
    std::string header;  ///< "frame_store.h"
    std::string summary;
    double points = 0;
    int minutes = 0;
    bool bug_hunt = false;
    std::vector<Variant> variants = {{}};  ///< at least one
    std::vector<Check> checks;

    std::string number() const { return name.substr(0, name.find('-')); }
    const Check* find_check(const std::string& check) const;
    /// Those in which this source has to be compiled: the first one, and what may differ from it.
    std::vector<Variant> variants_of(std::string_view source) const;
};

/// A manifest that can't be read or contradicts itself: a fault of the grader.
class BadManifest : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws BadManifest.
Lab parse_manifest(const std::string& text, const std::string& file_name);
/// Every lab of the folder, by name. Throws BadManifest.
std::vector<Lab> load_labs(const std::filesystem::path& folder);

}  // namespace vram::proctor
