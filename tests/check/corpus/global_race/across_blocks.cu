// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks add into one total with a plain +=, one thread each.
#include <cstdio>

__global__ void total(const int* in, int* out)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
#ifdef FIXED
        atomicAdd(out, s[0]);
#else
        *out += s[0];  // expect: global-race
#endif
}

int main()
{
    int h[256], *in, *out, r;
    for (int i = 0; i < 256; ++i) h[i] = 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    total<<<4, 64, 64 * sizeof(int)>>>(in, out);
    cudaMemcpy(&r, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(in);
    cudaFree(out);
}
