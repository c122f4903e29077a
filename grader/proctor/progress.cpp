#include "grader/proctor/progress.h"

#include <algorithm>

#include "grader/json/json_text.h"
#include "grader/proctor/files.h"
#include "grader/proctor/folding.h"

namespace vram::proctor {

using nlohmann::json;

ProgressBook load_progress(const std::filesystem::path& file) {
    ProgressBook book;
    try {
        const json body = parse_json(read_file(file));
        for (const auto& [lab, entry] : body.items()) {
            LabProgress progress;
            entry.at("earned").get_to(progress.earned);
            entry.at("points").get_to(progress.points);
            entry.at("complete").get_to(progress.complete);
            entry.at("first_failure").get_to(progress.first_failure);
            book[lab] = std::move(progress);
        }
    } catch (const FileError&) {
        return {};
    } catch (const json::exception&) {
        return {};
    }
    return book;
}

void keep_progress(const std::filesystem::path& file, const std::vector<LabGrade>& grades) {
    json body = json::object();
    ProgressBook book = load_progress(file);
    for (const LabGrade& grade : grades) {
        const auto failure = std::find_if(grade.checks.begin(), grade.checks.end(), is_failure);
        book[grade.lab] = {grade.earned(), grade.points(), grade.complete(),
                           failure == grade.checks.end() ? "" : failure->check};
    }
    for (const auto& [lab, progress] : book) {
        body[lab] = {{"earned", progress.earned},
                     {"points", progress.points},
                     {"complete", progress.complete},
                     {"first_failure", progress.first_failure}};
    }
    try {
        replace_file(file, json_text(body) + "\n");
    } catch (const FileError&) {
        // Grading works without a memory of it, for example in a read-only tree.
    }
}

}  // namespace vram::proctor
