// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread 0 puts a list of its own into a job that all threads work on: a struct, copied whole.
#include <cuda_runtime.h>

struct Job {
    int* list;
    int length;
};

__global__ void work(int* out)
{
    __shared__ Job job;
    __shared__ int kept[4];
    int own[4];
    for (int i = 0; i < 4; ++i)
        own[i] = i * 10 + threadIdx.x;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; ++i)
            kept[i] = own[i];
#ifdef FIXED
        job = {kept, 4};
#else
        job = {own, 4};
#endif
    }
    __syncthreads();
    out[threadIdx.x] = job.list[threadIdx.x % job.length] + kept[0] + own[0];  // expect: out-of-bounds
}

int main()
{
    int* out;
    cudaMalloc(&out, 128);
    work<<<1, 32>>>(out);
    cudaFree(out);
}
