// Fat binaries, tokens, modules, and what is refused.
#include "grader/tests/ptx/kernel_test.h"
#include "grader/virtual_gpu/ptx/fat_binary.h"
#include "grader/virtual_gpu/ptx/function_name.h"

namespace vram::virtual_gpu::ptx {
namespace {

class Readers : public KernelTest {
  protected:
    static std::string fat_binary(const std::string& flavour) {
        return read_file(std::string(PTX_TEST_KERNELS) + "/access." + flavour + ".fatbin");
    }

    static std::string with_body(const std::string& body) {
        return ".version 8.0\n.target sm_80\n.address_size 64\n"
               ".visible .entry _Z4goodv()\n{\n ret;\n}\n"
               ".visible .entry _Z3badv(.param .u64 p)\n{\n"
               " .reg .b32 %r<9>;\n .reg .b64 %rd<9>;\n .reg .f32 %f<9>;\n .reg .pred %p<4>;\n"
               " .loc 1 42 3\n " +
               body + "\n ret;\n}\n .file 1 \"/some/where/program.cu\"\n";
    }

    std::string why_bad_cannot_run(const std::string& body) {
        module = load_module_from_text(with_body(body));
        EXPECT_EQ(why_unusable(*module), "");
        EXPECT_EQ(attributes(*find_kernel(*module, "_Z4goodv")).why_not_runnable, "");
        return attributes(*find_kernel(*module, "_Z3badv")).why_not_runnable;
    }
};

TEST_F(Readers, FunctionsHaveTheNameThatTheirAuthorKnows) {
    EXPECT_EQ(function_name("_Z5scalePfi"), "scale");
    EXPECT_EQ(function_name("plain_c"), "plain_c");
    EXPECT_EQ(function_name("_ZN4math3addIfEEvPT_"), "math::add<float>");
    EXPECT_EQ(short_function_name("(anonymous namespace)::fill(int*)"),
              "(anonymous namespace)::fill");
    EXPECT_EQ(short_function_name("unsigned int sum<int, (Order)0, 7u>(std::pair<int, int>)"),
              "sum<int, (Order)0, 7u>");
    EXPECT_EQ(short_function_name("main::{lambda(int)#1}::operator()(int) const"),
              "main::{lambda(int)#1}::operator()");
    EXPECT_EQ(short_function_name("void detail::sort<policy<int, int>::at<(x->y)>, iterator<float, "
                                  "long>>(int*)"),
              "detail::sort<...>");
}

TEST_F(Readers, TheBestPtxOfAFatBinaryWins) {
    for (const char* flavour : {"packed", "plain"}) {
        const std::string bytes = fat_binary(flavour);
        const PtxImage image = extract_ptx_from_container(bytes.data(), bytes.size());
        EXPECT_EQ(image.why_missing, "") << flavour;
        EXPECT_EQ(image.compute_capability, 80) << flavour;
        EXPECT_NE(image.text.find(".target sm_80"), std::string::npos) << flavour;
    }
}

TEST_F(Readers, AModuleFromItsWrapper) {
    const std::string bytes = fat_binary("packed");
    struct {
        std::uint32_t magic = 0x466243B1, version = 1;
        const void* data;
        const void* other = nullptr;
    } wrapper;
    wrapper.data = bytes.data();
    const std::shared_ptr<Module> loaded = load_module(&wrapper);
    EXPECT_EQ(why_unusable(*loaded), "");
    EXPECT_EQ(compute_capability(*loaded), 80);
    const Kernel* found = find_kernel(*loaded, "copy_rows");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(attributes(*found).name, "copy_rows");
    EXPECT_EQ(attributes(*found).parameter_bytes, 32u);
    EXPECT_EQ(find_kernel(*loaded, "no such kernel"), nullptr);
}

TEST_F(Readers, DamagedFatBinariesAreRefused) {
    const std::string bytes = fat_binary("packed");
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
        const std::string cut(bytes.begin(), bytes.begin() + size);
        EXPECT_NE(extract_ptx_from_container(cut.data(), cut.size()).why_missing, "") << size;
    }
    for (std::size_t at = 0; at < 400 && at < bytes.size(); ++at) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 0xff);
        const PtxImage image = extract_ptx_from_container(changed.data(), changed.size());
        EXPECT_TRUE(image.text.empty() != image.why_missing.empty()) << at;
    }
}

TEST_F(Readers, NoPtxIsSaidClearly) {
    struct {
        std::uint32_t magic = 0xBA55ED50;
        std::uint16_t version = 1, header = 16;
        std::uint64_t size = 0;
    } empty;
    const PtxImage image = extract_ptx_from_container(&empty, sizeof empty);
    EXPECT_EQ(image.why_missing,
              "the fat binary holds no PTX: compile with -gencode arch=compute_75,code=compute_75");
}

