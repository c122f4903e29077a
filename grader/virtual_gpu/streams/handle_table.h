// Handle values for streams and events: recognised when given back, never dereferenced.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace vram::virtual_gpu {

template <typename Object>
class HandleTable {
  public:
    /// Handles lie in a range of their own from `base` on, 64 apart.
    explicit HandleTable(std::uint64_t base) : base_(base) {}

    std::uint64_t add(std::shared_ptr<Object> object, bool reuse_values) {
        std::uint64_t handle = 0;
        if (reuse_values && !free_.empty()) {
            handle = free_.back();
            free_.pop_back();
        } else {
            handle = base_ + 64 * ++made_;
        }
        objects_[handle] = std::move(object);
        return handle;
    }
    std::shared_ptr<Object> find(std::uint64_t handle) const {
        const auto object = objects_.find(handle);
        return object == objects_.end() ? nullptr : object->second;
    }
    std::vector<std::shared_ptr<Object>> all() const {
        std::vector<std::shared_ptr<Object>> objects;
        for (const auto& entry : objects_)
            objects.push_back(entry.second);
        return objects;
    }
    void remove(std::uint64_t handle) {
        objects_.erase(handle);
        free_.push_back(handle);
    }

  private:
    std::uint64_t base_;
    std::uint64_t made_ = 0;
    std::unordered_map<std::uint64_t, std::shared_ptr<Object>> objects_;
    std::vector<std::uint64_t> free_;
};

}  // namespace vram::virtual_gpu
