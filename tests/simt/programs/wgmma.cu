// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a warpgroup (wgmma): layouts of both matrices in shared memory, with and without exchanged pieces, along
// k and across it; A in registers; types, widths, signs; sums that begin anew. Whole numbers, so sums are exact.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

constexpr int kDepthBytes = 128;  // of each row

enum Swizzle { kNone, k128, k64, k32 };
__host__ __device__ constexpr int widthOf(int swizzle)
{
    return swizzle == kNone ? 16 : 256 >> swizzle;
}

/// Where element (row, k) of a matrix of `rows` rows of kDepthBytes lies: along k.
__device__ int along(int row, int byte, int rows, int swizzle)
{
    const int width = widthOf(swizzle);
    const int at = byte / width * rows * width + row * width + byte % width;
    return at ^ ((at >> 7 & (width / 16 - 1)) << 4);
}
/// And across it, of elements of two bytes: pieces of eight rows for each k.
__device__ int across(int row, int k, int depth, int swizzle)
{
    const int width = widthOf(swizzle), perWidth = width / 2;
    const int at = row / perWidth * depth * width + k * width + row % perWidth * 2;
    return at ^ ((at >> 7 & (width / 16 - 1)) << 4);
}

__device__ uint64_t descriptor(const void* tile, int start, int leading, int stride, int swizzle)
{
    const uint64_t address = __cvta_generic_to_shared(tile) + start;
    return (address & 0x3ffff) >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 |
           uint64_t(swizzle) << 62;
}
/// Of the `step`th 32 bytes of each row.
__device__ uint64_t alongK(const void* tile, int step, int rows, int swizzle)
{
    const int width = widthOf(swizzle);
    if (swizzle == kNone)
        return descriptor(tile, step * 2 * rows * 16, rows * 16, 128, swizzle);
    return descriptor(tile, step * 32 / width * rows * width + step * 32 % width, 16, 8 * width, swizzle);
}
/// Of the `step`th 16 of k.
__device__ uint64_t acrossK(const void* tile, int step, int depth, int swizzle)
{
    const int width = widthOf(swizzle);
    const int eight = 8 * width, whole = depth * width;
    return swizzle == kNone ? descriptor(tile, step * 2 * eight, eight, whole, swizzle)
                            : descriptor(tile, step * 2 * eight, whole, eight, swizzle);
}

template <int negate, int turnA, int turnB>
__device__ void halves8(float (&d)[4], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;"
                 " wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, %7, %8, %9, %10; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b), "r"(int(adds)), "n"(negate), "n"(1), "n"(turnA), "n"(turnB));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void halves24(float (&d)[12], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %14, 0;"
                 " wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11}, %12, %13, p, %15, %16, %17, %18; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
                 : "l"(a), "l"(b), "r"(int(adds)), "n"(negate), "n"(1), "n"(turnA), "n"(turnB));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void halves64(float (&d)[32], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;"
                 " wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31}, %32, %33, p, %35, %36, %37, %38; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                   "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b), "r"(int(adds)), "n"(negate), "n"(1), "n"(turnA), "n"(turnB));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void halves256(float (&d)[128], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %130, 0;"
        " wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
        "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, "
        "%35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, "
        "%57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, "
        "%79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "
        "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, "
        "%118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, p, %131, %132, %133, %134; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
          "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
          "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
          "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
          "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]),
          "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]),
          "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]),
          "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]),
          "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]),
          "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]),
          "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
          "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]),
          "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]),
          "+f"(d[126]), "+f"(d[127])
        : "l"(a), "l"(b), "r"(int(adds)), "n"(negate), "n"(1), "n"(turnA), "n"(turnB));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void halvesOfRegisters(float (&d)[32], const uint32_t (&a)[4], uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %37, 0;"
                 " wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31}, {%32, %33, %34, %35}, %36, p, %38, %39, %40; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                   "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(adds)), "n"(negate), "n"(1), "n"(turnB));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void halvesToHalves(uint32_t (&d)[16], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %18, 0;"
                 " wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15}, %16, %17, p, %19, %20, %21, %22; }"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]),
                   "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15])
                 : "l"(a), "l"(b), "r"(int(adds)), "n"(negate), "n"(1), "n"(turnA), "n"(turnB));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void bfloats(float (&d)[32], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;"
                 " wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31}, %32, %33, p, %35, %36, %37, %38; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                   "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b), "r"(int(adds)), "n"(negate), "n"(1), "n"(turnA), "n"(turnB));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void tf32s(float (&d)[32], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;"
                 " wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31}, %32, %33, p, %35, %36; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                   "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b), "r"(int(adds)), "n"(negate), "n"(1));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void bytes43(float (&d)[32], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;"
                 " wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31}, %32, %33, p, %35, %36; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                   "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b), "r"(int(adds)), "n"(negate), "n"(1));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void bytes5243(float (&d)[32], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;"
                 " wgmma.mma_async.sync.aligned.m64n64k32.f32.e5m2.e4m3 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31}, %32, %33, p, %35, %36; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                   "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b), "r"(int(adds)), "n"(negate), "n"(1));
