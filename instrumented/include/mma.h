// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcuda::wmma over mma.sync: a fragment holds what the instruction's lanes hold, so that each warp-wide product is one
// or two of them. 16×16 tiles are two products side by side, 32×8 two on top of each other, 8×32 the transpose of that.
#pragma once

#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include "lanescope/hide_macros.h"

#if defined(__CUDA__)
#define LS_MEMBER inline __attribute__((device, always_inline, nodebug))

// clang-format off
namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }
namespace experimental {
namespace precision { struct u4 {}; struct s4 {}; struct b1 {}; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

// CUTLASS names it wherever it is given. A kernel that calls it is refused by the instruction's name.
template <class D, class A, class B, class C>
LS_DEVICE void bmma_sync(D&, const A&, const B&, const C&, experimental::bmmaBitOp = experimental::bmmaBitOpXOR,
                         experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
#if defined(__CUDA_ARCH__)
    asm volatile("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32;");
#endif
}

namespace details {

template <class A, class B> struct Same { static constexpr bool value = false; };
template <class A> struct Same<A, A> { static constexpr bool value = true; };
template <class T> struct Storage { typedef T type; };
template <> struct Storage<precision::tf32> { typedef float type; };
template <class T> constexpr int kPerWord = sizeof(typename Storage<T>::type) >= 4 ? 1 : 4 / (int)sizeof(typename Storage<T>::type);

LS_DEVICE int lane() { return (int)__nvvm_read_ptx_sreg_laneid(); }

/// Rows and columns of the two operands as the instruction sees them: m by k, and k by n in blocks of 8 columns.
template <class Use, int M, int N, int K> struct Side;
template <int M, int N, int K> struct Side<matrix_a, M, N, K> { static constexpr bool first = M != 8 || N == 8; static constexpr int extent = M; };
template <int M, int N, int K> struct Side<matrix_b, M, N, K> { static constexpr bool first = M == 8 && N != 8; static constexpr int extent = N; };

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
    typedef typename details::Storage<T>::type Element;

public:
    static constexpr int num_elements = details::Same<Use, accumulator>::value ? M * N / 32 : details::Side<Use, M, N, K>::extent * K / 32;
    static constexpr int num_storage_elements = num_elements;
    typedef Element element_type;
    typedef Element storage_element_type;
    Element x[num_elements];
};
template <int M, int N, int K, class T> class fragment<accumulator, M, N, K, T, void> {
public:
    static constexpr int num_elements = M * N / 32;
    static constexpr int num_storage_elements = num_elements;
    typedef T element_type;
    typedef T storage_element_type;
    T x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
LS_DEVICE void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const V& value)
{
    for (int i = 0; i < f.num_elements; ++i)
        f.x[i] = value;
}

namespace details {

/// Calls put(element, row, column) for what a lane holds of an operand with \p Extent rows (or columns) and depth K.
/// First operand: 16 rows at a time; second: 8 columns at a time. Rows count along the extent, columns along the depth.
template <int Extent, int K, bool First, int P, class F> LS_DEVICE void eachOfOperand(F put)
{
    constexpr int kRows = First ? (Extent < 16 ? 8 : 16) : 8;
    constexpr int kBlocks = kRows / 8;
    const int g = lane() / 4, t = lane() % 4;
    int element = 0;
    for (int tile = 0; tile < Extent / kRows; ++tile)
        for (int r = 0; r < kBlocks * K / (4 * P); ++r)
            for (int i = 0; i < P; ++i)
                put(element++, tile * kRows + g + 8 * (r % kBlocks), r / kBlocks * 4 * P + P * t + i);
}

/// Likewise for results: tiles of 16 (or 8) rows by 8 columns, tiles of columns inside those of rows.
template <int Rows, int Columns, class F> LS_DEVICE void eachOfResult(F put)
{
    constexpr int kRows = Rows < 16 ? 8 : 16;
    const int g = lane() / 4, t = lane() % 4;
    int element = 0;
    for (int row = 0; row < Rows; row += kRows)
        for (int column = 0; column < Columns; column += 8)
            for (int i = 0; i < kRows / 4; ++i)
                put(element++, row + g + 8 * (i / 2), column + 2 * t + i % 2);
}

template <class T> LS_DEVICE unsigned int wordAt(const T* x, int word)
{
    unsigned int bits;
    __builtin_memcpy(&bits, (const char*)x + 4 * word, 4);
    return bits;
}

// One product d += a b of 16 (or 8) × 8. Registers are words of the fragments.
template <class A, class D, int K> struct Product;
#define LS_PRODUCT_F32(type, shape, names)                                                                             \
    template <> struct Product<type, float, shape> {                                                                   \
        static LS_MEMBER void run(float* d, const type* a, const type* b)                                              \
        {                                                                                                              \
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." names ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                              \
                         : "r"(wordAt(a, 0)), "r"(wordAt(a, 1)), "r"(wordAt(a, 2)), "r"(wordAt(a, 3)),                 \
                           "r"(wordAt(b, 0)), "r"(wordAt(b, 1)));                                                      \
        }                                                                                                              \
    };
LS_PRODUCT_F32(__half, 16, "f16.f16")
LS_PRODUCT_F32(__nv_bfloat16, 16, "bf16.bf16")
#undef LS_PRODUCT_F32
template <> struct Product<__half, __half, 16> {
    static LS_MEMBER void run(__half* d, const __half* a, const __half* b)
    {
        unsigned int d0 = wordAt(d, 0), d1 = wordAt(d, 1);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                     : "+r"(d0), "+r"(d1)
                     : "r"(wordAt(a, 0)), "r"(wordAt(a, 1)), "r"(wordAt(a, 2)), "r"(wordAt(a, 3)), "r"(wordAt(b, 0)),
                       "r"(wordAt(b, 1)));
        __builtin_memcpy((void*)d, &d0, 4);
        __builtin_memcpy((void*)(d + 2), &d1, 4);
    }
};
template <> struct Product<float, float, 8> {
    static LS_MEMBER void run(float* d, const float* a, const float* b)
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(wordAt(a, 0)), "r"(wordAt(a, 1)), "r"(wordAt(a, 2)), "r"(wordAt(a, 3)), "r"(wordAt(b, 0)),
                       "r"(wordAt(b, 1)));
    }
};
template <> struct Product<double, double, 4> {
    static LS_MEMBER void run(double* d, const double* a, const double* b)
    {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(d[0]), "+d"(d[1])
                     : "d"(a[0]), "d"(b[0]));
    }
};
#define LS_PRODUCT_S32(type, name)                                                                                     \
    template <> struct Product<type, int, 16> {                                                                        \
        static LS_MEMBER void run(int* d, const type* a, const type* b)                                                \
        {                                                                                                              \
            asm volatile("mma.sync.aligned.m16n8k16.row.col.s32." name "." name ".s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
                         : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                              \
                         : "r"(wordAt(a, 0)), "r"(wordAt(a, 1)), "r"(wordAt(b, 0)));                                   \
        }                                                                                                              \
    };
LS_PRODUCT_S32(signed char, "s8")
LS_PRODUCT_S32(char, "s8")
LS_PRODUCT_S32(unsigned char, "u8")
#undef LS_PRODUCT_S32

template <class L> constexpr bool kIsRow = Same<L, row_major>::value;

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout, class V>
LS_DEVICE void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const V* p, unsigned int ld)
{
    typedef details::Side<Use, M, N, K> Side;
    // Along the extent and along the depth, in memory.
    constexpr bool kExtentIsRow = details::Same<Use, matrix_a>::value;
    constexpr bool kExtentStrided = details::kIsRow<Layout> == kExtentIsRow;
    details::eachOfOperand<Side::extent, K, Side::first, details::kPerWord<T>>([&](int element, int extent, int depth) {
        f.x[element] = kExtentStrided ? p[extent * ld + depth] : p[depth * ld + extent];
    });
    __syncwarp();
}
template <int M, int N, int K, class T>
LS_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p, unsigned int ld, layout_t layout)
{
    constexpr bool kTransposed = M == 8 && N != 8;
    details::eachOfResult<kTransposed ? N : M, kTransposed ? M : N>([&](int element, int row, int column) {
        f.x[element] = (layout == mem_row_major) != kTransposed ? p[row * ld + column] : p[column * ld + row];
    });
    __syncwarp();
}
template <int M, int N, int K, class T>
LS_DEVICE void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f, unsigned int ld, layout_t layout)
{
    constexpr bool kTransposed = M == 8 && N != 8;
    __syncwarp();
    details::eachOfResult<kTransposed ? N : M, kTransposed ? M : N>([&](int element, int row, int column) {
        p[(layout == mem_row_major) != kTransposed ? row * ld + column : column * ld + row] = f.x[element];
    });
    __syncwarp();
}

