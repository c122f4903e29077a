#include "grader/proctor/device.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

constexpr int driver_patience_milliseconds = 20'000;

/// Runs in the child: one line "NAME\tARCH" for the first device, or nothing.
void describe_first_gpu(int output) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) {
        return;
    }
    // The driver's C interface (cuda.h): a CUdevice is an int, results are 0 for success.
    constexpr int major_attribute = 75;
    constexpr int minor_attribute = 76;
    using Init = int (*)(unsigned);
    using Get = int (*)(int*, int);
    using Name = int (*)(char*, int, int);
    using Attribute = int (*)(int*, int, int);
    const auto init = reinterpret_cast<Init>(dlsym(driver, "cuInit"));
    const auto get = reinterpret_cast<Get>(dlsym(driver, "cuDeviceGet"));
    const auto name = reinterpret_cast<Name>(dlsym(driver, "cuDeviceGetName"));
    const auto attribute = reinterpret_cast<Attribute>(dlsym(driver, "cuDeviceGetAttribute"));
    if (!init || !get || !name || !attribute || init(0) != 0) {
        return;
    }
    int device = 0;
    int major = 0;
    int minor = 0;
    char text[256] = {};
    if (get(&device, 0) != 0 || name(text, sizeof text - 1, device) != 0 ||
        attribute(&major, major_attribute, device) != 0 ||
        attribute(&minor, minor_attribute, device) != 0) {
        return;
    }
    dprintf(output, "%s\t%d%d", text, major, minor);
}

std::string first_line_from(int input) {
    std::string text;
    pollfd waiting = {input, POLLIN, 0};
    while (poll(&waiting, 1, driver_patience_milliseconds) > 0) {
        char buffer[512];
        const ssize_t count = read(input, buffer, sizeof buffer);
        if (count <= 0) {
            break;
        }
        text.append(buffer, static_cast<std::size_t>(count));
    }
    return text;
}

std::optional<Gpu> ask_driver() {
    int ends[2];
    if (pipe(ends) != 0) {
        return std::nullopt;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        describe_first_gpu(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    if (child > 0) {
        text = first_line_from(ends[0]);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    close(ends[0]);
    const auto parts = list_of(text, '\t');
    if (parts.size() != 2) {
        return std::nullopt;
    }
    return Gpu{parts[0], parts[1]};
}

}  // namespace

const char* device_word(DeviceKind device) {
    return device == DeviceKind::gpu ? "gpu" : "virtual";
}

std::optional<DeviceKind> device_from_name(std::string_view name) {
    if (name == "virtual") {
        return DeviceKind::virtual_gpu;
    }
    if (name == "gpu") {
        return DeviceKind::gpu;
    }
    return std::nullopt;
}

const std::optional<Gpu>& present_gpu() {
    static const std::optional<Gpu> gpu = ask_driver();
    return gpu;
}

}  // namespace vram::proctor
