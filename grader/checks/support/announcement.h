// What a check is about to do, said beforehand, so that the story of a crash can name it.
#pragma once

#include <string>

namespace vram::checks {

/// Announces a call, "make_array(nullptr, 16)", until the end of the scope. Kept in memory that is
/// shared with the forks of this process and their parent. Announcements don't nest.
class Announcement {
  public:
    explicit Announcement(const std::string& call);
    ~Announcement();
    Announcement(const Announcement&) = delete;
    Announcement& operator=(const Announcement&) = delete;
};

/// What was announced last by this process or a fork of it and is not over; mostly empty. It is
/// forgotten by being told.
std::string take_announcement();

}  // namespace vram::checks
