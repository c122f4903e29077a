// A fixture that loads a module, launches its kernels and keeps what they report.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "grader/tests/ptx/flat_memory.h"
#include "grader/virtual_gpu/ptx/kernel_execution.h"
#include "grader/virtual_gpu/ptx/module.h"

namespace vram::virtual_gpu::ptx {

/// Keeps reports in order.
class ReportKeeper : public Observer {
  public:
    void on_report(const Report& report) override { reports.push_back(report); }
    CallNumber current_call() const override { return 0; }
    std::vector<Report> reports;
};

class HeapInMemory : public DeviceHeap {
  public:
    explicit HeapInMemory(FlatMemory& memory) : memory_(memory) {}
    std::uint64_t allocate(std::size_t bytes) override {
        return memory_.allocate(bytes, MemoryKind::heap);
    }
    bool release(std::uint64_t address) override {
        const Block* block = memory_.find(address);
        if (block == nullptr || !block->live || block->begin != address ||
            block->kind != MemoryKind::heap) {
            return false;
        }
        memory_.free(address);
        return true;
    }

  private:
    FlatMemory& memory_;
};

/// Arguments of a launch, as the host code passes them.
class Arguments {
  public:
    template <class... T>
    explicit Arguments(const T&... values) {
        (add(values), ...);
    }
    void* const* get() {
        pointers_.clear();
        for (auto& value : values_) {
            pointers_.push_back(value.data());
        }
        return pointers_.data();
    }

  private:
    template <class T>
    void add(const T& value) {
        std::vector<std::byte> bytes(sizeof value);
        std::memcpy(bytes.data(), &value, sizeof value);
        values_.push_back(std::move(bytes));
    }
    std::vector<std::vector<std::byte>> values_;
    std::vector<void*> pointers_;
};

/// How a test kernel was compiled.
enum class Flavour { optimised, debug };

inline std::string to_string(Flavour flavour) {
    return flavour == Flavour::optimised ? "optimised" : "debug";
}

struct Dimensions {
    std::uint32_t x = 1, y = 1, z = 1;
};

class KernelTest : public testing::Test {
  protected:
    KernelTest() : heap_(memory) {
        set_observer(&keeper);
        set_device_heap(&heap_);
    }
    ~KernelTest() override {
        set_device_heap(nullptr);
        set_observer(nullptr);
    }

    static std::string read_file(const std::string& path) {
        std::ifstream file(path);
        EXPECT_TRUE(file.good()) << path;
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }

    /// Number of the first line of a source file that contains `text`.
    static int line_of_source(const std::string& file, const std::string& text) {
        std::stringstream source(read_file(std::string(PTX_TEST_SOURCES) + "/" + file));
        int number = 0;
        for (std::string line; std::getline(source, line);) {
            ++number;
            if (line.find(text) != std::string::npos) {
                return number;
            }
        }
        return -1;
    }

    /// `file` as built beside the tests.
    void load_file(const std::string& file) {
        load(read_file(std::string(PTX_TEST_KERNELS) + "/" + file));
    }

    void load(const std::string& text) {
        module = load_module_from_text(text);
        ASSERT_EQ(why_unusable(*module), "");
        for (Variable& variable : variables(*module)) {
            variable.address =
                memory.allocate(variable.bytes, variable.constant  ? MemoryKind::constant
                                                : variable.managed ? MemoryKind::managed
                                                                   : MemoryKind::global);
        }
        resolve_initial_values(*module);
        for (const Variable& variable : variables(*module)) {
            std::memcpy(memory.host(variable.address), variable.initial.data(), variable.bytes);
        }
    }

    /// Kernels are found by the name in the source.
    const Kernel* kernel(const std::string& name) const {
        for (const auto& [mangled, kernel] : module->kernels) {
            if (kernel->attributes.name == name || mangled == name) {
                return kernel.get();
            }
        }
        return nullptr;
    }

    template <class... T>
    LaunchOutcome launch(const std::string& name, Dimensions grid, Dimensions block,
                         const T&... arguments) {
        const Kernel* found = kernel(name);
        EXPECT_NE(found, nullptr) << name;
        if (found == nullptr) {
            return {};
        }
        LaunchShape shape = shape_options;
        shape.grid[0] = grid.x;
        shape.grid[1] = grid.y;
        shape.grid[2] = grid.z;
        shape.block[0] = block.x;
        shape.block[1] = block.y;
        shape.block[2] = block.z;
        keeper.reports.clear();
        Arguments packed(arguments...);
        return execute(*found, shape, pack_arguments(*found, packed.get()), memory, options);
    }

    /// The same, expecting success.
    template <class... T>
    LaunchOutcome run(const std::string& name, Dimensions grid, Dimensions block,
                      const T&... arguments) {
        LaunchOutcome outcome = launch(name, grid, block, arguments...);
        EXPECT_EQ(outcome.error, 0) << name;
        for (const Report& report : keeper.reports) {
            ADD_FAILURE() << report.first_line;
        }
        return outcome;
    }

    FlatMemory memory;
    ReportKeeper keeper;
    std::shared_ptr<Module> module;
    ExecutionOptions options;
    LaunchShape shape_options;

  private:
    HeapInMemory heap_;
};

/// Runs a test with kernels compiled with -O3 and with -G.
class KernelTestOfBothFlavours : public KernelTest, public testing::WithParamInterface<Flavour> {
  protected:
    void load_kernels(const std::string& name) {
        load_file(name + "." + to_string(GetParam()) + ".ptx");
    }
};

#define FOR_BOTH_FLAVOURS(Suite)                                           \
    INSTANTIATE_TEST_SUITE_P(                                              \
        Built, Suite, testing::Values(Flavour::optimised, Flavour::debug), \
        [](const testing::TestParamInfo<Flavour>& info) { return to_string(info.param); })

}  // namespace vram::virtual_gpu::ptx
