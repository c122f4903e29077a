#include "grader/virtual_gpu/memory/guarded_target.h"

#include <sys/mman.h>

#include <algorithm>

namespace vram::virtual_gpu {
namespace {

void protect(const GuardedTarget& target, int protection) {
    mprotect(reinterpret_cast<void*>(target.begin), target.end - target.begin, protection);
}

void open(const GuardedTarget& target) {
    protect(target, PROT_READ | PROT_WRITE);
}

}  // namespace

GuardedTargets::~GuardedTargets() {
    std::for_each(targets_.begin(), targets_.end(), open);
}

void GuardedTargets::close(const GuardedTarget& target) {
    std::uint64_t& end = ever_closed_[target.begin];
    end = std::max(end, target.end);
    protect(target, PROT_NONE);
}

void GuardedTargets::guard(std::uint64_t begin, std::uint64_t end,
                           std::shared_ptr<const Origin> origin) {
    const std::lock_guard lock(mutex_);
    targets_.push_back({begin, end, std::move(origin)});
    if (suspended_ == 0)
        close(targets_.back());
}

void GuardedTargets::land(const Origin& origin) {
    const std::lock_guard lock(mutex_);
    std::erase_if(targets_, [&](const GuardedTarget& target) {
        if (target.origin.get() != &origin)
            return false;
        open(target);
        return true;
    });
}

void GuardedTargets::forget(std::uint64_t begin, std::uint64_t end) {
    const std::lock_guard lock(mutex_);
    std::erase_if(targets_, [&](const GuardedTarget& target) {
        return target.begin < end && begin < target.end;
    });
    ever_closed_.erase(ever_closed_.lower_bound(begin), ever_closed_.lower_bound(end));
}

std::shared_ptr<const Origin> GuardedTargets::touch(std::uint64_t address) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Origin> first;
    std::erase_if(targets_, [&](const GuardedTarget& target) {
        if (address < target.begin || address >= target.end)
            return false;
        open(target);
        if (!first)
            first = target.origin;
        return true;
    });
    return first;
}

bool GuardedTargets::was_target(std::uint64_t address) {
    const std::lock_guard lock(mutex_);
    return std::any_of(ever_closed_.begin(), ever_closed_.end(), [&](const auto& pages) {
        return pages.first <= address && address < pages.second;
    });
}

void GuardedTargets::suspend() {
    const std::lock_guard lock(mutex_);
    if (suspended_++ == 0)
        std::for_each(targets_.begin(), targets_.end(), open);
}

void GuardedTargets::resume() {
    const std::lock_guard lock(mutex_);
    if (--suspended_ == 0)
        for (const GuardedTarget& target : targets_)
            close(target);
}

}  // namespace vram::virtual_gpu
