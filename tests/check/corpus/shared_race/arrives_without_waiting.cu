// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A consumer that arrives at the full barrier and reads at once: who arrives waits for nobody.
#include <cuda/barrier>
__global__ void pipe(float* out, const float* in)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    __shared__ float tile[64];
    if (threadIdx.x == 0)
        init(&full, 128);
    __syncthreads();
    if (threadIdx.x < 64) {
        tile[threadIdx.x] = in[threadIdx.x];
        (void)full.arrive();
    } else {
#ifdef FIXED
        full.arrive_and_wait();
#else
        (void)full.arrive();
#endif
        out[threadIdx.x - 64] = tile[127 - threadIdx.x];  // expect: shared-race error
    }
}
int main()
{
    float *in, *out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 256);
    cudaMemset(in, 0, 256);
    pipe<<<1, 128>>>(out, in);
    cudaFree(in);
    cudaFree(out);
}
