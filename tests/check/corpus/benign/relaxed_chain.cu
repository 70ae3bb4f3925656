// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block waits for the word of the one before it and hands its own on: value and state come together, by relaxed
// accesses of PTX to one word or one aligned vector. Nothing else is handed over, so no fence is needed.
#include <cstdio>

__device__ unsigned long long loaded(const unsigned long long* from)
{
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

__device__ uint2 loaded(const uint2* from)
{
    uint2 value;
    asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "l"(from) : "memory");
    return value;
}

__global__ void words(unsigned long long* state, unsigned* out)
{
    if (threadIdx.x != 0)
        return;
    unsigned long long before = 1ull << 32;
    if (blockIdx.x > 0) {
        do
            before = loaded(state + blockIdx.x - 1);
        while (before >> 32 == 0);
    }
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(state + blockIdx.x), "l"(before + blockIdx.x) : "memory");
    out[blockIdx.x] = static_cast<unsigned>(before);
}

__global__ void pairs(uint2* state, unsigned* out)
{
    if (threadIdx.x != 0)
        return;
    uint2 before = make_uint2(1, 0);
    if (blockIdx.x > 0) {
        do
            before = loaded(state + blockIdx.x - 1);
        while (before.x == 0);
    }
    asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %2};" ::"l"(state + blockIdx.x), "r"(1), "r"(before.y + blockIdx.x)
                 : "memory");
    out[blockIdx.x] = before.y;
}

int main()
{
    constexpr int kBlocks = 8;
    unsigned long long* state;
    unsigned *out, last[2];
    cudaMalloc(&state, 2 * kBlocks * sizeof(unsigned long long));
    cudaMalloc(&out, 2 * kBlocks * sizeof(unsigned));
    cudaMemset(state, 0, 2 * kBlocks * sizeof(unsigned long long));
    words<<<kBlocks, 32>>>(state, out);
    pairs<<<kBlocks, 32>>>(reinterpret_cast<uint2*>(state + kBlocks), out + kBlocks);
    cudaMemcpy(last, out + kBlocks - 1, sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaMemcpy(last + 1, out + 2 * kBlocks - 1, sizeof(unsigned), cudaMemcpyDeviceToHost);
    std::printf("%u %u\n", last[0], last[1]);
    cudaFree(state);
    cudaFree(out);
}