#endif
}

template <int negate, int turnA, int turnB>
__device__ void integers(uint32_t (&d)[32], uint64_t a, uint64_t b, bool adds)
{
#if defined(__CUDA_ARCH__)
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %34, 0;"
        " wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.u8 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
        "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p; }"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]),
          "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]),
          "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]),
          "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])
        : "l"(a), "l"(b), "r"(int(adds)));
#endif
}

template <typename T>
__host__ __device__ T numberOf(int value)
{
    return T(float(value));
}
template <>
__host__ __device__ int8_t numberOf<int8_t>(int value)
{
    return int8_t(value);
}
template <>
__host__ __device__ uint8_t numberOf<uint8_t>(int value)
{
    return uint8_t(value);
}

__host__ __device__ int aAt(int row, int k)
{
    return (row * 5 + k * 3 + row * k) % 7 - 3;
}
__host__ __device__ int bAt(int k, int column)
{
    return (column * 3 + k * 5 + (column ^ k)) % 5;
}

template <int n_, typename D_, int registers_, typename A_, typename B_>
struct Form {
    static constexpr int n = n_, registers = registers_;
    using D = D_;
    using A = A_;
    using B = B_;
};

#define FORM(NAME, FUNCTION, N, D, REGISTERS, A, B)                                                                    \
    struct NAME : Form<N, D, REGISTERS, A, B> {                                                                        \
        template <int negate, int turnA, int turnB, typename Left>                                                     \
        __device__ static void multiply(D (&d)[REGISTERS], const Left& a, uint64_t b, bool adds)                       \
        {                                                                                                              \
            FUNCTION<negate, turnA, turnB>(d, a, b, adds);                                                             \
        }                                                                                                              \
    }
FORM(Halves8, halves8, 8, float, 4, __half, __half);
FORM(Halves24, halves24, 24, float, 12, __half, __half);
FORM(Halves64, halves64, 64, float, 32, __half, __half);
FORM(Halves256, halves256, 256, float, 128, __half, __half);
FORM(HalvesOfRegisters, halvesOfRegisters, 64, float, 32, __half, __half);
FORM(HalvesToHalves, halvesToHalves, 64, uint32_t, 16, __half, __half);
FORM(Bfloats, bfloats, 64, float, 32, __nv_bfloat16, __nv_bfloat16);
FORM(Tf32s, tf32s, 64, float, 32, float, float);
FORM(Bytes43, bytes43, 64, float, 32, __nv_fp8_e4m3, __nv_fp8_e4m3);
FORM(Bytes5243, bytes5243, 64, float, 32, __nv_fp8_e5m2, __nv_fp8_e4m3);
FORM(Integers, integers, 64, uint32_t, 32, int8_t, uint8_t);

template <typename F, int swizzleA, int swizzleB, int negate, int turnA, int turnB, bool aInRegisters, bool restarts>
__global__ void multiply(typename F::D* out)
{
    // Something before the tiles: descriptors know where in all of shared memory they lie.
    __shared__ int before[3];
    __shared__ __align__(1024) unsigned char a[64 * kDepthBytes];
    __shared__ __align__(1024) unsigned char b[F::n * kDepthBytes];
    using A = typename F::A;
    using B = typename F::B;
    constexpr int kDepth = kDepthBytes / sizeof(A);
    if (threadIdx.x < 3)
        before[threadIdx.x] = threadIdx.x;
    for (int i = threadIdx.x; i < 64 * kDepth; i += blockDim.x) {
        const int row = i / kDepth, k = i % kDepth;
        const int place = turnA ? across(row, k, kDepth, swizzleA) : along(row, k * sizeof(A), 64, swizzleA);
        *reinterpret_cast<A*>(a + place) = numberOf<A>(aAt(row, k));
    }
    for (int i = threadIdx.x; i < F::n * kDepth; i += blockDim.x) {
        const int column = i / kDepth, k = i % kDepth;
        const int place = turnB ? across(column, k, kDepth, swizzleB) : along(column, k * sizeof(B), F::n, swizzleB);
        *reinterpret_cast<B*>(b + place) = numberOf<B>(bAt(k, column));
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    typename F::D d[F::registers];
    for (int i = 0; i < F::registers; ++i)
        d[i] = before[0];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < kDepthBytes / 32; ++step) {
        const uint64_t right = turnB ? acrossK(b, step, kDepth, swizzleB) : alongK(b, step, F::n, swizzleB);
        if constexpr (aInRegisters) {
            const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
            uint32_t left[4];
            for (int r = 0; r < 4; ++r) {
                const int row = warp * 16 + g + 8 * (r % 2), k = step * 16 + r / 2 * 8 + 2 * t;
                const __half2 pair = __floats2half2_rn(float(aAt(row, k)), float(aAt(row, k + 1)));
                memcpy(&left[r], &pair, 4);
            }
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            F::template multiply<negate, turnA, turnB>(d, left, right, !(restarts && step == 1));
        } else {
            const uint64_t left = turnA ? acrossK(a, step, kDepth, swizzleA) : alongK(a, step, 64, swizzleA);
            F::template multiply<negate, turnA, turnB>(d, left, right, !(restarts && step == 1));
        }
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < F::registers; ++i)
        out[i * 128 + threadIdx.x] = d[i];
}

