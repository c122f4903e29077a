#include "grader/proctor/corpus.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "grader/proctor/files.h"
#include "grader/proctor/lab_lookup.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace fs = std::filesystem;

namespace {

using protocol::Verdict;

const std::set<std::string> keys = {"fails", "diagnosis", "may also fail", "mistake", "devices",
                                    "lab",   "strategy",  "surface",       "expect",  "solves",
                                    "style", "partial",   "says",          "shows"};

/// Their values go on in the next line; all others do so only after a comma.
const std::set<std::string> prose = {"mistake", "strategy", "surface", "style"};

std::string value_of(const CorpusHeader& header, const std::string& key) {
    const auto found = header.find(key);
    return found == header.end() ? "" : found->second;
}

std::string verdict_text(const CheckGrade& check) {
    std::string text = protocol::verdict_name(check.verdict);
    std::vector<std::string> ids;
    for (const PlacedFinding& finding : check.findings) {
        ids.push_back(finding.diagnosis);
    }
    if (!ids.empty()) {
        text += " with " + joined(ids, ", ") + " (" + check.findings.front().first_line + ")";
    } else if (!check.remark.empty()) {
        text += " (" + check.remark + ")";
    }
    return text;
}

/// The lab's rejection stands for each check's finding.
std::vector<std::string> diagnoses_of(const LabGrade& grade, const CheckGrade& check) {
    std::vector<std::string> ids;
    if (grade.rejection) {
        ids.push_back(grade.rejection->diagnosis);
    }
    for (const PlacedFinding& finding : check.findings) {
        ids.push_back(finding.diagnosis);
    }
    return ids;
}

/// Whether a finding's first line has this text in it.
bool says(const CheckGrade& check, const std::string& text) {
    return std::any_of(check.findings.begin(), check.findings.end(),
                       [&](const PlacedFinding& finding) {
                           return finding.first_line.find(text) != std::string::npos;
                       });
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

bool passes(const CheckGrade& check) {
    return check.verdict == Verdict::pass || check.verdict == Verdict::not_graded_here;
}

bool shows(const CheckGrade& check, const std::string& text) {
    return std::any_of(check.findings.begin(), check.findings.end(),
                       [&](const PlacedFinding& finding) {
                           return finding.quote && finding.quote->text.find(text) != text.npos;
                       });
}

std::vector<std::string> against_right(const CorpusHeader& header, const LabGrade& grade) {
    std::vector<std::string> result;
    const auto partial = list_of(value_of(header, "partial"), ',');
    for (const CheckGrade& check : grade.checks) {
        const bool all_points = check.earned >= check.points || contains(partial, check.check);
        if (!passes(check) || !all_points) {
            result.push_back(check.check + ": expected pass, came " + verdict_text(check));
        }
    }
    return result;
}

std::vector<std::string> against_wrong(const CorpusHeader& header, const LabGrade& grade) {
    std::vector<std::string> result;
    const std::string fails = value_of(header, "fails");
    const std::string diagnosis = value_of(header, "diagnosis");
    const auto tolerated = list_of(value_of(header, "may also fail"), ',');
    for (const CheckGrade& check : grade.checks) {
        if (check.check == fails) {
            if (check.verdict == Verdict::not_graded_here) {
                continue;
            }
            if (passes(check) || check.verdict == Verdict::grader_fault ||
                check.verdict == Verdict::inconclusive ||
                !contains(diagnoses_of(grade, check), diagnosis)) {
                result.push_back(check.check + ": expected " + diagnosis + ", came " +
                                 verdict_text(check));
            } else if (!says(check, value_of(header, "says"))) {
                result.push_back(check.check + ": expected to hear \"" + value_of(header, "says") +
                                 "\", came " + verdict_text(check));
            } else if (header.contains("shows") && !shows(check, value_of(header, "shows"))) {
                result.push_back(check.check + ": expected to see the source line \"" +
                                 value_of(header, "shows") + "\", came " + verdict_text(check));
            }
        } else if (check.verdict == Verdict::grader_fault ||
                   (!passes(check) && !contains(tolerated, check.check))) {
            result.push_back(check.check + ": expected pass, came " + verdict_text(check));
        }
    }
    return result;
}

std::vector<std::string> against_exploit(const CorpusHeader& header, const LabGrade& grade) {
    std::vector<std::string> result;
    const auto solved = list_of(value_of(header, "solves"), ',');
    const std::string expected = value_of(header, "expect");
    bool as_expected = grade.rejection && grade.rejection->diagnosis == expected;
    for (const CheckGrade& check : grade.checks) {
        as_expected = as_expected || contains(diagnoses_of(grade, check), expected);
        if (check.verdict == Verdict::grader_fault) {
            result.push_back(check.check + ": expected a verdict, came " + verdict_text(check));
        } else if (check.earned > 0 && !contains(solved, check.check)) {
            result.push_back(check.check + ": expected no points, came " + verdict_text(check) +
                             ", " + number(check.earned) + " points");
        }
    }
    if (!as_expected) {
        std::string came = grade.rejection ? grade.rejection->diagnosis : "";
        for (const CheckGrade& check : grade.checks) {
            if (!check.findings.empty() && came.empty()) {
                came = check.check + " " + check.findings.front().diagnosis;
            }
        }
        result.push_back("expected " + expected + " somewhere, came " +
                         (came.empty() ? "nothing" : came));
    }
    return result;
}

void verify(const CorpusFile& file) {
    const auto refuse = [&](const std::string& reason) {
        throw BadCorpusFile(file.name + ": " + reason);
    };
    const auto needs = [&](const char* key) {
        if (value_of(file.header, key).empty()) {
            refuse(std::string("it has no line \"// ") + key + ": ...\"");
        }
    };
    const auto needs_checks = [&](const char* key) {
        for (const std::string& check : list_of(value_of(file.header, key), ',')) {
            if (file.lab->find_check(check) == nullptr) {
                refuse(file.lab->name + " has no check " + check);
            }
        }
    };
    if (file.kind == CorpusKind::wrong) {
        needs("fails");
        needs("diagnosis");
    } else if (file.kind == CorpusKind::exploit) {
        needs("strategy");
        needs("surface");
        needs("expect");
    }
    needs_checks("fails");
    needs_checks("may also fail");
    needs_checks("solves");
    needs_checks("partial");
    for (const std::string& device : list_of(value_of(file.header, "devices"), ',')) {
        if (!device_from_name(device)) {
            refuse("there is no device " + device);
        }
    }
}

std::vector<fs::path> sources_in(const fs::path& folder) {
    std::vector<fs::path> paths;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder, missing)) {
        if (entry.path().extension() == ".cu") {
            paths.push_back(entry.path());
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

CorpusFile loaded(CorpusKind kind, const fs::path& path, const fs::path& corpus) {
    CorpusFile file;
    file.kind = kind;
    file.path = path;
    file.name = path.lexically_relative(corpus);
    file.header = parse_corpus_header(read_file(path));
    return file;
}

}  // namespace

CorpusHeader parse_corpus_header(std::string_view source) {
    CorpusHeader header;
    std::string* value = nullptr;
    bool goes_on = false;
    for (const std::string& line : lines_of(source)) {
        if (!line.starts_with("//")) {
            break;
        }
        const std::string_view text = trimmed(std::string_view(line).substr(2));
        const std::size_t colon = text.find(':');
        std::string key(text.substr(0, colon));
        std::transform(key.begin(), key.end(), key.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (colon != std::string_view::npos && keys.contains(key)) {
            value = &header[key];
            *value = trimmed(text.substr(colon + 1));
            goes_on = prose.contains(key);
        } else if (value != nullptr && (goes_on || value->ends_with(','))) {
            *value += " " + std::string(text);
        }
    }
    return header;
}

bool CorpusFile::meant_for(DeviceKind device) const {
    const auto devices = list_of(value_of(header, "devices"), ',');
    return devices.empty() || contains(devices, device_word(device));
}

std::vector<CorpusFile> load_corpus(const fs::path& folder, const std::vector<Lab>& labs) {
    std::vector<CorpusFile> files;
    for (const auto& [kind, name] :
         {std::pair{CorpusKind::right, "right"}, std::pair{CorpusKind::wrong, "wrong"}}) {
        for (const Lab& lab : labs) {
            for (const fs::path& path : sources_in(folder / name / lab.name)) {
                files.push_back(loaded(kind, path, folder));
                files.back().lab = &lab;
                verify(files.back());
            }
        }
    }
    for (const fs::path& path : sources_in(folder / "exploits")) {
        CorpusFile file = loaded(CorpusKind::exploit, path, folder);
        file.lab = find_lab(labs, value_of(file.header, "lab"));
        if (file.lab == nullptr) {
            throw BadCorpusFile(file.name + ": it has no line \"// lab: NN\" of a lab");
        }
        verify(file);
        files.push_back(std::move(file));
    }
    return files;
}

std::vector<std::string> contradictions(const CorpusFile& file, const LabGrade& grade) {
    if (grade.grader_fault && grade.rejection) {
        return {"a fault of the grader: " + grade.rejection->first_line};
    }
    switch (file.kind) {
        case CorpusKind::right:
            break;
        case CorpusKind::wrong:
            return against_wrong(file.header, grade);
        case CorpusKind::exploit:
            return against_exploit(file.header, grade);
    }
    if (grade.rejection) {
        return {"expected full marks, came " + grade.rejection->diagnosis + " (" +
                grade.rejection->first_line + ")"};
    }
    return against_right(file.header, grade);
}

}  // namespace vram::proctor
