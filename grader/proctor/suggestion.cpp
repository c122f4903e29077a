#include "grader/proctor/suggestion.h"

#include <algorithm>
#include <numeric>

namespace vram::proctor {

std::size_t edit_distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
    constexpr std::size_t slips = 2;
    std::string nearest;
    std::size_t least = std::min(slips + 1, wanted.size());
    for (const std::string& name : names) {
        const std::size_t distance = edit_distance(wanted, name);
        if (distance < least) {
            nearest = name;
            least = distance;
        }
    }
    return nearest;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
    const std::string nearest = nearest_name(wanted, names);
    return nearest.empty() ? "" : " Did you mean " + nearest + "?";
}

}  // namespace vram::proctor
