#include "grader/proctor/device_code.h"

#include <gtest/gtest.h>

namespace vram::proctor {
namespace {

bool found_in(const std::string& source) {
    return may_hold_device_code(source, "frame_store.h");
}

TEST(DeviceCode, IsNotInPlainHostCode) {
    EXPECT_FALSE(found_in(""));
    EXPECT_FALSE(
        found_in("#include \"frame_store.h\"\n"
                 "#include <cuda_runtime.h>\n"
                 "# include <vector>\n"
                 "#include <stdio.h>\n"
                 "#include <sys/mman.h>\n"
                 "#define CHECK(call) \\\n"
                 "    report((call), #call, __FILE__, __LINE__)\n"
                 "int twice(int* __restrict__ a) { return *a << 2 < 7 ? 1 : 0; }\n"
                 "unsigned low(unsigned a) { return __builtin_ctz(a); }\n"
                 "const char* text = \"#1\";\n"));
}

TEST(DeviceCode, MayBeWhereACudaWordStands) {
    for (const char* word :
         {"__global__", "__device__", "__host__", "__constant__", "__managed__", "__shared__",
          "__CUDACC__", "__CUDA_ARCH__", "__NVCC__", "__syncthreads", "__launch_bounds__"}) {
        EXPECT_TRUE(found_in(std::string("// ") + word + "\n")) << word;
    }
    EXPECT_TRUE(found_in("void f() { kernel<<<1, 1>>>(); }\n"));
}

TEST(DeviceCode, MayBeInAHeaderThatIsNotKnown) {
    for (const char* header :
         {"<thrust/device_vector.h>", "<cub/cub.cuh>", "<cooperative_groups.h>", "<cuda/atomic>",
          "<device_functions.h>", "\"other.h\"", "\"kernels.cu\"", "NAME"}) {
        EXPECT_TRUE(found_in(std::string("#include ") + header + "\n")) << header;
    }
    EXPECT_TRUE(found_in("#include <vector\n"));
    EXPECT_TRUE(found_in("#include"));
}

TEST(DeviceCode, IsNotMissedInDisguise) {
    EXPECT_TRUE(found_in("__glo\\\nbal__ void kernel() {}\n"));
    EXPECT_TRUE(found_in("__glo\\\r\nbal__ void kernel() {}\n"));
    EXPECT_TRUE(found_in("kernel<\\\n<<1, 1>>>();\n"));
    EXPECT_TRUE(found_in("#define GLUE(a, b) a##b\nGLUE(_, _global__) void kernel() {}\n"));
    EXPECT_TRUE(found_in("# /* a comment */ include <thrust/sort.h>\n"));
    EXPECT_TRUE(found_in("/* a comment */ #include <thrust/sort.h>\n"));
    EXPECT_TRUE(found_in("%:include <thrust/sort.h>\n"));
    EXPECT_TRUE(found_in("#include_next <thrust/sort.h>\n"));
}

}  // namespace
}  // namespace vram::proctor
