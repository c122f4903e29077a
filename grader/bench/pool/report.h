// Measurements as text, CSV and JSON.
#pragma once

#include <string>
#include <vector>

#include "grader/bench/pool/measurement.h"

namespace vram::bench {

std::string as_text(const std::vector<Measurement>& measurements);
/// A header line, then a line a measurement.
std::string as_csv(const std::vector<Measurement>& measurements);
/// {"processor": ..., "measurements": [{...}, ...]}
std::string as_json(const std::vector<Measurement>& measurements, const std::string& processor);

}  // namespace vram::bench
