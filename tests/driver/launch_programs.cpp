// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, launches, graphs.
#include <cstring>
#include <vector>

#include "programs.h"

namespace {

constexpr int kCount = 64;

struct Buffers {
    CUdeviceptr in = 0;
    CUdeviceptr out = 0;
    std::vector<int> values = std::vector<int>(kCount);

    Buffers()
    {
        for (int i = 0; i < kCount; ++i)
            values[static_cast<size_t>(i)] = i;
        CHECK(cuMemAlloc(&in, kCount * sizeof(int)));
        CHECK(cuMemAlloc(&out, kCount * sizeof(int)));
        CHECK(cuMemcpyHtoD(in, values.data(), kCount * sizeof(int)));
        CHECK(cuMemsetD32(out, 0, kCount));
    }
    ~Buffers()
    {
        CHECK(cuMemFree(in));
        CHECK(cuMemFree(out));
    }
    Buffers(const Buffers&) = delete;
    Buffers& operator=(const Buffers&) = delete;

    void print(const char* title)
    {
        std::vector<int> result(kCount);
        CHECK(cuMemcpyDtoH(result.data(), out, kCount * sizeof(int)));
        std::printf("%s: %d %d %d\n", title, result[0], result[1], result[kCount - 1]);
    }
};

/// out[i] = in[i] for each of a block's threads.
const char* const kCopyPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 out, .param .u64 in)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    add.s64 %rd5, %rd1, %rd3;
    ld.global.u32 %r2, [%rd4];
    st.global.u32 [%rd5], %r2;
    ret;
}
)";

CUfunction functionOf(CUmodule module, const char* name)
{
    CUfunction function = nullptr;
    CHECK(cuModuleGetFunction(&function, module, name));
    return function;
}

CUmodule moduleOf(const std::string& ptx)
{
    CUmodule module = nullptr;
    CHECK(cuModuleLoadData(&module, ptx.c_str()));
    return module;
}

void launch(CUfunction function, Buffers& buffers)
{
    int count = kCount;
    void* arguments[] = {&buffers.out, &buffers.in, &count};
    CHECK(cuLaunchKernel(function, 2, 1, 1, kCount / 2, 1, 1, 0, nullptr, arguments, nullptr));
}

}  // namespace

/// \p count beyond 64 is beyond the buffers.
int vectorAdd(int count)
{
    Buffers buffers;
    const CUfunction function = functionOf(moduleOf(scalePtx("scale", 3)), "scale");
    void* arguments[] = {&buffers.out, &buffers.in, &count};
    CHECK(cuLaunchKernel(function, 3, 1, 1, kCount / 2, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuCtxSynchronize());
    buffers.print("scale");
    return 0;
}

/// A mistake in each of two modules; that of the second shows when the host reads what the kernel copied.
int mistakes()
{
    vectorAdd(kCount + 1);
    Buffers buffers;
    CUdeviceptr unwritten = 0;
    CHECK(cuMemAlloc(&unwritten, kCount * sizeof(int)));
    const CUfunction function = functionOf(moduleOf(kCopyPtx), "copy");
    void* arguments[] = {&buffers.out, &unwritten};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    buffers.print("copied");
    CHECK(cuMemFree(unwritten));
    return 0;
}

/// Two modules with a kernel and a variable of one name; one of them goes.
int modules()
{
    Buffers buffers;
    const CUmodule twice = moduleOf(scalePtx("scale", 2));
    const CUmodule tenfold = moduleOf(scalePtx("scale", 10));
    launch(functionOf(twice, "scale"), buffers);
    buffers.print("twice");
    launch(functionOf(tenfold, "scale"), buffers);
    buffers.print("tenfold");

    CUdeviceptr ones = 0, others = 0;
    size_t bytes = 0;
    CHECK(cuModuleGetGlobal(&ones, &bytes, twice, "launches"));
    CHECK(cuModuleGetGlobal(&others, nullptr, tenfold, "launches"));
    int value = 0;
    CHECK(cuMemcpyDtoH(&value, ones, sizeof(value)));
    std::printf("variables: %zu bytes, %d, %s\n", bytes, value, ones == others ? "one" : "two");

    CUfunction function = nullptr;
    std::printf("unknown: %s\n", nameOf(cuModuleGetFunction(&function, twice, "nothing")).c_str());
    CHECK(cuModuleUnload(twice));
    std::printf("unloaded: %s\n", nameOf(cuModuleGetFunction(&function, twice, "scale")).c_str());
    launch(functionOf(tenfold, "scale"), buffers);

    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    const std::string ptx = scalePtx("scale", 4);
    CHECK(cuLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cuLibraryGetKernel(&kernel, library, "scale"));
    launch(reinterpret_cast<CUfunction>(kernel), buffers);
    buffers.print("library");
    CHECK(cuLibraryUnload(library));
    return 0;
}

/// Arguments as a buffer, attributes, what is known of a kernel.
int launches()
{
    Buffers buffers;
    const CUmodule module = moduleOf(scalePtx("scale", 5));
    const CUfunction function = functionOf(module, "scale");
    struct {
        CUdeviceptr out, in;
        int count;
    } packed = {buffers.out, buffers.in, kCount};
    size_t bytes = sizeof(packed);
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CUlaunchConfig config = {};
    config.gridDimX = 2;
    config.blockDimX = kCount / 2;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    CHECK(cuLaunchKernelEx(&config, function, nullptr, extra));
    buffers.print("buffer");

    size_t offset = 0;
    CHECK(cuFuncGetParamInfo(function, 2, &offset, &bytes));
    std::printf("parameter 2: at %zu, %zu bytes\n", offset, bytes);
    std::printf("parameter 3: %s\n", nameOf(cuFuncGetParamInfo(function, 3, &offset, &bytes)).c_str());
    const char* name = nullptr;
    int threads = 0, blocks = 0;
    CHECK(cuFuncGetName(&name, function));
    CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0));
    std::printf("%s: %d threads, %d blocks\n", name, threads, blocks);
    void* arguments[] = {&buffers.out, &buffers.in, &packed.count};
    std::printf("2048 threads: %s\n",
                nameOf(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr)).c_str());
    std::printf("no function: %s\n",
                nameOf(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr)).c_str());
    return 0;
}

int graphs()
{
    Buffers buffers;
    const CUfunction function = functionOf(moduleOf(scalePtx("scale", 7)), "scale");
    CUstream stream = nullptr;
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    int count = kCount;
    void* arguments[] = {&buffers.out, &buffers.in, &count};
    CHECK(cuMemsetD32Async(buffers.out, 1, kCount, stream));
    CHECK(cuLaunchKernel(function, 1, 1, 1, kCount / 2, 1, 1, 0, stream, arguments, nullptr));
    CHECK(cuStreamEndCapture(stream, &graph));
    buffers.print("captured");
    CHECK(cuGraphInstantiate(&executable, graph, 0));
    CHECK(cuGraphLaunch(executable, stream));
    CHECK(cuStreamSynchronize(stream));
    buffers.print("launched");
    CHECK(cuGraphExecDestroy(executable));
    CHECK(cuGraphDestroy(graph));
    CHECK(cuStreamDestroy(stream));
    return 0;
}
