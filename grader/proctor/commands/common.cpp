#include "grader/proctor/commands/commands.h"
#include "grader/proctor/installation.h"
#include "grader/proctor/lab_lookup.h"

namespace vram::proctor {

std::vector<Lab> all_labs() {
    return load_labs(this_installation().manifests());
}

const Lab& lab_meant_by(const std::vector<Lab>& labs, const std::string& text) {
    if (const Lab* lab = find_lab(labs, text)) {
        return *lab;
    }
    const Lab* nearest = nearest_lab(labs, text);
    throw UsageError("There is no lab \"" + text + "\"." +
                     (nearest ? " Did you mean " + nearest->name + "?" : "") +
                     " `./vram list` shows all labs.");
}

std::vector<DeviceKind> devices_meant_by(const std::string& text) {
    if (text == "auto") {
        std::vector<DeviceKind> devices = {DeviceKind::virtual_gpu};
        if (present_gpu()) {
            devices.push_back(DeviceKind::gpu);
        }
        return devices;
    }
    if (const auto device = device_from_name(text)) {
        return {*device};
    }
    throw UsageError("There is no device \"" + text + "\": choose auto, virtual or gpu.");
}

}  // namespace vram::proctor
