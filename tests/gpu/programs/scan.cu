// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An inclusive scan in three launches: of each block by Blelloch's tree (with its bank conflicts), of the blocks' sums
// by Hillis and Steele, and what lies before each block added. 512 elements a block; their number: the first argument.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 512;

__global__ void scan_blocks(int* out, int* sums, const int* a)
{
    __shared__ int tree[TPB];
    int local = threadIdx.x, i = blockIdx.x * TPB + local;
    int own = a[i];
    tree[local] = own;
    __syncthreads();
    for (int stride = 1; stride < TPB; stride *= 2) {
        int right = (local + 1) * 2 * stride - 1;
        if (right < TPB)
            tree[right] += tree[right - stride];
        __syncthreads();
    }
    if (local == 0) {
        sums[blockIdx.x] = tree[TPB - 1];
        tree[TPB - 1] = 0;
    }
    __syncthreads();
    for (int stride = TPB / 2; stride > 0; stride /= 2) {
        int right = (local + 1) * 2 * stride - 1;
        if (right < TPB) {
            int left = tree[right - stride];
            tree[right - stride] = tree[right];
            tree[right] += left;
        }
        __syncthreads();
    }
    out[i] = tree[local] + own;
}

__global__ void scan_sums(int* sums, int count)
{
    __shared__ int shared[2][TPB];
    int local = threadIdx.x, from = 0;
    shared[0][local] = local < count ? sums[local] : 0;
    __syncthreads();
    for (int offset = 1; offset < TPB; offset *= 2) {
        int sum = shared[from][local];
        if (local >= offset)
            sum += shared[from][local - offset];
        shared[1 - from][local] = sum;
        from = 1 - from;
        __syncthreads();
    }
    if (local < count)
        sums[local] = shared[from][local];
}

__global__ void add_sums(int* out, const int* sums)
{
    if (blockIdx.x > 0)
        out[blockIdx.x * TPB + threadIdx.x] += sums[blockIdx.x - 1];
}

int main(int argc, char** argv)
{
    const int blocks = std::min(TPB, (argc > 1 ? std::atoi(argv[1]) : 512 * TPB) / TPB);
    const int size = blocks * TPB;
    std::vector<int> values(size), result(size);
    for (int i = 0; i < size; ++i)
        values[i] = i * 7 % 13;
    int *a, *out, *sums;
    cudaMalloc(&a, size * sizeof(int));
    cudaMalloc(&out, size * sizeof(int));
    cudaMalloc(&sums, blocks * sizeof(int));
    cudaMemcpy(a, values.data(), size * sizeof(int), cudaMemcpyHostToDevice);
    scan_blocks<<<blocks, TPB>>>(out, sums, a);
    scan_sums<<<1, TPB>>>(sums, blocks);
    add_sums<<<blocks, TPB>>>(out, sums);
    cudaMemcpy(result.data(), out, size * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0, wrong = 0;
    for (int i = 0; i < size; ++i)
        wrong += result[i] != (sum += values[i]);
    std::printf("%d wrong\n", wrong);
    cudaFree(a);
    cudaFree(out);
    cudaFree(sums);
    return wrong != 0;
}
