// Child processes, each leading a process group of its own, and what they may leave behind.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

namespace vram::proctor {

/// A child process. Its group is killed and the child reaped at the latest in the destructor.
class Offspring {
  public:
    /// Forks. `become` runs in the child, calls only async-signal-safe functions, makes the child
    /// the leader of its own group and does not return. On failure nothing is running and errno
    /// says why.
    static Offspring start(const std::function<void()>& become);
    Offspring(Offspring&& other) noexcept;
    Offspring& operator=(Offspring&&) = delete;
    ~Offspring();

    bool running() const { return process_ > 0; }
    pid_t process() const { return process_; }
    void kill_group(int signal) const;
    /// The wait status once the child has ended; nullopt while it runs.
    std::optional<int> ended() const;
    /// Waits for the end and returns the wait status.
    int wait() const;

  private:
    explicit Offspring(pid_t process) : process_(process) {}
    pid_t process_;
    mutable std::optional<int> status_;
};

/// Makes this process the one that adopts orphaned descendants, so that a program which daemonises
/// itself can be found and ended.
void adopt_orphans();
/// Ends and reaps adopted processes: direct children that nobody started as Offspring.
void end_orphans();

/// From now on SIGINT, SIGTERM and SIGHUP end every child before they end this process. To be
/// called before any thread is started.
void end_children_on_signals();

/// What a process and its descendants use now.
struct FamilyUse {
    std::size_t resident_bytes = 0;  ///< of all together
    std::size_t processes = 0;
    pid_t largest = 0;  ///< the descendant with most resident memory, not the process itself
    std::size_t largest_bytes = 0;
};
FamilyUse family_use(pid_t process);

}  // namespace vram::proctor
