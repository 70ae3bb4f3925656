// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stage is read without waiting for its full barrier; the producer then waits for readers that have ended.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
constexpr int kStages = 2, kTile = 64;
__device__ uint32_t place(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t *b, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(b)), "r"(n)); }
__device__ void expect(uint64_t *b, int n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(b)), "r"(n) : "memory"); }
__device__ void arrive(uint64_t *b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(b)) : "memory"); }
__device__ void await(uint64_t *b, int parity)
{
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\ndone:\n}" ::"r"(place(b)), "r"(parity) : "memory");  // expect: barrier-deadlock
}
__device__ void copy(float *to, const float *from, int bytes, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(to)), "l"(from), "r"(bytes), "r"(place(b)) : "memory");
}
__global__ void sum(const float *in, float *out, int tiles)
{
    __shared__ alignas(128) float buffer[kStages][kTile];
    __shared__ uint64_t full[kStages], empty[kStages];
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) {
            init(&full[s], 1);
            init(&empty[s], 32);
        }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            for (int t = 0; t < tiles; ++t) {
                int s = t % kStages, lap = t / kStages;
                await(&empty[s], (lap & 1) ^ 1);
                expect(&full[s], kTile * 4);
                copy(buffer[s], in + t * kTile, kTile * 4, &full[s]);
            }
    } else {
        float total = 0;
        for (int t = 0; t < tiles; ++t) {
            int s = t % kStages, lap = t / kStages;
#ifdef FIXED
            await(&full[s], lap & 1);
#endif
            total += buffer[s][threadIdx.x - 32] + buffer[s][threadIdx.x];  // expect: shared-race
            arrive(&empty[s]);
        }
        out[threadIdx.x - 32] = total;
    }
}
int main()
{
    const int tiles = 6;
    float *in, *out, h[tiles * kTile];
    for (int i = 0; i < tiles * kTile; ++i) h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, 32 * 4);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<1, 64>>>(in, out, tiles);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    if (error != cudaSuccess)
        return 0;
    float r[32];
    cudaMemcpy(r, out, 128, cudaMemcpyDeviceToHost);
    printf("%g\n", r[1]);
    cudaFree(in); cudaFree(out);
}
