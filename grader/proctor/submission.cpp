#include "grader/proctor/submission.h"

#include <algorithm>

#include "grader/proctor/files.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace fs = std::filesystem;

namespace {

/// A name is there, even as a symbolic link that leads nowhere.
bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::symlink_status(path, ignored).type() != fs::file_type::not_found &&
           fs::symlink_status(path, ignored).type() != fs::file_type::none;
}

}  // namespace

Submission::Submission(const fs::path& folder, const std::vector<Lab>& labs) : folder_(folder) {
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (status.type() == fs::file_type::not_found) {
        throw FileError(folder.string() + " does not exist.");
    }
    if (error) {
        throw FileError(folder.string() + " can't be read: " + error.message() + ".");
    }
    if (!fs::is_directory(status)) {
        throw FileError(folder.string() +
                        " is not a folder. Give the folder that holds the .cu files.");
    }
    const fs::directory_iterator entries(folder, error);
    if (error) {
        throw FileError(folder.string() + " can't be read: " + error.message() + ".");
    }
    const auto is_missing = [&](const Lab& lab) {
        const SubmittedFile file = find(lab);
        return file.rejection && file.rejection->diagnosis == "missing-file";
    };
    if (std::all_of(labs.begin(), labs.end(), is_missing)) {
        std::vector<std::string> names;
        for (const Lab& lab : labs) {
            names.push_back(lab.file);
        }
        throw FileError(folder.string() + " holds no file of any lab. The files are called " +
                        joined(names, ", ") + ".");
    }
}

SubmittedFile Submission::find(const Lab& lab) const {
    SubmittedFile result;
    result.lab = &lab;
    std::vector<fs::path> found;
    for (const fs::path& place : {folder_ / "labs" / lab.name / lab.file,
                                  folder_ / lab.name / lab.file, folder_ / lab.file}) {
        if (is_there(place)) {
            found.push_back(place);
        }
    }
    if (found.empty()) {
        result.rejection = Rejection{};
        result.rejection->diagnosis = "missing-file";
        result.rejection->first_line = "There is no " + lab.file + " in " + folder_.string() + ".";
        return result;
    }
    if (found.size() > 1) {
        result.rejection = Rejection{};
        result.rejection->diagnosis = "two-files";
        result.rejection->first_line = "There is more than one " + lab.file + ": " +
                                       found[0].string() + " and " + found[1].string() + ".";
        return result;
    }
    std::error_code error;
    const fs::file_status status = fs::status(found.front(), error);
    if (error || !fs::is_regular_file(status)) {
        result.rejection = Rejection{};
        result.rejection->diagnosis = "unreadable";
        result.rejection->first_line =
            found.front().string() +
            (error ? " can't be read: " + error.message() + "." : std::string(" is not a file."));
        return result;
    }
    result.path = found.front();
    return result;
}

}  // namespace vram::proctor
