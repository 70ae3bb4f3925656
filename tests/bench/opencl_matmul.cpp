// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same tiled matmul in OpenCL C, to be run under Oclgrind: `oclgrind bench_opencl_matmul 128 1`.
// Prints the kernel's best time in seconds, from enqueue to finish; building the program is not counted.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

const char* const kSource = R"(
#define TPB 16
kernel void matmul_tiled(global float* out, global const float* a, global const float* b, int size)
{
    local float a_shared[TPB][TPB];
    local float b_shared[TPB][TPB];
    int local_row = get_local_id(1);
    int local_col = get_local_id(0);
    int row = get_group_id(1) * TPB + local_row;
    int col = get_group_id(0) * TPB + local_col;
    float acc = 0;
    for (int tile = 0; tile < size / TPB; ++tile) {
        a_shared[local_row][local_col] = a[row * size + tile * TPB + local_col];
        b_shared[local_row][local_col] = b[(tile * TPB + local_row) * size + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TPB; ++k)
            acc += a_shared[local_row][k] * b_shared[k][local_col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[row * size + col] = acc;
}
)";

void require(cl_int status, const char* what)
{
    if (status == CL_SUCCESS)
        return;
    std::fprintf(stderr, "%s: OpenCL error %d\n", what, status);
    std::exit(1);
}

}  // namespace

int main(int argc, char** argv)
{
    int size = argc > 1 ? std::atoi(argv[1]) : 128;
    int runs = argc > 2 ? std::atoi(argv[2]) : 1;
    size_t count = size_t(size) * size_t(size);
    std::vector<float> a(count), b(count), out(count);
    std::srand(1);
    for (size_t i = 0; i < count; ++i) {
        a[i] = float(std::rand()) / float(RAND_MAX);
        b[i] = float(std::rand()) / float(RAND_MAX);
    }
    cl_int status = CL_SUCCESS;
    cl_platform_id platform;
    cl_device_id device;
    require(clGetPlatformIDs(1, &platform, nullptr), "platform");
    require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    require(status, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    require(status, "queue");
    const char* source = kSource;
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    require(clBuildProgram(program, 1, &device, argc > 3 ? argv[3] : "-cl-opt-disable", nullptr, nullptr), "build");
    cl_kernel kernel = clCreateKernel(program, "matmul_tiled", &status);
    require(status, "kernel");
    size_t bytes = count * sizeof(float);
    cl_mem deviceA = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, a.data(), &status);
    cl_mem deviceB = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, b.data(), &status);
    cl_mem deviceOut = clCreateBuffer(context, 0, bytes, nullptr, &status);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &deviceOut);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &deviceA);
    clSetKernelArg(kernel, 2, sizeof(cl_mem), &deviceB);
    clSetKernelArg(kernel, 3, sizeof(int), &size);
    size_t global[2] = {size_t(size), size_t(size)};
    size_t local[2] = {16, 16};
    double best = INFINITY;
    for (int run = 0; run < runs; ++run) {
        auto start = std::chrono::steady_clock::now();
        require(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr), "enqueue");
        require(clFinish(queue), "finish");
        best = std::fmin(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    require(clEnqueueReadBuffer(queue, deviceOut, CL_TRUE, 0, bytes, out.data(), 0, nullptr, nullptr), "read");
    float expected = 0;
    for (int k = 0; k < size; ++k)
        expected += a[size_t(k)] * b[size_t(k) * size_t(size)];
    if (std::fabs(expected - out[0]) > 1e-3f * expected)
        return 1;
    std::printf("%.9f\n", best);
    return 0;
}
