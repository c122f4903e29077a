#include "grader/bench/pool/report.h"

#include "grader/bench/format.h"
#include "grader/json/json_text.h"

namespace vram::bench {

std::string as_text(const std::vector<Measurement>& measurements) {
    std::string text = format("%-12s %-16s %9s %9s %9s %12s %9s %9s\n", "trace", "allocator",
                              "ns/pair", "least", "driver", "utilisation", "growing", "refused");
    std::string last_trace;
    for (const Measurement& row : measurements) {
        if (!last_trace.empty() && row.trace != last_trace) {
            text += "\n";
        }
        last_trace = row.trace;
        text +=
            format("%-12s %-16s %9.1f %9.1f %9.1f %11.2f%% %8.2f%% %9zu\n", row.trace.c_str(),
                   row.contestant.c_str(), row.median_nanoseconds, row.least_nanoseconds,
                   row.driver_nanoseconds, row.utilisation, row.utilisation_growing, row.refused);
    }
    return text;
}

std::string as_csv(const std::vector<Measurement>& measurements) {
    std::string text =
        "trace,allocator,median_ns_per_pair,least_ns_per_pair,driver_ns_per_pair,"
        "utilisation_percent,utilisation_growing_percent,backing_allocations,refused\n";
    for (const Measurement& row : measurements) {
        text += format("%s,%s,%.2f,%.2f,%.2f,%.3f,%.3f,%llu,%zu\n", row.trace.c_str(),
                       row.contestant.c_str(), row.median_nanoseconds, row.least_nanoseconds,
                       row.driver_nanoseconds, row.utilisation, row.utilisation_growing,
                       static_cast<unsigned long long>(row.backing_allocations), row.refused);
    }
    return text;
}

std::string as_json(const std::vector<Measurement>& measurements, const std::string& processor) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Measurement& row : measurements) {
        rows.push_back({{"trace", row.trace},
                        {"allocator", row.contestant},
                        {"median_ns_per_pair", row.median_nanoseconds},
                        {"least_ns_per_pair", row.least_nanoseconds},
                        {"driver_ns_per_pair", row.driver_nanoseconds},
                        {"utilisation_percent", row.utilisation},
                        {"utilisation_growing_percent", row.utilisation_growing},
                        {"backing_allocations", row.backing_allocations},
                        {"refused", row.refused}});
    }
    return json_text({{"processor", processor}, {"measurements", rows}}) + "\n";
}

}  // namespace vram::bench
