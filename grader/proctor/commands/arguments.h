// The command line of one command.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace vram::proctor {

/// The person asked for something that does not exist: exit status 2.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Exit statuses of the command.
enum ExitStatus : int { full_marks = 0, not_full_marks = 1, usage = 2, fault = 3 };

class Arguments {
  public:
    /// `flags` and `valued`: the options that the command knows, as "--tap". A value may follow as
    /// the next word or behind '='. `rest_at_first_word`: everything from the first word that is no
    /// option belongs to somebody else. Throws UsageError.
    Arguments(const std::vector<std::string>& words, const std::set<std::string>& flags,
              const std::set<std::string>& valued, bool rest_at_first_word = false);

    bool has(const std::string& flag) const { return flags_.contains(flag); }
    std::optional<std::string> value(const std::string& option) const;
    const std::vector<std::string>& words() const { return words_; }

  private:
    std::set<std::string> flags_;
    std::map<std::string, std::string> values_;
    std::vector<std::string> words_;
};

}  // namespace vram::proctor
