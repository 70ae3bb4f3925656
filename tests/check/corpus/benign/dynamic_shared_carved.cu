// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One dynamic shared array holds two typed arrays, one after the other.
#include <cstdio>

__global__ void stats(const float* in, float* sums, int* counts)
{
    extern __shared__ float memory[];
    float* value = memory;
    int* flag = (int*)&memory[blockDim.x];
    int t = threadIdx.x;
    value[t] = in[t];
    flag[t] = in[t] > 0.5f;
    __syncthreads();
    for (int d = blockDim.x / 2; d; d /= 2) {
        if (t < d) {
            value[t] += value[t + d];
            flag[t] += flag[t + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        *sums = value[0];
        *counts = flag[0];
    }
}

int main()
{
    float h[64], *in, *sums, s;
    int *counts, c;
    for (int i = 0; i < 64; ++i) h[i] = i % 2;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&sums, sizeof s);
    cudaMalloc(&counts, sizeof c);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    stats<<<1, 64, 64 * (sizeof(float) + sizeof(int))>>>(in, sums, counts);
    cudaMemcpy(&s, sums, sizeof s, cudaMemcpyDeviceToHost);
    cudaMemcpy(&c, counts, sizeof c, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(sums);
    cudaFree(counts);
    return s == 32 && c == 32 ? 0 : 1;
}
