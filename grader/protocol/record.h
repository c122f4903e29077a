// What crosses the process boundary: the graded program writes records, the proctor reads them.
//
// A record is one frame on a private pipe: 4 bytes length (little endian), a 32-byte nonce that
// only the proctor and the runtime library's start-up code know, then JSON. A frame with a wrong
// nonce, a check that was not asked for, a second result for one check, or bytes behind the end
// record are tampering, and fail what they touch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vram::protocol {

using Nonce = std::array<char, 32>;

/// One step of a story: a runtime call, or a sentence.
struct Step {
    std::string text;  ///< "cudaFree(0x200000000400) -> cudaSuccess"
    /// Return addresses as offsets into the graded program, innermost first; the proctor turns them
    /// into file:line and shows the first one that lies in the learner's file.
    std::vector<std::uint64_t> frames;
    std::string file;  ///< already known place (kernel source lines); wins over frames
    int line = 0;
};

/// Why a check failed.
struct Finding {
    std::string diagnosis;    ///< stable id, "double-free"
    std::string first_line;   ///< one sentence that a learner can act on
    std::vector<Step> steps;  ///< the numbered story
    int shown_step = 0;       ///< which step (from 1) is quoted with its source line; 0: none
    std::string note;         ///< written under the quoted source line; may be empty
    std::string expected;
    std::string found;  ///< may be empty when the steps say it
    std::string why;    ///< may be empty
};

enum class Verdict : std::uint8_t {
    pass,
    fail,
    crashed,
    hung,
    does_not_compile,
    not_graded_here,
    inconclusive,
    grader_fault
};
const char* verdict_name(Verdict verdict);  ///< "pass", "fail", "crashed", "hung", ...
std::optional<Verdict> verdict_from_name(std::string_view name);

struct CheckResult {
    std::string check;  ///< "Release.SecondCallDoesNothing"
    Verdict verdict = Verdict::fail;
    /// Points earned out of 1, for checks with partial credit; a plain pass is 1.
    double share = 0;
    std::vector<Finding> findings;
    std::string remark;  ///< what a pass still could do better, or why it was not graded here
};

enum class RecordKind : std::uint8_t { hello, result, end };

struct Record {
    RecordKind kind{};
    std::string device;               ///< hello: "virtual GPU" or the GPU's name
    std::vector<std::string> checks;  ///< hello: every check that the program holds
    CheckResult result;               ///< result
    int results_sent = 0;             ///< end
};

std::string to_frame(const Record& record, const Nonce& nonce);

/// Cuts a byte stream into records.
class FrameReader {
  public:
    explicit FrameReader(const Nonce& nonce) : nonce_(nonce) {}
    void feed(std::string_view bytes);
    /// The next whole record; nullopt when more bytes are needed or after tampering was seen.
    std::optional<Record> next();
    bool tampered() const { return tampered_; }
    /// Bytes of a frame that is not whole yet have been fed.
    bool in_frame() const { return !pending_.empty(); }

  private:
    Nonce nonce_;
    std::string pending_;
    bool tampered_ = false;
};

}  // namespace vram::protocol
