// Probes: small experiments with the CUDA runtime that note what they saw, so that two devices can
// be compared. What is noted has to be the same in every run on one device: error names, values,
// relations between addresses; never a time or an address.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace vram::conformance {

/// What a probe puts into an out-parameter to see whether a call writes it.
void* never_written();

/// Something seen, as text.
class Value {
  public:
    Value(cudaError_t error);
    Value(bool answer);    ///< "yes", "no"
    Value(void* pointer);  ///< "null pointer", "as before" (see never_written), or "a pointer"
    Value(const char* words) : text_(words) {}
    Value(std::string words) : text_(std::move(words)) {}
    template <typename Number>
    requires(std::is_arithmetic_v<Number>) Value(Number number) : text_(std::to_string(number)) {}
    template <typename Enumerator>
    requires(std::is_enum_v<Enumerator>) Value(Enumerator value)
        : text_(std::to_string(static_cast<long long>(value))) {}

    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

/// Receives what a probe saw, a line a fact.
class Facts {
  public:
    using Write = std::function<void(const std::string& line)>;
    explicit Facts(Write write) : write_(std::move(write)) {}

    /// `name` is unique in its probe and holds no colon. The values are evaluated in order, as a
    /// list in braces is.
    void operator()(const std::string& name, std::initializer_list<Value> values);
    void operator()(const std::string& name, const Value& value) { (*this)(name, {value}); }

  private:
    Write write_;
};

/// Probes that change what later ones see (or kill their process) run alone in a process.
enum class Company { together, alone };

struct Probe {
    std::string name;
    Company company;
    void (*run)(Facts& fact);
};

const std::vector<Probe>& all_probes();

struct Registration {
    Registration(const char* name, Company company, void (*run)(Facts&));
};

#define VRAM_PROBE(name, company)                                   \
    static void name(::vram::conformance::Facts& fact);             \
    static const ::vram::conformance::Registration register_##name( \
        #name, ::vram::conformance::Company::company, name);        \
    static void name([[maybe_unused]] ::vram::conformance::Facts& fact)

/// A probe that leaves the device as it found it, but for the last error.
#define PROBE(name) VRAM_PROBE(name, together)
/// A probe that needs a process of its own.
#define PROBE_ALONE(name) VRAM_PROBE(name, alone)

}  // namespace vram::conformance
