// The commands of `vram`. Each gets the words behind its name and returns the exit status.
#pragma once

#include <string>
#include <vector>

#include "grader/proctor/commands/arguments.h"
#include "grader/proctor/manifest.h"

namespace vram::proctor {

using Words = std::vector<std::string>;

int grade_command(const Words& words);
int list_command(const Words& words);
int hint_command(const Words& words);
int overview_command();  ///< `vram` alone
int run_command(const Words& words);
int corpus_command(const Words& words);
int bench_command(const Words& words);

/// The labs of this tree. Throws BadManifest.
std::vector<Lab> all_labs();
/// The lab that is meant; throws UsageError with the nearest name if there is none.
const Lab& lab_meant_by(const std::vector<Lab>& labs, const std::string& text);
/// The devices that `--device auto|virtual|gpu` means here; `gpu` may name one that is not there.
std::vector<DeviceKind> devices_meant_by(const std::string& text);

}  // namespace vram::proctor
