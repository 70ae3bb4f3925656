// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes and halves of a word at a time, and the extremes of dynamic programming.
#include "check.h"

__global__ void compute(unsigned* out)
{
    const unsigned x = 0x80017fff, y = 0x7f8000fe;
    int n = 0;
    out[n++] = __vabs4(x);
    out[n++] = __vabsss4(x);
    out[n++] = __vabs2(x);
    out[n++] = __vabsss2(x);
    out[n++] = __vneg4(x);
    out[n++] = __vneg2(x);
    out[n++] = __vnegss4(x);
    out[n++] = __vnegss2(x);
    out[n++] = __vabsdiffs4(x, y);
    out[n++] = __vabsdiffs2(x, y);
    out[n++] = __vsubss4(x, y);
    out[n++] = __vsubss2(x, y);
    out[n++] = __vsads4(x, y);
    out[n++] = __vsads2(x, y);
    out[n++] = __vsadu2(x, y);
    out[n++] = __vcmpges4(x, y);
    out[n++] = __vcmples2(x, y);
    out[n++] = __vsetges4(x, y);
    out[n++] = __vsetles4(x, y);
    out[n++] = __vsetgeu4(x, y);
    out[n++] = __vsetne2(x, y);
    out[n++] = __vimax3_s32(-5, 3, -7);
    out[n++] = __vimin3_u32(5, 3, 7);
    out[n++] = __vimax_s32_relu(-5, -3);
    out[n++] = __viaddmax_s32(-9, 4, -7);
    out[n++] = __viaddmin_s32_relu(-9, 4, 2);
    out[n++] = __vimax3_s16x2(x, y, 0x00028000);
    out[n++] = __viaddmax_s16x2_relu(x, y, 0x80000001);
    out[n++] = __viaddmin_u16x2(x, y, 0x12345678);
    bool first = false;
    out[n++] = __vibmax_s32(4, 4, &first);
    out[n++] = first;
    out[n++] = __vibmin_u32(4, 0xffffffff, &first);
    out[n++] = first;
    out[n++] = __vavgs4(0x80fd0301, 0x80fe0402);
    out[n++] = __vavgs2(0x8000fffd, 0x7fff0000);
    out[n++] = __vavgu2(x, y);
    bool high = false, low = false;
    out[n++] = __vibmax_s16x2(x, y, &high, &low);
    out[n++] = 2 * high + low;
    out[n++] = __vibmin_u16x2(x, y, &high, &low);
    out[n++] = 2 * high + low;
}

int main()
{
    unsigned* out;
    CHECK(cudaMallocManaged(&out, 40 * sizeof(unsigned)));
    compute<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 40; ++i)
        std::printf("%08x%c", out[i], i % 8 == 7 || i == 39 ? '\n' : ' ');
    cudaFree(out);
}
