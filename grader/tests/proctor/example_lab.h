// A lab and a grade that several tests use.
#pragma once

#include "grader/proctor/grade.h"
#include "grader/proctor/manifest.h"

namespace vram::proctor::example {

inline Lab lab() {
    Lab lab;
    lab.name = "06-double-free";
    lab.title = "Double free";
    lab.file = "frame_store.cu";
    lab.header = "frame_store.h";
    lab.summary = "Mend release code that frees twice";
    lab.points = 12;
    lab.minutes = 40;
    const std::vector<DeviceKind> both = {DeviceKind::virtual_gpu, DeviceKind::gpu};
    lab.checks = {{"Release.SecondCallDoesNothing", 4, both, {"double-free"}},
                  {"View.IsNeverFreed", 4, both, {"free-interior"}},
                  {"Release.FreesEachBufferOnce", 4, both, {"leak"}}};
    return lab;
}

inline PlacedFinding double_free() {
    PlacedFinding finding;
    finding.diagnosis = "double-free";
    finding.first_line = "release() passed cudaFree an address that it had freed before.";
    finding.steps = {
        {"cudaMalloc(1048576 bytes) -> 0x200000000400", {"frame_store.cu", 31, "make_store"}},
        {"cudaFree(0x200000000400) -> cudaSuccess", {"frame_store.cu", 58, "release"}},
        {"cudaFree(0x200000000400) -> cudaErrorInvalidValue", {"frame_store.cu", 58, "release"}}};
    finding.shown_step = 3;
    finding.quote = quote_of(std::string(57, '\n') + "    cudaFree(store->pixels);\n", 58,
                             finding.steps[2].text, "freed in step 2, still stored here");
    finding.expected = "the second release() makes no runtime call and returns cudaSuccess";
    finding.why = "once freed, an address can belong to somebody else: the next free is theirs";
    return finding;
}

inline CheckGrade check(const std::string& name, protocol::Verdict verdict, double points,
                        double earned) {
    CheckGrade grade;
    grade.check = name;
    grade.verdict = verdict;
    grade.points = points;
    grade.earned = earned;
    grade.device = "virtual GPU";
    return grade;
}

inline LabGrade grade() {
    LabGrade grade;
    grade.lab = "06-double-free";
    grade.title = "Double free";
    grade.file = "frame_store.cu";
    grade.devices = {"virtual GPU"};
    grade.checks = {check("Release.SecondCallDoesNothing", protocol::Verdict::fail, 4, 0),
                    check("View.IsNeverFreed", protocol::Verdict::fail, 4, 0),
                    check("Release.FreesEachBufferOnce", protocol::Verdict::pass, 4, 4)};
    grade.checks[0].findings = {double_free()};
    grade.checks[1].findings = {double_free()};
    return grade;
}

}  // namespace vram::proctor::example
