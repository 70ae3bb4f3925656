// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA C++ that is compiled while the program runs.
#include <nvrtc.h>

#include <vector>

#include "programs.h"

namespace {

constexpr const char* kSource = R"(#include "factor.h"
template <class T>
__global__ void scale(T* out, const T* in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i] * FACTOR + OFFSET;
}
)";

std::string logOf(nvrtcProgram program)
{
    size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, '\0');
    nvrtcGetProgramLog(program, log.data());
    return log.c_str();
}

}  // namespace

int compile()
{
    const char* headers[] = {"#define FACTOR 3\n"};
    const char* names[] = {"factor.h"};
    const char* options[] = {"-DOFFSET=1", "--gpu-architecture=compute_90", "-std=c++17"};
    nvrtcProgram program = nullptr;
    nvrtcCreateProgram(&program, kSource, "scale.cu", 1, headers, names);
    nvrtcAddNameExpression(program, "scale<float>");
    std::printf("compiled: %s\n", nvrtcGetErrorString(nvrtcCompileProgram(program, 3, options)));
    const char* lowered = nullptr;
    nvrtcGetLoweredName(program, "scale<float>", &lowered);
    std::printf("%s\n", lowered ? lowered : logOf(program).c_str());
    size_t bytes = 0;
    nvrtcGetPTXSize(program, &bytes);
    std::vector<char> image(bytes);
    nvrtcGetPTX(program, image.data());

    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr buffer = 0;
    float values[2] = {1, 2};
    int count = 2;
    CHECK(cuModuleLoadData(&module, image.data()));
    CHECK(cuModuleGetFunction(&function, module, lowered));
    CHECK(cuMemAlloc(&buffer, sizeof(values)));
    CHECK(cuMemcpyHtoD(buffer, values, sizeof(values)));
    void* arguments[] = {&buffer, &buffer, &count};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuMemcpyDtoH(values, buffer, sizeof(values)));
    CHECK(cuMemFree(buffer));
    std::printf("scaled: %g %g\n", values[0], values[1]);
    nvrtcDestroyProgram(&program);

    nvrtcCreateProgram(&program, "__global__ void k() { nothing(); }\n", "wrong.cu", 0, nullptr, nullptr);
    std::printf("wrong: %s\n", nvrtcGetErrorString(nvrtcCompileProgram(program, 0, nullptr)));
    std::printf("the log says where: %d\n", logOf(program).find("wrong.cu:1:23: error") != std::string::npos);
    nvrtcDestroyProgram(&program);
    return 0;
}
