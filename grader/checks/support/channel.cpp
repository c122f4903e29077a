#include "grader/checks/support/channel.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace vram::checks {

namespace {
constexpr int exit_channel_lost = 88;
}

void Channel::send(const protocol::Record& record) const {
    const std::string frame = protocol::to_frame(record, nonce_);
    std::size_t sent = 0;
    while (sent < frame.size()) {
        const ssize_t written =
            ::send(descriptor_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
        if (written > 0) {
            sent += static_cast<std::size_t>(written);
        } else if (errno != EINTR) {
            _exit(exit_channel_lost);
        }
    }
}

void Channel::close() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
        descriptor_ = -1;
    }
}

ChannelPair make_channel_pair() {
    int ends[2];
    protocol::Nonce nonce;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
        getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size())) {
        std::perror("vram: no channel to a worker");
        std::exit(exit_channel_lost);
    }
    return {Channel(ends[0], nonce), Channel(ends[1], nonce)};
}

}  // namespace vram::checks
