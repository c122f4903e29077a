#include "grader/checks/support/announcement.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstring>

namespace vram::checks {

namespace {

constexpr std::size_t most_bytes = 256;

char* map_shared_text() {
    void* memory =
        mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

// Mapped before main, so that every fork shares it.
char* const shared_text = map_shared_text();

void say(const std::string& text) {
    if (shared_text != nullptr) {
        std::strncpy(shared_text, text.c_str(), most_bytes - 1);
    }
}

}  // namespace

Announcement::Announcement(const std::string& call) {
    say(call);
}

Announcement::~Announcement() {
    say("");
}

std::string take_announcement() {
    if (shared_text == nullptr) {
        return "";
    }
    const std::string text(shared_text, strnlen(shared_text, most_bytes));
    say("");
    return text;
}

}  // namespace vram::checks
