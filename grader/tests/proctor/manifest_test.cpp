#include "grader/proctor/manifest.h"

#include <gtest/gtest.h>

#include "grader/proctor/files.h"

namespace vram::proctor {
namespace {

std::string manifest(const std::string& points, const std::string& devices,
                     const std::string& file = "frame_store.cu") {
    return R"({"lab": "06-double-free", "title": "Double free", "file": ")" + file +
           R"(", "header": "frame_store.h", "points": )" + points +
           R"(, "minutes": 40, "summary": "Mend it", "bug_hunt": true, "checks": [
           {"name": "A.One", "points": 4, "devices": )" +
           devices + R"(, "diagnoses": ["double-free"]},
           {"name": "A.Two", "points": 2, "devices": ["gpu"], "diagnoses": []}]})";
}

TEST(Manifest, IsRead) {
    const Lab lab = parse_manifest(manifest("6", R"(["virtual", "gpu"])"), "06-double-free.json");
    EXPECT_EQ(lab.name, "06-double-free");
    EXPECT_EQ(lab.number(), "06");
    EXPECT_TRUE(lab.bug_hunt);
    ASSERT_EQ(lab.checks.size(), 2u);
    EXPECT_TRUE(lab.checks[0].decided_by(DeviceKind::virtual_gpu));
    EXPECT_FALSE(lab.checks[1].decided_by(DeviceKind::virtual_gpu));
    EXPECT_TRUE(lab.checks[1].decided_by(DeviceKind::gpu));
    EXPECT_EQ(lab.find_check("A.Two"), &lab.checks[1]);
    EXPECT_EQ(lab.find_check("A.Three"), nullptr);
}

std::string manifest_with_variants(const std::string& variants) {
    std::string text = manifest("6", R"(["virtual"])");
    return text.insert(1, "\"variants\": " + variants + ", ");
}

TEST(Manifest, HasOneVariantWhenItNamesNone) {
    const Lab lab = parse_manifest(manifest("6", R"(["virtual"])"), "06-double-free.json");
    ASSERT_EQ(lab.variants_of("anything").size(), 1u);
    EXPECT_TRUE(lab.variants.front().defines.empty());
}

TEST(Manifest, LeavesOutAVariantThatCannotDiffer) {
    const Lab lab =
        parse_manifest(manifest_with_variants(R"([{"name": "release", "defines": ["NDEBUG"]},
            {"name": "debug", "defines": [], "if_mentioned": ["assert", "NDEBUG"]}])"),
                       "06-double-free.json");
    EXPECT_EQ(lab.variants.front().defines, std::vector<std::string>{"NDEBUG"});
    EXPECT_EQ(lab.variants_of("int f() { return 1; }").size(), 1u);
    ASSERT_EQ(lab.variants_of("assert(f() == 1);").size(), 2u);
    EXPECT_EQ(lab.variants_of("#ifdef NDEBUG").back().name, "debug");
}

TEST(Manifest, ThatContradictsItselfIsRefused) {
    const std::string name = "06-double-free.json";
    EXPECT_THROW(parse_manifest(manifest("7", R"(["gpu"])"), name), BadManifest);
    EXPECT_THROW(parse_manifest(manifest("6", R"(["tpu"])"), name), BadManifest);
    EXPECT_THROW(parse_manifest(manifest("6", "[]"), name), BadManifest);
    EXPECT_THROW(parse_manifest(manifest("6", R"(["gpu"])"), "07-leaks.json"), BadManifest);
    EXPECT_THROW(parse_manifest(manifest_with_variants("[]"), name), BadManifest);
    EXPECT_THROW(parse_manifest("{}", name), BadManifest);
    EXPECT_THROW(parse_manifest("no JSON", name), BadManifest);
}

TEST(Labs, HaveFilesOfTheirOwn) {
    const ScratchFolder folder(std::filesystem::temp_directory_path());
    std::string second = manifest("6", R"(["gpu"])");
    second.replace(second.find("06-double-free"), 14, "07-leaks");
    write_file(folder.path() / "06-double-free.json", manifest("6", R"(["gpu"])"));
    write_file(folder.path() / "07-leaks.json", second);
    EXPECT_THROW(load_labs(folder.path()), BadManifest);
    second.replace(second.find("frame_store.cu"), 14, "recorder.cu");
    write_file(folder.path() / "07-leaks.json", second);
    const auto labs = load_labs(folder.path());
    ASSERT_EQ(labs.size(), 2u);
    EXPECT_EQ(labs[1].file, "recorder.cu");
}

TEST(Labs, OfAMissingFolderAreAFault) {
    EXPECT_THROW(load_labs("/nowhere"), BadManifest);
}

}  // namespace
}  // namespace vram::proctor
