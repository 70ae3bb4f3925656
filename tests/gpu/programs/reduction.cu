// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of blocks of 512 elements by three trees in shared memory: neighbours first with strided threads (bank
// conflicts), halves (none), and halves down to a warp, then shuffles. The number of elements: the first argument.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 512;

__global__ void neighbours(int* out, const int* a)
{
    __shared__ int shared[TPB];
    int local = threadIdx.x;
    shared[local] = a[blockIdx.x * TPB + local];
    __syncthreads();
    for (int stride = 1; stride < TPB; stride *= 2) {
        int i = 2 * stride * local;
        if (i < TPB)
            shared[i] += shared[i + stride];
        __syncthreads();
    }
    if (local == 0)
        out[blockIdx.x] = shared[0];
}

__global__ void halves(int* out, const int* a)
{
    __shared__ int shared[TPB];
    int local = threadIdx.x;
    shared[local] = a[blockIdx.x * TPB + local];
    __syncthreads();
    for (int stride = TPB / 2; stride > 0; stride /= 2) {
        if (local < stride)
            shared[local] += shared[local + stride];
        __syncthreads();
    }
    if (local == 0)
        out[blockIdx.x] = shared[0];
}

__global__ void shuffles(int* out, const int* a)
{
    __shared__ int shared[TPB];
    int local = threadIdx.x;
    shared[local] = a[blockIdx.x * TPB + local];
    __syncthreads();
    for (int stride = TPB / 2; stride >= 32; stride /= 2) {
        if (local < stride)
            shared[local] += shared[local + stride];
        __syncthreads();
    }
    if (local < 32) {
        int sum = shared[local];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (local == 0)
            out[blockIdx.x] = sum;
    }
}

int main(int argc, char** argv)
{
    const int blocks = (argc > 1 ? std::atoi(argv[1]) : 512 * TPB) / TPB, size = blocks * TPB;
    std::vector<int> values(size), sums(blocks);
    for (int i = 0; i < size; ++i)
        values[i] = i * 7 % 13;
    int *a, *out;
    cudaMalloc(&a, size * sizeof(int));
    cudaMalloc(&out, blocks * sizeof(int));
    cudaMemcpy(a, values.data(), size * sizeof(int), cudaMemcpyHostToDevice);
    int wrong = 0;
    for (auto kernel : {neighbours, halves, shuffles}) {
        kernel<<<blocks, TPB>>>(out, a);
        cudaMemcpy(sums.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
        for (int block = 0; block < blocks; ++block) {
            int sum = 0;
            for (int i = 0; i < TPB; ++i)
                sum += values[block * TPB + i];
            wrong += sums[block] != sum;
        }
    }
    std::printf("%d wrong\n", wrong);
    cudaFree(a);
    cudaFree(out);
    return wrong != 0;
}
