// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ring of three stages, where one lane arrives for its warp: behind __syncwarp(), or others may still be reading.
#include <cstdio>
#include <cuda_runtime.h>
__device__ void init(unsigned long long* b, int n)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(b)), "r"(n) : "memory");
}
__device__ void arrive(unsigned long long* b)
{
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"((unsigned)__cvta_generic_to_shared(b))
                 : "memory");
}
__device__ void wait(unsigned long long* b, int parity)
{
    asm volatile("{\n.reg .pred p;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@p bra DONE;\nbra "
                 "LAB_WAIT;\nDONE:\n}" ::"r"((unsigned)__cvta_generic_to_shared(b)),
                 "r"(parity)
                 : "memory");
}
__global__ void ring(int* out, const int* in, int n)
{
    __shared__ unsigned long long full[3], empty[3];
    __shared__ int tile[3][64];
    if (threadIdx.x == 0)
        for (int s = 0; s < 3; ++s) {
            init(&full[s], 2);
            init(&empty[s], 2);
        }
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp < 2) {
        for (int k = 0; k < n; ++k) {
            int s = k % 3;
            if (k >= 3) {
                if (lane == 0)
                    wait(&empty[s], (k / 3 - 1) & 1);
                __syncwarp();
            }
            tile[s][warp * 32 + lane] = in[k * 64 + warp * 32 + lane];
            __syncwarp();
            if (lane == 0)
                arrive(&full[s]);
        }
    } else {
        int w = warp - 2;
        for (int k = 0; k < n; ++k) {
            int s = k % 3;
            wait(&full[s], (k / 3) & 1);
            out[k * 64 + w * 32 + lane] = tile[s][63 - (w * 32 + lane)];  // expect: shared-race error
#ifdef FIXED
            __syncwarp();
#endif
            if (lane == 0)
                arrive(&empty[s]);
        }
    }
}
int main()
{
    int n = 7, h[448];
    for (int i = 0; i < 448; ++i)
        h[i] = i;
    int *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    ring<<<2, 128>>>(out, in, n);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 448; ++i)
        if (h[i] != i / 64 * 64 + 63 - i % 64) {
            printf("bad %d\n", i);
            break;
        }
    cudaFree(in);
    cudaFree(out);
}