template <int M, int N, int K, class T, class LA, class LB, class D, class C>
LS_DEVICE void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LA>& a,
                        const fragment<matrix_b, M, N, K, T, LB>& b, const fragment<accumulator, M, N, K, C>& c)
{
    constexpr bool kTransposed = M == 8 && N != 8;
    constexpr int kRows = kTransposed ? N : M, kColumns = kTransposed ? M : N;
    constexpr int kTileRows = kRows < 16 ? 8 : 16;
    constexpr int kFirst = kTileRows * K / 32, kSecond = 8 * K / 32, kResult = kTileRows * 8 / 32;
    typedef typename details::Storage<T>::type Element;
    const Element* first = kTransposed ? b.x : a.x;
    const Element* second = kTransposed ? a.x : b.x;
    for (int i = 0; i < d.num_elements; ++i)
        d.x[i] = c.x[i];
    for (int row = 0; row < kRows / kTileRows; ++row)
        for (int column = 0; column < kColumns / 8; ++column)
            details::Product<Element, D, K>::run(d.x + (row * (kColumns / 8) + column) * kResult, first + row * kFirst,
                                                 second + column * kSecond);
}

LS_DEVICE float __float_to_tf32(float x)
{
    float r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(*(unsigned int*)&r) : "f"(x));
    return r;
}

}  // namespace wmma
}  // namespace nvcuda
// clang-format on
#undef LS_MEMBER
#endif

#include "lanescope/restore_macros.h"

#endif  // __CUDA_MMA_H__
