#include "grader/protocol/record.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vram::protocol {
namespace {

Nonce some_nonce(char first) {
    Nonce nonce{};
    for (std::size_t i = 0; i < nonce.size(); ++i) {
        nonce[i] = static_cast<char>(first + static_cast<char>(i * 7));
    }
    return nonce;
}

const Nonce ours = some_nonce('a');

Record failing_result() {
    Record record;
    record.kind = RecordKind::result;
    record.result.check = "Release.SecondCallDoesNothing";
    record.result.verdict = Verdict::fail;
    record.result.share = 0.25;
    record.result.remark = "close";
    Finding finding;
    finding.diagnosis = "double-free";
    finding.first_line = "freed twice";
    finding.steps = {{"cudaFree(0x200) -> cudaSuccess", {0x1234, 0xffffffffffff}, "", 0},
                     {"thread 5 wrote here", {}, "kernel.cu", 12}};
    finding.shown_step = 2;
    finding.note = "still stored here";
    finding.expected = "no call";
    finding.found = "one call";
    finding.why = "it may be somebody else's";
    record.result.findings = {finding};
    return record;
}

TEST(Frame, CarriesAResultUnchanged) {
    FrameReader reader(ours);
    reader.feed(to_frame(failing_result(), ours));
    const auto record = reader.next();
    ASSERT_TRUE(record);
    EXPECT_EQ(record->kind, RecordKind::result);
    const CheckResult& result = record->result;
    EXPECT_EQ(result.check, "Release.SecondCallDoesNothing");
    EXPECT_EQ(result.verdict, Verdict::fail);
    EXPECT_EQ(result.share, 0.25);
    EXPECT_EQ(result.remark, "close");
    ASSERT_EQ(result.findings.size(), 1u);
    const Finding& finding = result.findings.front();
    EXPECT_EQ(finding.diagnosis, "double-free");
    EXPECT_EQ(finding.first_line, "freed twice");
    ASSERT_EQ(finding.steps.size(), 2u);
    EXPECT_EQ(finding.steps[0].frames, (std::vector<std::uint64_t>{0x1234, 0xffffffffffff}));
    EXPECT_EQ(finding.steps[1].file, "kernel.cu");
    EXPECT_EQ(finding.steps[1].line, 12);
    EXPECT_EQ(finding.shown_step, 2);
    EXPECT_EQ(finding.note, "still stored here");
    EXPECT_EQ(finding.expected, "no call");
    EXPECT_EQ(finding.found, "one call");
    EXPECT_EQ(finding.why, "it may be somebody else's");
}

TEST(Frame, CarriesHelloAndEnd) {
    Record hello;
    hello.kind = RecordKind::hello;
    hello.device = "virtual GPU";
    hello.checks = {"A.One", "A.Two"};
    Record end;
    end.kind = RecordKind::end;
    end.results_sent = 2;
    FrameReader reader(ours);
    reader.feed(to_frame(hello, ours) + to_frame(end, ours));
    const auto first = reader.next();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->device, "virtual GPU");
    EXPECT_EQ(first->checks, hello.checks);
    const auto second = reader.next();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->results_sent, 2);
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.tampered());
    EXPECT_FALSE(reader.in_frame());
}

TEST(Frame, CarriesTextThatIsNoUtf8) {
    Record record = failing_result();
    record.result.remark = "\xff\xfe";
    FrameReader reader(ours);
    reader.feed(to_frame(record, ours));
    EXPECT_TRUE(reader.next());
    EXPECT_FALSE(reader.tampered());
}

TEST(FrameReader, PutsPiecesTogether) {
    FrameReader reader(ours);
    const std::string frame = to_frame(failing_result(), ours);
    for (std::size_t i = 0; i + 1 < frame.size(); ++i) {
        reader.feed(frame.substr(i, 1));
        ASSERT_FALSE(reader.next());
    }
    EXPECT_TRUE(reader.in_frame());
    reader.feed(frame.substr(frame.size() - 1));
    EXPECT_TRUE(reader.next());
    EXPECT_FALSE(reader.tampered());
}

TEST(FrameReader, SeesAWrongNonceByItsFirstByte) {
    FrameReader reader(ours);
    const std::string forged = to_frame(failing_result(), some_nonce('b'));
    reader.feed(forged.substr(0, 5));
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.tampered());
}

TEST(FrameReader, TrustsNothingBehindTampering) {
    FrameReader reader(ours);
    reader.feed(to_frame(failing_result(), some_nonce('b')));
    EXPECT_FALSE(reader.next());
    reader.feed(to_frame(failing_result(), ours));
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.tampered());
}

class Garbage : public testing::TestWithParam<std::string> {};

TEST_P(Garbage, IsTampering) {
    std::string frame;
    for (std::size_t i = 0; i < 4; ++i) {
        frame.push_back(static_cast<char>(GetParam().size() >> (8 * i) & 0xff));
    }
    frame.append(ours.data(), ours.size());
    FrameReader reader(ours);
    reader.feed(frame + GetParam());
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.tampered());
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, Garbage,
    testing::Values("", "[ RUN      ] A.One", "null", "[]", "{}", R"({"kind":"bonus"})",
                    R"({"kind":"end"})", R"({"kind":"end","results_sent":"two"})",
                    R"({"kind":"result","result":{"check":"A.One","verdict":"splendid","share":1,)"
                    R"("findings":[],"remark":""}})",
                    R"({"kind":"result","result":{"check":"A.One","verdict":"pass","share":2,)"
                    R"("findings":[],"remark":""}})",
                    std::string("\xff\xff\xff"), std::string(5000, '[')));

TEST(FrameReader, DoesNotWaitForAnAbsurdLength) {
    FrameReader reader(ours);
    reader.feed(std::string("\xff\xff\xff\x7f", 4));
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.tampered());
}

TEST(VerdictName, LeadsBackToTheVerdict) {
    for (const Verdict verdict :
         {Verdict::pass, Verdict::fail, Verdict::crashed, Verdict::hung, Verdict::does_not_compile,
          Verdict::not_graded_here, Verdict::inconclusive, Verdict::grader_fault}) {
        EXPECT_EQ(verdict_from_name(verdict_name(verdict)), verdict);
    }
    EXPECT_FALSE(verdict_from_name("splendid"));
}

}  // namespace
}  // namespace vram::protocol
