// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What old programs do and nvcc lets them: macros of short names before headers, functions without their return,
// pointers to void that count in bytes, values read as another type, CUDA's own math on the host, launches as some
// editors format them.
#define N 64
#define M 16
#define K 16
#define cell(i, j) ((i) * 10 + (j))
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>
#include <mma.h>
#include <stdio.h>

#ifndef __NVCC__
#error "not nvcc"
#endif

__device__ int readAsAnother(int* whole, float* real)
{
    *whole = 1;
    *real = 2.0f;
    return *whole;
}

__device__ int forgets(int x)
{
    if (x > 1000)
        return 1;
}

__global__ void fill(void* bytes, int* out)
{
    forgets(threadIdx.x);
    int* place = (int*)(bytes + 4 * threadIdx.x);
    *place = cooperative_groups::this_thread_block().thread_rank() + cell(7, 5);
    if (threadIdx.x == 0)
        *out = readAsAnother(out, (float*)out);
}

int check(const int* values)
{
    for (int i = 0; i < N; ++i)
        if (values[i] != i + 75)
            return printf("%d is wrong\n", i);
    printf("all right\n");
}

cudaError_t run(void* device, int* out)
{
    // clang-format off
    fill << <1, N >> > (device, out);
    // clang-format on
    cudaDeviceSynchronize();
}

int main()
{
    void *device, *end;
    int values[N + 1];
    cudaMalloc(&device, (N + 1) * sizeof(int));
    end = device;
    end += N * sizeof(int);
    run(device, (int*)end);
    cudaMemcpy(values, device, sizeof(values), cudaMemcpyDeviceToHost);
    cudaFree(end - N * 4);
    check(values);
    printf("%x\n", values[N]);
    printf("%.4f %.4f %.4f %.4f\n", normcdf(0.5), erfinv(0.5f), sinpi(0.25), rcbrt(8.0));
}
