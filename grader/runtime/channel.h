// The private channel to the proctor; see grader/protocol/PROTOCOL.md.
#pragma once

#include <array>

namespace vram::runtime {

struct Channel {
    int descriptor = -1;  ///< -1: there is none
    std::array<char, 32> nonce{};
};

/// Takes the channel over from VRAM_CHANNEL, once; later calls give the same answer.
const Channel& take_channel();
/// Removes the variables of this start from the environment, so that no child inherits them.
void clean_environment();

}  // namespace vram::runtime