int valueOf(float d, int)
{
    return int(d);
}
int valueOf(uint32_t d, int)
{
    return int(d);
}

int bad = 0, total = 0;

template <typename F, int swizzleA = kNone, int swizzleB = kNone, int negate = 1, int turnA = 0, int turnB = 0,
          bool aInRegisters = false, bool restarts = false>
void check(const char* name)
{
    constexpr int kCount = F::registers * 128;
    constexpr int kDepth = kDepthBytes / sizeof(typename F::A);
    typename F::D *device, host[kCount];
    cudaMalloc(&device, sizeof host);
    multiply<F, swizzleA, swizzleB, negate, turnA, turnB, aInRegisters, restarts><<<1, 128>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(device);
    const bool pairs = sizeof(typename F::A) == 2 && F::registers * 4 == F::n;
    int wrong = 0;
    for (int thread = 0; thread < 128; ++thread)
        for (int i = 0; i < F::n / 2; ++i) {
            const int row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2);
            const int column = i / 4 * 8 + thread % 4 * 2 + i % 2;
            int expected = 0;
            for (int k = restarts ? 32 / int(sizeof(typename F::A)) : 0; k < kDepth; ++k)
                expected += negate * aAt(row, k) * bAt(k, column);
            int got;
            if (pairs) {
                uint32_t word;
                memcpy(&word, &host[i / 2 * 128 + thread], 4);
                const __half_raw half{static_cast<unsigned short>(word >> (16 * (i % 2)))};
                got = int(__half2float(__half(half)));
            } else {
                got = valueOf(host[i * 128 + thread], 0);
            }
            wrong += got != expected;
        }
    bad += wrong != 0;
    ++total;
    if (wrong)
        printf("%s: %d wrong\n", name, wrong);
}

int main()
{
    check<Halves64>("plain");
    check<Halves64, k128, k128>("128 bytes");
    check<Halves64, k64, k32>("64 and 32 bytes");
    check<Halves64, k32, k64>("32 and 64 bytes");
    check<Halves64, kNone, kNone, 1, 1, 1>("plain, both across k");
    check<Halves64, k128, k128, 1, 1, 0>("128 bytes, A across k");
    check<Halves64, k128, k128, 1, 0, 1>("128 bytes, B across k");
    check<Halves64, k64, k64, 1, 1, 1>("64 bytes, both across k");
    check<Halves64, k32, k32, 1, 1, 1>("32 bytes, both across k");
    check<Halves64, k128, k128, -1>("negated");
    check<Halves64, k128, k128, 1, 0, 0, false, true>("begun anew");
    check<Halves8, k128, k128>("8 columns");
    check<Halves24, kNone, k128>("24 columns");
    check<Halves24, kNone, kNone, 1, 0, 1>("24 columns, B across k");
    check<Halves256, k128, k128, 1, 0, 1>("256 columns, B across k");
    check<HalvesOfRegisters, kNone, k128, 1, 0, 0, true>("A in registers");
    check<HalvesOfRegisters, kNone, k64, -1, 0, 1, true>("A in registers, negated");
    check<HalvesToHalves, k128, k128>("halves");
    check<Bfloats, k64, k128, 1, 1, 1>("bfloats");
    check<Tf32s, k128, k64>("tf32");
    check<Bytes43, k128, k128>("e4m3");
    check<Bytes5243, k64, kNone>("e5m2 and e4m3");
    check<Integers, k32, k128>("integers");
    printf("%d forms, bad %d\n", total, bad);
    return bad != 0;
}
