// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of programs/peers.inc in OpenCL, to be run under Oclgrind (`oclgrind opencl_peers matmul 128`) or
// natively. argv: kernel, size, runs, options of the OpenCL compiler, text in the platform's name. Prints what
// peers::print says, in seconds from enqueue to finish; building the program is not counted.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "peers.h"

namespace {

const char* const kDialect = R"(
#define KERNEL kernel
#define GLOBAL global
#define LOCAL local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define LOCAL_X (int)get_local_id(0)
#define LOCAL_Y (int)get_local_id(1)
#define GROUP_X (int)get_group_id(0)
#define GROUP_Y (int)get_group_id(1)
#define GROUPS_X (int)get_num_groups(0)
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define LOAD_HALF(p, i) vload_half(i, (GLOBAL const half*)(p))
#define STORE_HALF(p, i, v) vstore_half(v, i, (GLOBAL half*)(p))
#define EXP(x) exp(x)
#define LOG(x) log(x)
#define SQRT(x) sqrt(x)
#define FABS(x) fabs(x)
#define EXCHANGED LOCAL float exchanged[256]
#define EXCHANGE(to, v, d) BARRIER; exchanged[LOCAL_X] = v; BARRIER; to = exchanged[LOCAL_X ^ d]
)";

void require(cl_int status, const char* what)
{
    if (status == CL_SUCCESS)
        return;
    std::fprintf(stderr, "%s: OpenCL error %d\n", what, status);
    std::exit(1);
}

cl_platform_id platformNamed(const std::string& part)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    require(clGetPlatformIDs(16, platforms, &count), "platforms");
    for (cl_uint i = 0; i < count; ++i) {
        char name[256] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
        if (std::string(name).find(part) != std::string::npos)
            return platforms[i];
    }
    std::fprintf(stderr, "no OpenCL platform named %s\n", part.c_str());
    std::exit(3);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 3)
        return 2;
    const peers::Work work = peers::workOf(argv[1], std::atoi(argv[2]));
    const int runs = argc > 3 ? std::atoi(argv[3]) : 1;
    std::stringstream text;
    text << kDialect << std::ifstream(KERNELS).rdbuf();
    const std::string source = text.str();
    cl_int status = CL_SUCCESS;
    cl_device_id device;
    require(clGetDeviceIDs(platformNamed(argc > 5 ? argv[5] : ""), CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    require(status, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    require(status, "queue");
    const char* pointer = source.c_str();
    cl_program program = clCreateProgramWithSource(context, 1, &pointer, nullptr, &status);
    require(clBuildProgram(program, 1, &device, argc > 4 ? argv[4] : "", nullptr, nullptr), "build");
    cl_kernel kernel = clCreateKernel(program, work.kernel.c_str(), &status);
    require(status, "kernel");
    std::vector<float> out(work.outCount);
    auto buffer = [&](const std::vector<float>& from) {
        cl_mem made = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, from.size() * sizeof(float),
                                     const_cast<float*>(from.data()), &status);
        require(status, "buffer");
        return made;
    };
    cl_mem buffers[3] = {buffer(out), buffer(work.a), buffer(work.b)};
    for (cl_uint i = 0; i < 3; ++i)
        clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
    clSetKernelArg(kernel, 3, sizeof(int), &work.n);
    const size_t local[2] = {work.group[0], work.group[1]};
    const size_t global[2] = {local[0] * work.groups[0], local[1] * work.groups[1]};
    double best = INFINITY;
    std::vector<double> processor;
    for (int run = 0; run < runs; ++run) {
        const double before = peers::processorSeconds();
        const auto start = std::chrono::steady_clock::now();
        require(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr), "enqueue");
        require(clFinish(queue), "finish");
        processor.push_back(peers::processorSeconds() - before);
        best = std::fmin(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    require(
        clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, out.size() * sizeof(float), out.data(), 0, nullptr, nullptr),
        "read");
    if (!peers::isRight(work, out, runs))
        return 1;
    peers::print(best, processor, out);
    return 0;
}
