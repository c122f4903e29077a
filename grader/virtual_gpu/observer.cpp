#include "grader/virtual_gpu/observer.h"

#include <atomic>
#include <cstdio>

namespace vram::virtual_gpu {
namespace {

class PrintingObserver final : public Observer {
  public:
    void on_report(const Report& report) override {
        std::string text = "virtual GPU: " + report.first_line + "\n";
        for (const std::string& line : report.details)
            text += "    " + line + "\n";
        std::fputs(text.c_str(), stderr);
    }
    CallNumber current_call() const override { return 0; }
};

PrintingObserver& printing_observer() {
    static PrintingObserver* instance = new PrintingObserver;
    return *instance;
}

std::atomic<Observer*> installed{nullptr};

}  // namespace

void set_observer(Observer* observer) {
    installed = observer;
}

Observer& observer() {
    Observer* current = installed;
    return current ? *current : printing_observer();
}

}  // namespace vram::virtual_gpu
