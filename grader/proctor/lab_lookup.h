// Finds labs and checks by what a person types.
#pragma once

#include <string>
#include <vector>

#include "grader/proctor/manifest.h"

namespace vram::proctor {

/// The lab that is meant by "06", "6", "double-free", "06-double-free", "labs/06-double-free/" or
/// "frame_store.cu". Null if none is.
const Lab* find_lab(const std::vector<Lab>& labs, const std::string& text);
/// The lab whose name is nearest to the text. Null if none is near.
const Lab* nearest_lab(const std::vector<Lab>& labs, const std::string& text);
/// The check that is meant by "Release.SecondCallDoesNothing" or "SecondCallDoesNothing", in any
/// case of letters. Null if none or more than one is.
const Check* find_check(const Lab& lab, const std::string& text);

}  // namespace vram::proctor
