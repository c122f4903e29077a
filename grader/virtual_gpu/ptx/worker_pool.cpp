#include "grader/virtual_gpu/ptx/worker_pool.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace vram::virtual_gpu::ptx {

namespace {

class WorkerPool {
  public:
    /// False when the pool is in use.
    bool run(unsigned helpers, const std::function<void()>& work) {
        std::unique_lock<std::mutex> in_use(in_use_, std::try_to_lock);
        if (!in_use.owns_lock()) {
            return false;
        }
        {
            std::lock_guard<std::mutex> lock(mutex_);
            while (threads_ < helpers) {
                std::thread([this] { serve(); }).detach();
                ++threads_;
            }
            work_ = &work;
            wanted_ = helpers;
            running_ = helpers;
        }
        wake_.notify_all();
        work();
        std::unique_lock<std::mutex> lock(mutex_);
        done_.wait(lock, [this] { return running_ == 0; });
        work_ = nullptr;
        return true;
    }

  private:
    void serve() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return wanted_ > 0; });
            --wanted_;
            const std::function<void()>& work = *work_;
            lock.unlock();
            work();
            lock.lock();
            if (--running_ == 0) {
                done_.notify_one();
            }
        }
    }

    std::mutex in_use_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    const std::function<void()>* work_ = nullptr;
    unsigned threads_ = 0;
    unsigned wanted_ = 0;
    unsigned running_ = 0;
};

/// The pool of this process. Threads do not survive a fork, and the locks of the parent's pool may
/// be in any state, so a child leaves it alone and gets its own.
WorkerPool& pool() {
    static std::mutex mutex;
    static pid_t owner = 0;
    static WorkerPool* current = nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    if (owner != getpid()) {
        owner = getpid();
        current = new WorkerPool;
    }
    return *current;
}

}  // namespace

void run_on_threads(unsigned threads, const std::function<void()>& work) {
    if (threads <= 1 || !pool().run(threads - 1, work)) {
        work();
    }
}

}  // namespace vram::virtual_gpu::ptx
