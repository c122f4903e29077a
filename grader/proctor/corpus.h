// Solutions whose grade is known: the grader is graded with them. See grader/corpus/README.md.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grader/proctor/grade.h"
#include "grader/proctor/manifest.h"

namespace vram::proctor {

/// The `// key: value` lines at the top of a corpus file. A comment line without a key goes on with
/// the value before it.
using CorpusHeader = std::map<std::string, std::string>;
CorpusHeader parse_corpus_header(std::string_view source);

enum class CorpusKind : unsigned char { right, wrong, exploit };

struct CorpusFile {
    CorpusKind kind = CorpusKind::right;
    std::filesystem::path path;
    std::string name;  ///< "wrong/06-double-free/nulls_too_early.cu"
    const Lab* lab = nullptr;
    CorpusHeader header;

    bool meant_for(DeviceKind device) const;
};

/// A file of the corpus that says nothing usable about itself.
class BadCorpusFile : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Every file below right/, wrong/ and exploits/, in order. Throws BadCorpusFile.
std::vector<CorpusFile> load_corpus(const std::filesystem::path& folder,
                                    const std::vector<Lab>& labs);

/// What is not as the file says; empty when all is. One sentence each.
std::vector<std::string> contradictions(const CorpusFile& file, const LabGrade& grade);

}  // namespace vram::proctor
