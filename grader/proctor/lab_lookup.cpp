#include "grader/proctor/lab_lookup.h"

#include <algorithm>
#include <cctype>

#include "grader/proctor/suggestion.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string without_number(const Lab& lab) {
    const std::size_t dash = lab.name.find('-');
    return dash == std::string::npos ? lab.name : lab.name.substr(dash + 1);
}

std::string without_zeros(const std::string& text) {
    return text.substr(std::min(text.find_first_not_of('0'), text.size()));
}

/// What is left of "labs/06-double-free/" or "./06_double_free".
std::string bare(std::string text) {
    while (text.ends_with('/')) {
        text.pop_back();
    }
    text = lower(text.substr(text.rfind('/') + 1));
    if (!text.ends_with(".cu")) {
        std::replace(text.begin(), text.end(), '_', '-');
    }
    return text;
}

bool is_number(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace

const Lab* find_lab(const std::vector<Lab>& labs, const std::string& text) {
    const std::string wanted = bare(text);
    for (const Lab& lab : labs) {
        const bool same_number =
            is_number(wanted) && without_zeros(wanted) == without_zeros(lab.number());
        if (same_number || wanted == lab.name || wanted == without_number(lab) ||
            wanted == lower(lab.file)) {
            return &lab;
        }
    }
    return nullptr;
}

const Lab* nearest_lab(const std::vector<Lab>& labs, const std::string& text) {
    std::vector<std::string> names;
    for (const Lab& lab : labs) {
        names.push_back(lab.name);
        names.push_back(without_number(lab));
    }
    return find_lab(labs, nearest_name(bare(text), names));
}

const Check* find_check(const Lab& lab, const std::string& text) {
    const Check* found = nullptr;
    const std::string wanted = lower(text);
    for (const Check& check : lab.checks) {
        const std::string name = lower(check.name);
        if (name == wanted) {
            return &check;
        }
        if (name.substr(name.find('.') + 1) == wanted) {
            if (found != nullptr) {
                return nullptr;
            }
            found = &check;
        }
    }
    return found;
}

}  // namespace vram::proctor
