// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One lock per bucket, taken and given back with fences on both sides, by every thread of two one-warp blocks.
__global__ void insert(int* locks, int* heads, int* next, const int* keys, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bucket = keys[i] % 4;
        bool isDone = false;
        while (!isDone) {
            if (atomicCAS(&locks[bucket], 0, 1) == 0) {
                __threadfence();
                next[i] = heads[bucket];
                heads[bucket] = i;
                __threadfence();
                atomicExch(&locks[bucket], 0);
                isDone = true;
            }
        }
    }
}

int main()
{
    const int n = 64;
    int *locks, *heads, *next, *keys, host[n];
    cudaMalloc(&locks, 16);
    cudaMalloc(&heads, 16);
    cudaMalloc(&next, n * 4);
    cudaMalloc(&keys, n * 4);
    cudaMemset(locks, 0, 16);
    cudaMemset(heads, 255, 16);
    for (int i = 0; i < n; ++i)
        host[i] = i * 7;
    cudaMemcpy(keys, host, n * 4, cudaMemcpyHostToDevice);
    insert<<<2, 32>>>(locks, heads, next, keys, n);
    cudaFree(locks);
    cudaFree(heads);
    cudaFree(next);
    cudaFree(keys);
}
