#include "grader/proctor/commands/commands.h"

namespace vram::proctor {

int corpus_command(const Words&) {
    throw UsageError("The corpus is not there yet.");
}

}  // namespace vram::proctor
