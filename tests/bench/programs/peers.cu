// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of peers.inc: argv[1] is the kernel, argv[2] its size, argv[3] how often. Prints what peers::print says,
// in seconds.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "../peers.h"

#define KERNEL __global__
#define GLOBAL
#define LOCAL __shared__
#define BARRIER __syncthreads()
#define LOCAL_X int(threadIdx.x)
#define LOCAL_Y int(threadIdx.y)
#define GROUP_X int(blockIdx.x)
#define GROUP_Y int(blockIdx.y)
#define GROUPS_X int(gridDim.x)
#define ATOMIC_ADD(p, v) atomicAdd(p, v)
#define LOAD_HALF(p, i) __half2float(((const __half*)(p))[i])
#define STORE_HALF(p, i, v) (((__half*)(p))[i] = __float2half(v))
#define EXP(x) expf(x)
#define LOG(x) logf(x)
#define SQRT(x) sqrtf(x)
#define FABS(x) fabsf(x)
#define EXCHANGED
#define EXCHANGE(to, v, d) to = __shfl_xor_sync(~0u, v, d)
#include "peers.inc"

int main(int argc, char** argv)
{
    if (argc < 3)
        return 2;
    const peers::Work work = peers::workOf(argv[1], atoi(argv[2]));
    const int runs = argc > 3 ? atoi(argv[3]) : 1;
    const struct {
        const char* name;
        void (*kernel)(float*, const float*, const float*, int);
    } kernels[] = {{"matmul", matmul},         {"reduction", reduction},     {"scan", scan},
                   {"stencil", stencil},       {"histogram", histogram},     {"conv2d", conv2d},
                   {"jacobi", jacobi},         {"differences", differences}, {"rows", rows},
                   {"columns", columns},       {"rank_k", rank_k},           {"covariance", covariance},
                   {"sweep", sweep},           {"eliminate", eliminate},     {"hash", hash},
                   {"collatz", collatz},       {"bodies", bodies},           {"shuffles", shuffles},
                   {"bitonic", bitonic},       {"scatter", scatter},         {"gather", gather},
                   {"halves", halves},         {"transpose", transpose},     {"heat", heat},
                   {"mandelbrot", mandelbrot}, {"recurrence", recurrence},   {"grey", grey},
                   {"particles", particles},   {"tables", tables},           {"diagonals", diagonals},
                   {"insertion", insertion},   {"options", options},         {"permute", permute}};
    float *a, *b, *out;
    cudaMalloc(&a, work.a.size() * sizeof(float));
    cudaMalloc(&b, work.b.size() * sizeof(float));
    cudaMalloc(&out, work.outCount * sizeof(float));
    cudaMemcpy(a, work.a.data(), work.a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, work.b.data(), work.b.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, work.outCount * sizeof(float));
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    float best = INFINITY;
    std::vector<double> processor;
    for (int run = 0; run < runs; ++run)
        for (const auto& [name, kernel] : kernels) {
            if (work.kernel != name)
                continue;
            const double before = peers::processorSeconds();
            cudaEventRecord(start);
            kernel<<<dim3(work.groups[0], work.groups[1]), dim3(work.group[0], work.group[1])>>>(out, a, b, work.n);
            cudaEventRecord(stop);
            cudaEventSynchronize(stop);
            processor.push_back(peers::processorSeconds() - before);
            float milliseconds = 0;
            cudaEventElapsedTime(&milliseconds, start, stop);
            best = fminf(best, milliseconds);
        }
    std::vector<float> result(work.outCount);
    cudaMemcpy(result.data(), out, work.outCount * sizeof(float), cudaMemcpyDeviceToHost);
    if (!peers::isRight(work, result, runs))
        return 1;
    peers::print(best / 1000, processor, result);
    return 0;
}
