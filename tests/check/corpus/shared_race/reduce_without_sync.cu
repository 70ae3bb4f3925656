// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree reduction that forgets the barrier inside the loop.
#include <cstdio>
#include <cstdlib>

template <unsigned BLOCK>
__global__ void reduce(const float* __restrict__ in, float* __restrict__ out)
{
    __shared__ float buf[BLOCK];
    const unsigned tid = threadIdx.x;
    buf[tid] = in[blockIdx.x * BLOCK + tid];
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s)
            buf[tid] += buf[tid + s];  // expect: shared-race
#ifdef FIXED
        __syncthreads();
#endif
    }
    if (tid == 0)
        out[blockIdx.x] = buf[0];
}

int main()
{
    const int n = 256;
    float* h = (float*)malloc(n * sizeof(float));
    for (int i = 0; i < n; ++i) h[i] = 1.0f;
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, 4 * sizeof(float));
    cudaMemcpy(d_in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    reduce<64><<<4, 64>>>(d_in, d_out);
    float r[4];
    cudaMemcpy(r, d_out, sizeof(r), cudaMemcpyDeviceToHost);
    printf("%f %f %f %f\n", r[0], r[1], r[2], r[3]);
    cudaFree(d_in);
    cudaFree(d_out);
    free(h);
    return 0;
}
