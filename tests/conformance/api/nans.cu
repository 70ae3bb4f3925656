// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bits NaNs have when narrow floats are widened. Text of an H200.
#include <cstdio>
#include <vector>

__global__ void widen(const unsigned short* in, unsigned* out, int count)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    unsigned ofHalf, ofBFloat;
    unsigned long long ofHalfInDouble;
    asm("cvt.f32.f16 %0, %1;" : "=r"(ofHalf) : "h"(in[t]));
    asm("{.reg .f64 t; cvt.f64.f16 t, %1; mov.b64 %0, t;}" : "=l"(ofHalfInDouble) : "h"(in[t]));
    asm("cvt.f32.bf16 %0, %1;" : "=r"(ofBFloat) : "h"(in[t]));
    out[4 * t] = ofHalf;
    out[4 * t + 1] = static_cast<unsigned>(ofHalfInDouble >> 32);
    out[4 * t + 2] = static_cast<unsigned>(ofHalfInDouble);
    out[4 * t + 3] = ofBFloat;
}

int main()
{
    constexpr int kCount = 1 << 16;
    std::vector<unsigned short> codes(kCount);
    for (int i = 0; i < kCount; ++i)
        codes[i] = static_cast<unsigned short>(i);
    unsigned short* in;
    unsigned* out;
    cudaMalloc(&in, kCount * sizeof *in);
    cudaMalloc(&out, 4 * kCount * sizeof *out);
    cudaMemcpy(in, codes.data(), kCount * sizeof *in, cudaMemcpyHostToDevice);
    widen<<<kCount / 256, 256>>>(in, out, kCount);
    std::vector<unsigned> found(4 * kCount);
    cudaMemcpy(found.data(), out, found.size() * sizeof *out, cudaMemcpyDeviceToHost);
    for (int code : {0x7c00, 0x7c01, 0x7e00, 0x7fff, 0xfc00, 0xfc01, 0xffff, 0x7f80, 0x7f81, 0xff80, 0xff81, 0x3c00})
        std::printf("%04x: half %08x %08x%08x bfloat16 %08x\n", code, found[4 * code], found[4 * code + 1],
                    found[4 * code + 2], found[4 * code + 3]);
    unsigned long long hash = 0;
    for (unsigned word : found)
        hash = (hash ^ word) * 0x100000001b3ull;
    std::printf("all: %016llx\n", hash);
}
