#include "grader/runtime/injector.h"

#include "grader/runtime/entries.h"

namespace vram::runtime {

void Injector::start(const Injection& injection) {
    std::lock_guard lock(mutex_);
    injection_ = injection;
    eligible_calls_ = 0;
    fired_ = 0;
    first_fired_ = 0;
    active_ = true;
}

void Injector::stop() {
    std::lock_guard lock(mutex_);
    active_ = false;
}

bool Injector::counts(Entry entry, std::size_t bytes) const {
    Action action = traits_of(entry).action;
    if (action == Action::get_last_error || action == Action::peek_last_error ||
        !traits_of(entry).hooked) {
        return false;
    }
    if (injection_.larger_than != 0 && (!allocates(entry) || bytes <= injection_.larger_than)) {
        return false;
    }
    return !injection_.eligible || injection_.eligible(entry);
}

std::optional<cudaError_t> Injector::decide(Entry entry, CallNumber call, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    if (!active_ || !counts(entry, bytes)) {
        return std::nullopt;
    }
    ++eligible_calls_;
    bool goes_on = injection_.repeat || injection_.sticky;
    bool due = injection_.nth != 0 &&
               (eligible_calls_ == injection_.nth || (goes_on && eligible_calls_ > injection_.nth));
    if (!due) {
        return std::nullopt;
    }
    ++fired_;
    if (first_fired_ == 0) {
        first_fired_ = call;
    }
    bool is_later = eligible_calls_ > injection_.nth;
    return is_later && !injection_.sticky && injection_.later_error != cudaSuccess
               ? injection_.later_error
               : injection_.error;
}

Injection::Destination Injector::destination() {
    std::lock_guard lock(mutex_);
    return injection_.destination;
}

std::uint64_t Injector::fired() {
    std::lock_guard lock(mutex_);
    return fired_;
}

CallNumber Injector::first_fired() {
    std::lock_guard lock(mutex_);
    return first_fired_;
}

std::uint64_t Injector::eligible_calls() {
    std::lock_guard lock(mutex_);
    return eligible_calls_;
}

}  // namespace vram::runtime
