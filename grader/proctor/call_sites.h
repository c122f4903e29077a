// Return addresses turned into places of the learner's file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grader/protocol/record.h"

namespace vram::proctor {

/// A place in a source file.
struct Site {
    std::string file;  ///< without folders
    int line = 0;
    std::string function;  ///< without parameters; may be empty

    bool known() const { return line > 0; }
};

/// "frame_store.cu:31"
std::string place_text(const Site& site);

/// "release" of "(anonymous namespace)::release(FrameStore*) [clone .part.0]".
std::string short_function(std::string_view demangled);

/// For each address, innermost inlined function first.
using SiteTable = std::map<std::uint64_t, std::vector<Site>>;

/// Reads what `addr2line -a -f -C -i` prints.
SiteTable parse_addr2line(std::string_view output);

/// Sites of a graded program's return addresses.
class CallSites {
  public:
    CallSites() = default;
    /// `learner_file`: the name without folders of the file whose places are shown.
    CallSites(SiteTable table, std::string learner_file);
    /// Asks addr2line once for all addresses.
    CallSites(const std::filesystem::path& program, std::string learner_file,
              const std::vector<std::uint64_t>& return_addresses);

    /// The first place in the learner's file on the way outwards; unknown if there is none.
    Site of(const std::vector<std::uint64_t>& return_addresses) const;
    /// Replaces each "{site:HEX}" by the place, or by "outside of FILE".
    std::string with_sites(std::string_view text) const;

  private:
    SiteTable table_;
    std::string learner_file_;
};

/// Every return address that the results mention, in steps and in texts.
std::vector<std::uint64_t> return_addresses_in(const std::vector<protocol::CheckResult>& results);

}  // namespace vram::proctor
