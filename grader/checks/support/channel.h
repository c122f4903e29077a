// One end of a private channel: a descriptor, and the nonce that marks our own records.
#pragma once

#include "grader/protocol/record.h"

namespace vram::checks {

class Channel {
  public:
    Channel() = default;
    Channel(int descriptor, const protocol::Nonce& nonce)
        : descriptor_(descriptor), nonce_(nonce) {}

    bool open() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    const protocol::Nonce& nonce() const { return nonce_; }
    /// Writes the whole record, or ends the process when the other side is gone.
    void send(const protocol::Record& record) const;
    void close();

  private:
    int descriptor_ = -1;
    protocol::Nonce nonce_{};
};

/// A connected pair with a fresh random nonce: the examiner keeps the first, a worker gets the
/// second.
struct ChannelPair {
    Channel examiner;
    Channel worker;
};
ChannelPair make_channel_pair();

}  // namespace vram::checks
