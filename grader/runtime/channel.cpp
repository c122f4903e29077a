#include "grader/runtime/channel.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "grader/runtime/environment.h"

namespace vram::runtime {
namespace {

constexpr int lowest_descriptor = 800;

bool read_whole(int descriptor, char* to, std::size_t bytes) {
    while (bytes > 0) {
        ssize_t got = read(descriptor, to, bytes);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        to += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

Channel open_channel() {
    Channel channel;
    std::string text = environment("VRAM_CHANNEL");
    int given = text.empty() ? -1 : std::atoi(text.c_str());
    if (given <= 2 || !read_whole(given, channel.nonce.data(), channel.nonce.size())) {
        return {};
    }
    channel.descriptor = fcntl(given, F_DUPFD_CLOEXEC, lowest_descriptor);
    if (channel.descriptor >= 0) {
        close(given);
    } else {
        fcntl(given, F_SETFD, FD_CLOEXEC);
        channel.descriptor = given;
    }
    return channel;
}

}  // namespace

const Channel& take_channel() {
    static const Channel channel = open_channel();
    return channel;
}

void clean_environment() {
    unsetenv("VRAM_CHANNEL");
}

}  // namespace vram::runtime
