#include "grader/proctor/commands/arguments.h"

#include "grader/proctor/suggestion.h"

namespace vram::proctor {

namespace {

[[noreturn]] void unknown(const std::string& option, const std::set<std::string>& flags,
                          const std::set<std::string>& valued) {
    std::vector<std::string> options(flags.begin(), flags.end());
    options.insert(options.end(), valued.begin(), valued.end());
    throw UsageError("There is no option " + option + " here." + did_you_mean(option, options));
}

}  // namespace

Arguments::Arguments(const std::vector<std::string>& words, const std::set<std::string>& flags,
                     const std::set<std::string>& valued, bool rest_at_first_word) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--" && rest_at_first_word) {
            words_.insert(words_.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                          words.end());
            return;
        }
        if (!word.starts_with('-') || word == "-") {
            if (rest_at_first_word) {
                words_.insert(words_.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                              words.end());
                return;
            }
            words_.push_back(word);
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word == "-h" ? "--help" : word.substr(0, equals);
        if (name == "--help" || flags.contains(name)) {
            if (equals != std::string::npos) {
                throw UsageError(name + " takes no value.");
            }
            flags_.insert(name);
        } else if (!valued.contains(name)) {
            unknown(name, flags, valued);
        } else if (equals != std::string::npos) {
            values_[name] = word.substr(equals + 1);
        } else if (i + 1 < words.size()) {
            values_[name] = words[++i];
        } else {
            throw UsageError(name + " needs a value.");
        }
    }
    for (const auto& [name, value] : values_) {
        if (value.empty()) {
            throw UsageError(name + " needs a value.");
        }
    }
}

std::optional<std::string> Arguments::value(const std::string& option) const {
    const auto found = values_.find(option);
    if (found == values_.end()) {
        return std::nullopt;
    }
    return found->second;
}

}  // namespace vram::proctor
