#include "grader/proctor/manifest.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "grader/json/json_text.h"
#include "grader/proctor/files.h"

namespace vram::proctor {

namespace {

using nlohmann::json;

Check check_from(const json& source) {
    Check check;
    source.at("name").get_to(check.name);
    source.at("points").get_to(check.points);
    source.at("diagnoses").get_to(check.diagnoses);
    for (const json& device : source.at("devices")) {
        const auto kind = device_from_name(device.get<std::string>());
        if (!kind) {
            throw BadManifest(check.name + ": no such device: " + json_text(device));
        }
        check.devices.push_back(*kind);
    }
    if (check.devices.empty()) {
        throw BadManifest(check.name + ": no device decides it");
    }
    return check;
}

std::vector<Variant> variants_from(const json& source) {
    std::vector<Variant> variants;
    for (const json& each : source) {
        Variant variant;
        each.at("name").get_to(variant.name);
        each.at("defines").get_to(variant.defines);
        variant.if_mentioned = each.value("if_mentioned", std::vector<std::string>{});
        variants.push_back(std::move(variant));
    }
    if (variants.empty()) {
        throw BadManifest("it names no variant to compile");
    }
    return variants;
}

Lab lab_from(const json& source) {
    Lab lab;
    source.at("lab").get_to(lab.name);
    source.at("title").get_to(lab.title);
    source.at("file").get_to(lab.file);
    source.at("header").get_to(lab.header);
    source.at("summary").get_to(lab.summary);
    source.at("points").get_to(lab.points);
    source.at("minutes").get_to(lab.minutes);
    source.at("bug_hunt").get_to(lab.bug_hunt);
    if (source.contains("variants")) {
        lab.variants = variants_from(source.at("variants"));
    }
    for (const json& check : source.at("checks")) {
        lab.checks.push_back(check_from(check));
    }
    return lab;
}

void verify(const Lab& lab) {
    double sum = 0;
    std::set<std::string> names;
    for (const Check& check : lab.checks) {
        sum += check.points;
        if (!names.insert(check.name).second) {
            throw BadManifest("two checks are called " + check.name);
        }
    }
    if (lab.checks.empty() || std::abs(sum - lab.points) > 1e-9) {
        throw BadManifest("the points of the checks do not add up to those of the lab");
    }
}

}  // namespace

bool Check::decided_by(DeviceKind device) const {
    return std::find(devices.begin(), devices.end(), device) != devices.end();
}

bool Variant::may_differ(std::string_view source) const {
    return if_mentioned.empty() ||
           std::any_of(if_mentioned.begin(), if_mentioned.end(), [&](const std::string& word) {
               return source.find(word) != std::string_view::npos;
           });
}

std::vector<Variant> Lab::variants_of(std::string_view source) const {
    std::vector<Variant> result = {variants.front()};
    std::copy_if(variants.begin() + 1, variants.end(), std::back_inserter(result),
                 [&](const Variant& variant) { return variant.may_differ(source); });
    return result;
}

const Check* Lab::find_check(const std::string& check) const {
    const auto found = std::find_if(checks.begin(), checks.end(),
                                    [&](const Check& each) { return each.name == check; });
    return found == checks.end() ? nullptr : &*found;
}

Lab parse_manifest(const std::string& text, const std::string& file_name) {
    try {
        Lab lab = lab_from(parse_json(text));
        if (lab.name + ".json" != file_name) {
            throw BadManifest("it speaks of the lab " + lab.name);
        }
        verify(lab);
        return lab;
    } catch (const json::exception& error) {
        throw BadManifest(file_name + ": " + error.what());
    } catch (const BadManifest& error) {
        throw BadManifest(file_name + ": " + error.what());
    }
}

std::vector<Lab> load_labs(const std::filesystem::path& folder) {
    std::vector<Lab> labs;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".json") {
            labs.push_back(parse_manifest(read_file(entry.path()), entry.path().filename()));
        }
    }
    if (error) {
        throw BadManifest(folder.string() + ": " + error.message());
    }
    std::sort(labs.begin(), labs.end(),
              [](const Lab& one, const Lab& other) { return one.name < other.name; });
    for (std::size_t i = 0; i < labs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (labs[i].file == labs[j].file) {
                throw BadManifest(labs[j].name + " and " + labs[i].name + " both have a file " +
                                  labs[i].file);
            }
        }
    }
    return labs;
}

}  // namespace vram::proctor
