// Measurements as text, CSV and JSON.
#include <gtest/gtest.h>

#include <string>

#include "grader/bench/pool/report.h"
#include "grader/json/json_text.h"

namespace vram::bench {
namespace {

std::vector<Measurement> two_rows() {
    Measurement first;
    first.trace = "etl";
    first.contestant = "reference";
    first.median_nanoseconds = 51.25;
    first.utilisation = 89.5;
    Measurement second = first;
    second.contestant = "cub";
    second.refused = 3;
    return {first, second};
}

TEST(Report, CsvHasALineForEachMeasurementBelowItsHeader) {
    EXPECT_EQ(as_csv(two_rows()),
              "trace,allocator,median_ns_per_pair,least_ns_per_pair,driver_ns_per_pair,"
              "utilisation_percent,utilisation_growing_percent,backing_allocations,refused\n"
              "etl,reference,51.25,0.00,0.00,89.500,0.000,0,0\n"
              "etl,cub,51.25,0.00,0.00,89.500,0.000,0,3\n");
}

TEST(Report, JsonNamesTheProcessor) {
    const auto json = parse_json(as_json(two_rows(), "a processor"));
    EXPECT_EQ(json["processor"], "a processor");
    ASSERT_EQ(json["measurements"].size(), 2u);
    EXPECT_EQ(json["measurements"][1]["allocator"], "cub");
    EXPECT_EQ(json["measurements"][1]["refused"], 3);
    EXPECT_DOUBLE_EQ(json["measurements"][0]["median_ns_per_pair"], 51.25);
}

TEST(Report, TextKeepsRowsOfOneTraceTogether) {
    auto rows = two_rows();
    rows.push_back(rows.front());
    rows.back().trace = "comb";
    const std::string text = as_text(rows);
    EXPECT_NE(text.find("etl          reference             51.2"), std::string::npos) << text;
    EXPECT_NE(text.find("\n\ncomb"), std::string::npos) << text;
}

}  // namespace
}  // namespace vram::bench