TEST_F(Readers, TextThatIsNoPtxIsRefused) {
    for (const char* text : {"hello", ".version", ".entry f(", ".global .b8 x[99999999999];",
                             ".func (", ".entry f() {", "\"", ".shared .b8 s[-1];"}) {
        EXPECT_NE(why_unusable(*load_module_from_text(text)), "") << text;
    }
}

TEST_F(Readers, AttributesOfKernels) {
    load_file("access.optimised.ptx");
    EXPECT_EQ(attributes(*kernel("shift_left")).static_shared_bytes, 512u);
    EXPECT_EQ(attributes(*kernel("read_local")).local_bytes, 32u);
    EXPECT_EQ(attributes(*kernel("write_all")).max_threads_per_block, 1024);
    EXPECT_GT(attributes(*kernel("copy_rows")).registers_per_thread, 0);
}

TEST_F(Readers, ArgumentsArePackedWithTheirAlignment) {
    load_file("access.optimised.ptx");
    Arguments arguments(std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, 4, 5);
    const std::vector<std::byte> packed = pack_arguments(*kernel("copy_rows"), arguments.get());
    EXPECT_EQ(packed.size(), 32u);
    EXPECT_EQ(packed[16], std::byte{3});
    EXPECT_EQ(packed[28], std::byte{5});
}

TEST_F(Readers, ARefusalNamesKernelLineAndInstruction) {
    const std::string why = why_bad_cannot_run("wgmma.fence.sync.aligned;");
    EXPECT_EQ(why,
              "kernel bad cannot run here: program.cu:42: the virtual GPU has no instruction "
              "wgmma.fence.sync.aligned, PTX line 15");
}

TEST_F(Readers, EveryRefusalHasItsReason) {
    const std::pair<const char*, const char*> refused[] = {
        {"frobnicate.b32 %r1, %r2;", "frobnicate.b32"},
        {"add.s32 %r1, %rd1, %r2;", "an operand of another width"},
        {"add.f32 %f1;", "another number of operands"},
        {"@%p1 texture.b32 %r1;", "@%p1 texture.b32"},
        {"tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2}];", "tex.2d"},
        {"mov.b32 %r1, %pm0;", "register %pm0"},
        {"mov.b64 %rd1, nothing;", "unknown name nothing"},
        {"call nowhere;", "call of nowhere"},
        {"barrier.cluster.arrive;", "clusters are not modelled"},
        {"ld.shared::cluster.u32 %r1, [%r2];", "clusters are not modelled"},
        {"cp.async.bulk.commit;", "cp.async.bulk"},
        {"ld.param.u64 %rd1, [p+8];", "goes beyond p"},
        {"cvt.rn.satfinite.e4m3x2.f32 %r1, %f1, %f2;", "cvt.rn.satfinite"},
        {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "a table that is not a number"},
        {"atom.global.frob.u32 %r1, [%rd1], 1;", "atom.global.frob"},
    };
    for (const auto& [body, reason] : refused) {
        const std::string why = why_bad_cannot_run(body);
        EXPECT_NE(why.find("kernel bad cannot run here: program.cu:42"), std::string::npos)
            << body << ": " << why;
        EXPECT_NE(why.find(reason), std::string::npos) << body << ": " << why;
    }
}

TEST_F(Readers, AKernelThatCannotRunIsReportedWhenLaunched) {
    module = load_module_from_text(with_body("wgmma.fence.sync.aligned;"));
    EXPECT_NE(launch("bad", {1}, {1}, std::uint64_t{0}).error, 0);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_not_supported);
    run("good", {1}, {1});
}

TEST_F(Readers, JumpTables) {
    module = load_module_from_text(
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry jump(.param .u64 out)\n{\n"
        ".reg .b32 %r<5>; .reg .b64 %rd<5>;\n"
        "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 3;\n"
        "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
        "targets: .branchtargets A, B, C, A;\nbrx.idx %r2, targets;\n"
        "A: mov.u32 %r3, 10; bra D;\nB: mov.u32 %r3, 20; bra D;\nC: mov.u32 %r3, 30;\n"
        "D: st.global.u32 [%rd3], %r3;\nret;\n}\n");
    ASSERT_EQ(why_unusable(*module), "");
    const std::uint64_t out = memory.allocate(32 * 4);
    const LaunchOutcome outcome = run("jump", {1}, {32}, out);
    const std::vector<int> r = memory.download<int>(out, 32);
    for (int i = 0; i < 32; ++i) {
        EXPECT_EQ(r[i], (std::vector<int>{10, 20, 30, 10})[i % 4]);
    }
    // The lanes came together again before the store.
    EXPECT_EQ(outcome.counters.store_requests, 1u);
    EXPECT_EQ(outcome.counters.divergent_branches, 1u);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
