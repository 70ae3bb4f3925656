// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One producer with tensor copies, three warpgroups that multiply: a stage is filled anew without a look at whether they have
// released it.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>
constexpr int M = 192, N = 64, K = 256, BK = 64, STAGES = 3, CONSUMERS = 3;
struct alignas(1024) Stage { __half a[M][BK]; __half b[N][BK]; };
struct Shared { Stage stage[STAGES]; uint64_t full[STAGES], empty[STAGES]; };
__device__ uint32_t sa(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void wait(uint64_t* b, uint32_t parity) { asm volatile("{ .reg .pred p; L_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra L_%=; }" ::"r"(sa(b)), "r"(parity) : "memory"); }
__device__ uint64_t desc(const void* p) { return (uint64_t)(sa(p) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62; }
#define R8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
__device__ void mma(float (&d)[32], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;" : R8(d, 0), R8(d, 8), R8(d, 16), R8(d, 24) : "l"(a), "l"(b));
}
__global__ void __launch_bounds__(512) gemm(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, float* c)
{
    extern __shared__ char raw[];
    Shared& s = *reinterpret_cast<Shared*>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~uintptr_t(1023));
    const int group = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sa(&s.full[i])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sa(&s.empty[i])), "r"(CONSUMERS));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0)
            for (int k = 0; k < K / BK; ++k) {
                int i = k % STAGES;
#ifdef FIXED
                wait(&s.empty[i], (k / STAGES & 1) ^ 1);
#endif
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sa(&s.full[i])), "r"((uint32_t)sizeof(Stage)) : "memory");
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(sa(s.stage[i].a)), "l"(&ma), "r"(k * BK), "r"(0), "r"(sa(&s.full[i])) : "memory");  // expect: shared-race
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(sa(s.stage[i].b)), "l"(&mb), "r"(k * BK), "r"(0), "r"(sa(&s.full[i])) : "memory");
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
        const int row = (group - 1) * 64;
        float d[32] = {};
        for (int k = 0; k < K / BK; ++k) {
            int i = k % STAGES;
            wait(&s.full[i], k / STAGES & 1);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int kk = 0; kk < BK; kk += 16) mma(d, desc(&s.stage[i].a[row][0]) + kk * 2 / 16, desc(&s.stage[i].b[0][0]) + kk * 2 / 16);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (threadIdx.x % 128 == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sa(&s.empty[i])) : "memory");
        }
        int w = threadIdx.x % 128 / 32, l = threadIdx.x % 32;
        for (int i = 0; i < 32; ++i) c[(row + w * 16 + l / 4 + i / 2 % 2 * 8) * N + i / 4 * 8 + l % 4 * 2 + i % 2] = d[i];
    }
}
static CUtensorMap make(void* p, int rows)
{
    decltype(&cuTensorMapEncodeTiled) encode = nullptr; cudaDriverEntryPointQueryResult q;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void**)&encode, cudaEnableDefault, &q);
    cuuint64_t dims[] = {K, (cuuint64_t)rows}, strides[] = {K * 2}; cuuint32_t box[] = {BK, (cuuint32_t)rows}, es[] = {1, 1};
    CUtensorMap m;
    CUresult r = encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, dims, strides, box, es, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r) printf("encode %d\n", r);
    return m;
}
int main()
{
    std::vector<__half> a(M * K), b(N * K); std::vector<float> c(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = __float2half(float(i % 7 - 3));
    for (int i = 0; i < N * K; ++i) b[i] = __float2half(float(i % 5 - 2));
    __half *da, *db; float* dc;
    cudaMalloc(&da, a.size() * 2); cudaMalloc(&db, b.size() * 2); cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice); cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared) + 1024);
    gemm<<<1, 512, sizeof(Shared) + 1024>>>(make(da, M), make(db, N), dc);
    cudaError_t e = cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < M; ++i) for (int j = 0; j < N; ++j) { float s = 0; for (int k = 0; k < K; ++k) s += __half2float(a[i * K + k]) * __half2float(b[j * K + k]); bad += s != c[i * N + j]; }
    printf("%d bad %s\n", bad, cudaGetErrorString(e));
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return bad != 0;
}
