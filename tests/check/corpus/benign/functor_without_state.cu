// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A functor without members is a byte that nobody writes; functions hand it on beside what is written.
#include <cstdio>

struct Same {
    __device__ bool operator()(int a, int b) const { return a == b; }
};

template <class F>
__device__ auto beginsRun(const int* keys, F same)
{
    return [=](int i) { return i == 0 || !same(keys[i - 1], keys[i]); };
}

template <class F>
__device__ int countOf(int n, F chosen)
{
    int count = 0;
    for (int i = 0; i < n; ++i)
        count += chosen(i);
    return count;
}

__global__ void runs(const int* keys, int n, int* out)
{
    *out = countOf(n, beginsRun(keys, Same()));
}

int main()
{
    const int host[8] = {1, 1, 2, 3, 3, 3, 1, 1};
    int *keys, *out, count;
    cudaMalloc(&keys, sizeof host);
    cudaMalloc(&out, sizeof count);
    cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice);
    runs<<<1, 1>>>(keys, 8, out);
    cudaMemcpy(&count, out, sizeof count, cudaMemcpyDeviceToHost);
    cudaFree(keys);
    cudaFree(out);
    printf("%d\n", count);
    return count == 4 ? 0 : 1;
}
