#include "grader/protocol/record.h"

#include "grader/json/json_text.h"

namespace vram::protocol {

namespace {

using nlohmann::json;

constexpr std::size_t length_bytes = 4;
/// A frame that claims to be longer than this is garbage: stories are a few kilobytes.
constexpr std::size_t longest_frame = 16u << 20;

constexpr struct {
    Verdict verdict;
    const char* name;
} verdict_names[] = {
    {Verdict::pass, "pass"},
    {Verdict::fail, "fail"},
    {Verdict::crashed, "crashed"},
    {Verdict::hung, "hung"},
    {Verdict::does_not_compile, "does not compile"},
    {Verdict::not_graded_here, "not graded here"},
    {Verdict::inconclusive, "inconclusive"},
    {Verdict::grader_fault, "grader fault"},
};

constexpr struct {
    RecordKind kind;
    const char* name;
} kind_names[] = {
    {RecordKind::hello, "hello"},
    {RecordKind::result, "result"},
    {RecordKind::end, "end"},
};

const char* kind_name(RecordKind kind) {
    for (const auto& entry : kind_names) {
        if (entry.kind == kind) {
            return entry.name;
        }
    }
    return "";
}

std::optional<RecordKind> kind_from_name(std::string_view name) {
    for (const auto& entry : kind_names) {
        if (name == entry.name) {
            return entry.kind;
        }
    }
    return std::nullopt;
}

json to_json(const Step& step) {
    return {{"text", step.text}, {"frames", step.frames}, {"file", step.file}, {"line", step.line}};
}

json to_json(const Finding& finding) {
    json steps = json::array();
    for (const Step& step : finding.steps) {
        steps.push_back(to_json(step));
    }
    return {{"diagnosis", finding.diagnosis}, {"first_line", finding.first_line},
            {"steps", std::move(steps)},      {"shown_step", finding.shown_step},
            {"note", finding.note},           {"expected", finding.expected},
            {"found", finding.found},         {"why", finding.why}};
}

json to_json(const CheckResult& result) {
    json findings = json::array();
    for (const Finding& finding : result.findings) {
        findings.push_back(to_json(finding));
    }
    return {{"check", result.check},
            {"verdict", verdict_name(result.verdict)},
            {"share", result.share},
            {"findings", std::move(findings)},
            {"remark", result.remark}};
}

// Every field is read with at(): a record that lacks one is no record, and the exception that at()
// throws is caught in one place.
Step step_from(const json& source) {
    Step step;
    source.at("text").get_to(step.text);
    source.at("frames").get_to(step.frames);
    source.at("file").get_to(step.file);
    source.at("line").get_to(step.line);
    return step;
}

Finding finding_from(const json& source) {
    Finding finding;
    source.at("diagnosis").get_to(finding.diagnosis);
    source.at("first_line").get_to(finding.first_line);
    for (const json& step : source.at("steps")) {
        finding.steps.push_back(step_from(step));
    }
    source.at("shown_step").get_to(finding.shown_step);
    source.at("note").get_to(finding.note);
    source.at("expected").get_to(finding.expected);
    source.at("found").get_to(finding.found);
    source.at("why").get_to(finding.why);
    return finding;
}

std::optional<CheckResult> result_from(const json& source) {
    CheckResult result;
    source.at("check").get_to(result.check);
    const auto verdict = verdict_from_name(source.at("verdict").get<std::string>());
    source.at("share").get_to(result.share);
    if (!verdict || !(result.share >= 0 && result.share <= 1)) {
        return std::nullopt;
    }
    result.verdict = *verdict;
    for (const json& finding : source.at("findings")) {
        result.findings.push_back(finding_from(finding));
    }
    source.at("remark").get_to(result.remark);
    return result;
}

std::optional<Record> record_from(const json& source) {
    const auto kind = kind_from_name(source.at("kind").get<std::string>());
    if (!kind) {
        return std::nullopt;
    }
    Record record;
    record.kind = *kind;
    switch (record.kind) {
        case RecordKind::hello:
            source.at("device").get_to(record.device);
            source.at("checks").get_to(record.checks);
            break;
        case RecordKind::result: {
            auto result = result_from(source.at("result"));
            if (!result) {
                return std::nullopt;
            }
            record.result = std::move(*result);
            break;
        }
        case RecordKind::end:
            source.at("results_sent").get_to(record.results_sent);
            break;
    }
    return record;
}

std::optional<Record> parse(std::string_view text) {
    try {
        return record_from(parse_json(text));
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

std::size_t length_of(std::string_view frame) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) {
        length |= std::size_t{static_cast<unsigned char>(frame[i])} << (8 * i);
    }
    return length;
}

}  // namespace

const char* verdict_name(Verdict verdict) {
    for (const auto& entry : verdict_names) {
        if (entry.verdict == verdict) {
            return entry.name;
        }
    }
    return "";
}

std::optional<Verdict> verdict_from_name(std::string_view name) {
    for (const auto& entry : verdict_names) {
        if (name == entry.name) {
            return entry.verdict;
        }
    }
    return std::nullopt;
}

std::string to_frame(const Record& record, const Nonce& nonce) {
    json body = {{"kind", kind_name(record.kind)}};
    switch (record.kind) {
        case RecordKind::hello:
            body["device"] = record.device;
            body["checks"] = record.checks;
            break;
        case RecordKind::result:
            body["result"] = to_json(record.result);
            break;
        case RecordKind::end:
            body["results_sent"] = record.results_sent;
            break;
    }
    // A story may quote bytes that are no UTF-8; they must not cost the record.
    const std::string text = json_text(body, JsonLayout::one_line);
    std::string frame;
    frame.reserve(length_bytes + nonce.size() + text.size());
    for (std::size_t i = 0; i < length_bytes; ++i) {
        frame.push_back(static_cast<char>(text.size() >> (8 * i) & 0xff));
    }
    frame.append(nonce.data(), nonce.size());
    frame.append(text);
    return frame;
}

void FrameReader::feed(std::string_view bytes) {
    if (!tampered_) {
        pending_.append(bytes);
    }
}

std::optional<Record> FrameReader::next() {
    const std::size_t header = length_bytes + nonce_.size();
    if (tampered_ || pending_.size() < length_bytes) {
        return std::nullopt;
    }
    const std::string_view frame = pending_;
    const std::size_t length = length_of(frame);
    const std::string_view nonce = frame.substr(length_bytes, nonce_.size());
    // A forged frame is seen by its first bytes; a length of its own choice can't make us wait.
    if (length > longest_frame ||
        nonce != std::string_view(nonce_.data(), nonce_.size()).substr(0, nonce.size())) {
        tampered_ = true;
        return std::nullopt;
    }
    if (frame.size() < header + length) {
        return std::nullopt;
    }
    auto record = parse(frame.substr(header, length));
    if (!record) {
        tampered_ = true;
        return std::nullopt;
    }
    pending_.erase(0, header + length);
    return record;
}

}  // namespace vram::protocol
