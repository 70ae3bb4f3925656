// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fast-math intrinsics, bit operations, casts, cache hints, clocks.
#pragma once

#include "../vector_types.h"
#include "device_math.h"

// clang-format off
// Fast math, computed as the hardware does: through base-2 exponentials and logarithms.
LS_DEVICE float __expf(float x) { return __builtin_exp2f(x * 1.4426950408889634f); }
LS_DEVICE float __exp10f(float x) { return __builtin_exp2f(x * 3.3219280948873623f); }
LS_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471805599453f; }
LS_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
LS_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.3010299956639812f; }
LS_DEVICE float __powf(float x, float y) { return __builtin_exp2f(y * __nvvm_lg2_approx_f(x)); }
LS_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
LS_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
LS_DEVICE void __sincosf(float x, float* s, float* c) { *s = __sinf(x); *c = __cosf(x); }
LS_DEVICE float __tanhf(float x) { return __ls_math_fast_tanhf(x); }
LS_DEVICE float __fdividef(float x, float y)
{
    // div.approx: a quotient by more than 2^126 is 0, of whatever numbers.
    const bool isHuge = __builtin_fabsf(y) > 0x1p126f && __builtin_fabsf(y) < __builtin_huge_valf();
    return x * (isHuge ? __builtin_copysignf(0.0f, y) : __nvvm_rcp_approx_ftz_f(y));
}
LS_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
LS_DEVICE float __frcp_rn(float x) { return 1.0f / x; }
LS_DEVICE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
LS_DEVICE float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
LS_DEVICE float __saturatef(float x) { return saturate(x); }

// Never contracted into a fused multiply-add.
#pragma clang fp contract(off)
LS_DEVICE float __fadd_rn(float x, float y) { return x + y; }
LS_DEVICE float __fsub_rn(float x, float y) { return x - y; }
LS_DEVICE float __fmul_rn(float x, float y) { return x * y; }
LS_DEVICE float __fdiv_rn(float x, float y) { return x / y; }
LS_DEVICE double __dadd_rn(double x, double y) { return x + y; }
LS_DEVICE double __dsub_rn(double x, double y) { return x - y; }
LS_DEVICE double __dmul_rn(double x, double y) { return x * y; }
LS_DEVICE double __ddiv_rn(double x, double y) { return x / y; }
#pragma STDC FP_CONTRACT DEFAULT
LS_DEVICE float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
LS_DEVICE float __fmaf_ieee_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
LS_DEVICE double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
LS_DEVICE double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
LS_DEVICE double __drcp_rn(double x) { return 1.0 / x; }

LS_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
LS_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
LS_DEVICE int __clz(int x) { return __builtin_clzg((unsigned int)x, 32); }
LS_DEVICE int __clzll(long long x) { return __builtin_clzg((unsigned long long)x, 64); }
LS_DEVICE int __ffs(int x) { return __builtin_ctzg((unsigned int)x, -1) + 1; }
LS_DEVICE int __ffsll(long long x) { return __builtin_ctzg((unsigned long long)x, -1) + 1; }
LS_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
LS_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
LS_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) { return __nvvm_prmt(x, y, s); }
LS_DEVICE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int n)
{
    return (unsigned int)(((((unsigned long long)hi << 32) | lo) << (n & 31)) >> 32);
}
LS_DEVICE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int n)
{
    return (unsigned int)((((unsigned long long)hi << 32) | lo) >> (n & 31));
}
LS_DEVICE int __mulhi(int x, int y) { return (int)(((long long)x * y) >> 32); }
LS_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x * y) >> 32); }
LS_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
LS_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return __nvvm_mulhi_ull(x, y); }
LS_DEVICE int __mul24(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
LS_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffffu) * (y & 0xffffffu); }
LS_DEVICE unsigned int __sad(int x, int y, unsigned int z) { return (x > y ? (unsigned int)x - (unsigned int)y : (unsigned int)y - (unsigned int)x) + z; }
LS_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return (x > y ? x - y : y - x) + z; }
LS_DEVICE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
LS_DEVICE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
LS_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x + y + 1) >> 1); }
LS_DEVICE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int n)
{
    return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
LS_DEVICE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int n)
{
    return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}
LS_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x + y) >> 1); }

LS_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
LS_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
LS_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
LS_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
LS_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
LS_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
LS_DEVICE int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
LS_DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
LS_DEVICE double __hiloint2double(int hi, int lo)
{
    return __builtin_bit_cast(double, ((unsigned long long)(unsigned int)hi << 32) | (unsigned int)lo);
}

#define LS_CASTS(from, fromName, to, toName, suffix)                                                                   \
    LS_DEVICE to __##fromName##2##toName##_rn(from x) { return (to)__builtin_rint##suffix(x); }                        \
    LS_DEVICE to __##fromName##2##toName##_rz(from x) { return (to)x; }                                                \
    LS_DEVICE to __##fromName##2##toName##_rd(from x) { return (to)__builtin_floor##suffix(x); }                       \
    LS_DEVICE to __##fromName##2##toName##_ru(from x) { return (to)__builtin_ceil##suffix(x); }
LS_CASTS(float, float, int, int, f)
LS_CASTS(float, float, unsigned int, uint, f)
LS_CASTS(float, float, long long, ll, f)
LS_CASTS(float, float, unsigned long long, ull, f)
LS_CASTS(double, double, int, int, )
LS_CASTS(double, double, unsigned int, uint, )
LS_CASTS(double, double, long long, ll, )
LS_CASTS(double, double, unsigned long long, ull, )
#undef LS_CASTS
LS_DEVICE float __fadd_rz(float x, float y) { return __nvvm_add_rz_f(x, y); }
LS_DEVICE double __dadd_rz(double x, double y) { return __nvvm_add_rz_d(x, y); }
LS_DEVICE float __fmul_rz(float x, float y) { return __nvvm_mul_rz_f(x, y); }
LS_DEVICE double __dmul_rz(double x, double y) { return __nvvm_mul_rz_d(x, y); }
LS_DEVICE float __fdiv_rz(float x, float y) { return __nvvm_div_rz_f(x, y); }
LS_DEVICE double __ddiv_rz(double x, double y) { return __nvvm_div_rz_d(x, y); }
LS_DEVICE float __fsqrt_rz(float x) { return __nvvm_sqrt_rz_f(x); }
LS_DEVICE double __dsqrt_rz(double x) { return __nvvm_sqrt_rz_d(x); }
LS_DEVICE float __frcp_rz(float x) { return __nvvm_rcp_rz_f(x); }
LS_DEVICE double __drcp_rz(double x) { return __nvvm_rcp_rz_d(x); }
LS_DEVICE float __fsub_rz(float x, float y) { return __nvvm_add_rz_f(x, -y); }
LS_DEVICE double __dsub_rz(double x, double y) { return __nvvm_add_rz_d(x, -y); }
LS_DEVICE float __fmaf_rz(float x, float y, float z) { return __nvvm_fma_rz_f(x, y, z); }
LS_DEVICE double __fma_rz(double x, double y, double z) { return __nvvm_fma_rz_d(x, y, z); }
LS_DEVICE float __double2float_rz(double x) { return __nvvm_d2f_rz(x); }
LS_DEVICE float __int2float_rz(int x) { return __nvvm_i2f_rz(x); }
LS_DEVICE float __uint2float_rz(unsigned int x) { return __nvvm_ui2f_rz(x); }
LS_DEVICE float __ll2float_rz(long long x) { return __nvvm_ll2f_rz(x); }
LS_DEVICE double __ll2double_rz(long long x) { return __nvvm_ll2d_rz(x); }
LS_DEVICE float __ull2float_rz(unsigned long long x) { return __nvvm_ull2f_rz(x); }
LS_DEVICE double __ull2double_rz(unsigned long long x) { return __nvvm_ull2d_rz(x); }
LS_DEVICE float __fadd_rd(float x, float y) { return __nvvm_add_rm_f(x, y); }
LS_DEVICE double __dadd_rd(double x, double y) { return __nvvm_add_rm_d(x, y); }
LS_DEVICE float __fmul_rd(float x, float y) { return __nvvm_mul_rm_f(x, y); }
LS_DEVICE double __dmul_rd(double x, double y) { return __nvvm_mul_rm_d(x, y); }
LS_DEVICE float __fdiv_rd(float x, float y) { return __nvvm_div_rm_f(x, y); }
LS_DEVICE double __ddiv_rd(double x, double y) { return __nvvm_div_rm_d(x, y); }
LS_DEVICE float __fsqrt_rd(float x) { return __nvvm_sqrt_rm_f(x); }
LS_DEVICE double __dsqrt_rd(double x) { return __nvvm_sqrt_rm_d(x); }
LS_DEVICE float __frcp_rd(float x) { return __nvvm_rcp_rm_f(x); }
LS_DEVICE double __drcp_rd(double x) { return __nvvm_rcp_rm_d(x); }
LS_DEVICE float __fsub_rd(float x, float y) { return __nvvm_add_rm_f(x, -y); }
LS_DEVICE double __dsub_rd(double x, double y) { return __nvvm_add_rm_d(x, -y); }
LS_DEVICE float __fmaf_rd(float x, float y, float z) { return __nvvm_fma_rm_f(x, y, z); }
LS_DEVICE double __fma_rd(double x, double y, double z) { return __nvvm_fma_rm_d(x, y, z); }
LS_DEVICE float __double2float_rd(double x) { return __nvvm_d2f_rm(x); }
LS_DEVICE float __int2float_rd(int x) { return __nvvm_i2f_rm(x); }
LS_DEVICE float __uint2float_rd(unsigned int x) { return __nvvm_ui2f_rm(x); }
LS_DEVICE float __ll2float_rd(long long x) { return __nvvm_ll2f_rm(x); }
LS_DEVICE double __ll2double_rd(long long x) { return __nvvm_ll2d_rm(x); }
LS_DEVICE float __ull2float_rd(unsigned long long x) { return __nvvm_ull2f_rm(x); }
LS_DEVICE double __ull2double_rd(unsigned long long x) { return __nvvm_ull2d_rm(x); }
LS_DEVICE float __fadd_ru(float x, float y) { return __nvvm_add_rp_f(x, y); }
LS_DEVICE double __dadd_ru(double x, double y) { return __nvvm_add_rp_d(x, y); }
LS_DEVICE float __fmul_ru(float x, float y) { return __nvvm_mul_rp_f(x, y); }
LS_DEVICE double __dmul_ru(double x, double y) { return __nvvm_mul_rp_d(x, y); }
LS_DEVICE float __fdiv_ru(float x, float y) { return __nvvm_div_rp_f(x, y); }
LS_DEVICE double __ddiv_ru(double x, double y) { return __nvvm_div_rp_d(x, y); }
LS_DEVICE float __fsqrt_ru(float x) { return __nvvm_sqrt_rp_f(x); }
LS_DEVICE double __dsqrt_ru(double x) { return __nvvm_sqrt_rp_d(x); }
LS_DEVICE float __frcp_ru(float x) { return __nvvm_rcp_rp_f(x); }
LS_DEVICE double __drcp_ru(double x) { return __nvvm_rcp_rp_d(x); }
LS_DEVICE float __fsub_ru(float x, float y) { return __nvvm_add_rp_f(x, -y); }
LS_DEVICE double __dsub_ru(double x, double y) { return __nvvm_add_rp_d(x, -y); }
LS_DEVICE float __fmaf_ru(float x, float y, float z) { return __nvvm_fma_rp_f(x, y, z); }
LS_DEVICE double __fma_ru(double x, double y, double z) { return __nvvm_fma_rp_d(x, y, z); }
LS_DEVICE float __double2float_ru(double x) { return __nvvm_d2f_rp(x); }
LS_DEVICE float __int2float_ru(int x) { return __nvvm_i2f_rp(x); }
LS_DEVICE float __uint2float_ru(unsigned int x) { return __nvvm_ui2f_rp(x); }
LS_DEVICE float __ll2float_ru(long long x) { return __nvvm_ll2f_rp(x); }
LS_DEVICE double __ll2double_ru(long long x) { return __nvvm_ll2d_rp(x); }
LS_DEVICE float __ull2float_ru(unsigned long long x) { return __nvvm_ull2f_rp(x); }
LS_DEVICE double __ull2double_ru(unsigned long long x) { return __nvvm_ull2d_rp(x); }
LS_DEVICE float __int2float_rn(int x) { return (float)x; }
LS_DEVICE float __uint2float_rn(unsigned int x) { return (float)x; }
LS_DEVICE float __ll2float_rn(long long x) { return (float)x; }
LS_DEVICE float __ull2float_rn(unsigned long long x) { return (float)x; }
LS_DEVICE double __int2double_rn(int x) { return (double)x; }
LS_DEVICE double __uint2double_rn(unsigned int x) { return (double)x; }
LS_DEVICE double __ll2double_rn(long long x) { return (double)x; }
LS_DEVICE double __ull2double_rn(unsigned long long x) { return (double)x; }
LS_DEVICE float __double2float_rn(double x) { return (float)x; }


// Four bytes or two halves of a word at a time.
#define LS_SIMD(name, lanes, bits, type, wide, expression)                                                             \
    LS_DEVICE unsigned int name(unsigned int x, unsigned int y)                                                        \
    {                                                                                                                  \
        unsigned int result = 0;                                                                                       \
        for (int i = 0; i < lanes; ++i) {                                                                              \
            const wide a = (type)(x >> (i * bits));                                                                    \
            const wide b = (type)(y >> (i * bits));                                                                    \
            result |= ((unsigned int)(expression) & (0xffffffffu >> (32 - bits))) << (i * bits);                       \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define LS_SIMD_BOTH(name, signedness, wideType, expression)                                                           \
    LS_SIMD(name##4, 4, 8, signedness char, wideType, expression)                                                      \
    LS_SIMD(name##2, 2, 16, signedness short, wideType, expression)
LS_SIMD_BOTH(__vadd, unsigned, int, a + b)
LS_SIMD_BOTH(__vsub, unsigned, int, a - b)
LS_SIMD_BOTH(__vmaxu, unsigned, int, a > b ? a : b)
LS_SIMD_BOTH(__vminu, unsigned, int, a < b ? a : b)
LS_SIMD_BOTH(__vmaxs, signed, int, a > b ? a : b)
LS_SIMD_BOTH(__vmins, signed, int, a < b ? a : b)
LS_SIMD_BOTH(__vabsdiffu, unsigned, int, a > b ? a - b : b - a)
LS_SIMD_BOTH(__vavgu, unsigned, int, (a + b + 1) >> 1)
LS_SIMD_BOTH(__vavgs, signed, int, (a + b + (a + b >= 0)) >> 1)
LS_SIMD_BOTH(__vhaddu, unsigned, int, (a + b) >> 1)
LS_SIMD_BOTH(__vcmpeq, unsigned, int, a == b ? -1 : 0)
LS_SIMD_BOTH(__vcmpne, unsigned, int, a != b ? -1 : 0)
LS_SIMD_BOTH(__vcmpgtu, unsigned, int, a > b ? -1 : 0)
LS_SIMD_BOTH(__vcmpgeu, unsigned, int, a >= b ? -1 : 0)
LS_SIMD_BOTH(__vcmpltu, unsigned, int, a < b ? -1 : 0)
LS_SIMD_BOTH(__vcmpleu, unsigned, int, a <= b ? -1 : 0)
LS_SIMD_BOTH(__vcmpgts, signed, int, a > b ? -1 : 0)
LS_SIMD_BOTH(__vcmplts, signed, int, a < b ? -1 : 0)
LS_SIMD_BOTH(__vcmpges, signed, int, a >= b ? -1 : 0)
LS_SIMD_BOTH(__vcmples, signed, int, a <= b ? -1 : 0)
LS_SIMD_BOTH(__vabsdiffs, signed, int, a > b ? a - b : b - a)
LS_SIMD_BOTH(__vseteq, unsigned, int, a == b)
LS_SIMD_BOTH(__vsetne, unsigned, int, a != b)
LS_SIMD_BOTH(__vsetgeu, unsigned, int, a >= b)
LS_SIMD_BOTH(__vsetleu, unsigned, int, a <= b)
LS_SIMD_BOTH(__vsetgts, signed, int, a > b)
LS_SIMD_BOTH(__vsetges, signed, int, a >= b)
LS_SIMD_BOTH(__vsetlts, signed, int, a < b)
LS_SIMD_BOTH(__vsetles, signed, int, a <= b)
LS_SIMD_BOTH(__vsetgtu, unsigned, int, a > b)
LS_SIMD_BOTH(__vsetltu, unsigned, int, a < b)
LS_SIMD(__vaddus4, 4, 8, unsigned char, int, a + b > 255 ? 255 : a + b)
LS_SIMD(__vsubus4, 4, 8, unsigned char, int, a < b ? 0 : a - b)
LS_SIMD(__vaddus2, 2, 16, unsigned short, int, a + b > 65535 ? 65535 : a + b)
LS_SIMD(__vsubus2, 2, 16, unsigned short, int, a < b ? 0 : a - b)
LS_SIMD(__vaddss4, 4, 8, signed char, int, a + b > 127 ? 127 : a + b < -128 ? -128 : a + b)
LS_SIMD(__vaddss2, 2, 16, signed short, int, a + b > 32767 ? 32767 : a + b < -32768 ? -32768 : a + b)
LS_SIMD(__vsubss4, 4, 8, signed char, int, a - b > 127 ? 127 : a - b < -128 ? -128 : a - b)
LS_SIMD(__vsubss2, 2, 16, signed short, int, a - b > 32767 ? 32767 : a - b < -32768 ? -32768 : a - b)
#undef LS_SIMD_BOTH
#undef LS_SIMD
LS_DEVICE unsigned int __vneg4(unsigned int x) { return __vsub4(0, x); }
LS_DEVICE unsigned int __vneg2(unsigned int x) { return __vsub2(0, x); }
LS_DEVICE unsigned int __vnegss4(unsigned int x) { return __vsubss4(0, x); }
LS_DEVICE unsigned int __vnegss2(unsigned int x) { return __vsubss2(0, x); }
LS_DEVICE unsigned int __vabs4(unsigned int x) { return __vabsdiffs4(x, 0); }
LS_DEVICE unsigned int __vabs2(unsigned int x) { return __vabsdiffs2(x, 0); }
LS_DEVICE unsigned int __vabsss4(unsigned int x) { return __vminu4(__vabs4(x), 0x7f7f7f7f); }
LS_DEVICE unsigned int __vabsss2(unsigned int x) { return __vminu2(__vabs2(x), 0x7fff7fff); }
LS_DEVICE unsigned int __vsadu4(unsigned int x, unsigned int y)
{
    const unsigned int d = __vabsdiffu4(x, y);
    return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24);
}
LS_DEVICE unsigned int __vsads4(unsigned int x, unsigned int y)
{
    const unsigned int d = __vabsdiffs4(x, y);
    return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24);
}
LS_DEVICE unsigned int __vsadu2(unsigned int x, unsigned int y) { return (__vabsdiffu2(x, y) & 0xffff) + (__vabsdiffu2(x, y) >> 16); }
LS_DEVICE unsigned int __vsads2(unsigned int x, unsigned int y) { return (__vabsdiffs2(x, y) & 0xffff) + (__vabsdiffs2(x, y) >> 16); }

// What dynamic programming asks for: the greatest or least of sums and of three, and which of two it was.
#define LS_EXTREME(name, type, suffix, pick)                                                                           \
    LS_DEVICE type __vi##name##3_##suffix(type x, type y, type z) { return pick(pick(x, y), z); }                      \
    LS_DEVICE type __viadd##name##_##suffix(type x, type y, type z) { return pick(LS_SUM(x, y), z); }
#define LS_EXTREME_RELU(name, type, suffix, pick, greatest)                                                            \
    LS_EXTREME(name, type, suffix, pick)                                                                               \
    LS_DEVICE type __vi##name##_##suffix##_relu(type x, type y) { return greatest(pick(x, y), 0); }                    \
    LS_DEVICE type __vi##name##3_##suffix##_relu(type x, type y, type z) { return greatest(pick(pick(x, y), z), 0); }  \
    LS_DEVICE type __viadd##name##_##suffix##_relu(type x, type y, type z) { return greatest(pick(LS_SUM(x, y), z), 0); }
#define LS_GREATER(x, y) ((x) > (y) ? (x) : (y))
#define LS_LESSER(x, y) ((x) < (y) ? (x) : (y))
#define LS_SUM(x, y) ((decltype(x))((unsigned int)(x) + (unsigned int)(y)))
LS_EXTREME_RELU(max, int, s32, LS_GREATER, LS_GREATER)
LS_EXTREME_RELU(min, int, s32, LS_LESSER, LS_GREATER)
LS_EXTREME(max, unsigned int, u32, LS_GREATER)
LS_EXTREME(min, unsigned int, u32, LS_LESSER)
#undef LS_SUM
#define LS_SUM(x, y) __vadd2(x, y)
LS_EXTREME_RELU(max, unsigned int, s16x2, __vmaxs2, __vmaxs2)
LS_EXTREME_RELU(min, unsigned int, s16x2, __vmins2, __vmaxs2)
LS_EXTREME(max, unsigned int, u16x2, __vmaxu2)
LS_EXTREME(min, unsigned int, u16x2, __vminu2)
#undef LS_SUM
#undef LS_GREATER
#undef LS_LESSER
#undef LS_EXTREME_RELU
#undef LS_EXTREME
LS_DEVICE int __vibmax_s32(int x, int y, bool* first) { *first = x >= y; return x >= y ? x : y; }
LS_DEVICE int __vibmin_s32(int x, int y, bool* first) { *first = x <= y; return x <= y ? x : y; }
LS_DEVICE unsigned int __vibmax_u32(unsigned int x, unsigned int y, bool* first) { *first = x >= y; return x >= y ? x : y; }
LS_DEVICE unsigned int __vibmin_u32(unsigned int x, unsigned int y, bool* first) { *first = x <= y; return x <= y ? x : y; }
#define LS_WHICH_HALF(name, compared)                                                                                  \
    LS_DEVICE unsigned int __vib##name(unsigned int x, unsigned int y, bool* firstHigh, bool* firstLow)                \
    {                                                                                                                  \
        const unsigned int first = compared(x, y);                                                                     \
        *firstHigh = first >> 16;                                                                                      \
        *firstLow = first & 1;                                                                                         \
        return (x & first) | (y & ~first);                                                                             \
    }
LS_WHICH_HALF(max_s16x2, __vcmpges2)
LS_WHICH_HALF(min_s16x2, __vcmples2)
LS_WHICH_HALF(max_u16x2, __vcmpgeu2)
LS_WHICH_HALF(min_u16x2, __vcmpleu2)
#undef LS_WHICH_HALF

#define LS_DOT(name, resultType, count, aType, aBits, bType, bShift)                                                   \
    LS_DEVICE resultType name(resultType x, resultType y, resultType z)                                                \
    {                                                                                                                  \
        for (int i = 0; i < count; ++i)                                                                                \
            z += (resultType)(aType)((unsigned int)x >> (i * aBits)) * (resultType)(bType)((unsigned int)y >> (i * 8 + bShift)); \
        return z;                                                                                                      \
    }
LS_DOT(__dp4a, int, 4, signed char, 8, signed char, 0)
LS_DOT(__dp4a, unsigned int, 4, unsigned char, 8, unsigned char, 0)
LS_DOT(__dp2a_lo, int, 2, short, 16, signed char, 0)
LS_DOT(__dp2a_lo, unsigned int, 2, unsigned short, 16, unsigned char, 0)
LS_DOT(__dp2a_hi, int, 2, short, 16, signed char, 16)
LS_DOT(__dp2a_hi, unsigned int, 2, unsigned short, 16, unsigned char, 16)
#undef LS_DOT
LS_DEVICE int __dp4a(char4 x, char4 y, int z) { return x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w + z; }
LS_DEVICE unsigned int __dp4a(uchar4 x, uchar4 y, unsigned int z) { return x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w + z; }

// Cache hints change no result.
// Marked as read by a cache that the kernel's own writes do not reach: as not temporal, which means nothing else here.
struct __ls_anything {};
struct __ls_of_parts : __ls_anything {};
struct __ls_number : __ls_of_parts {};
template <class T> LS_DEVICE auto __ls_cached(const T* p, __ls_number*) -> decltype(__builtin_nontemporal_load(p)) { return __builtin_nontemporal_load(p); }
/// float4 and its kin, in one access; LLVM, where it optimises, makes several of it in any case, and forgets the mark.
template <class T, class Part = decltype(T::x), class = decltype(__builtin_nontemporal_load((const Part*)nullptr)),
          class = char[sizeof(T) == 2 * sizeof(Part) || sizeof(T) == 4 * sizeof(Part) ? 1 : -1]>
LS_DEVICE T __ls_cached(const T* p, __ls_of_parts*)
{
#ifdef __OPTIMIZE__
    T whole;
#pragma unroll
    for (unsigned int i = 0; i < sizeof(T) / sizeof(Part); ++i)
        ((Part*)&whole)[i] = __builtin_nontemporal_load((const Part*)p + i);
    return whole;
#else
    typedef Part Whole __attribute__((ext_vector_type(sizeof(T) / sizeof(Part))));
    typedef Whole Placed __attribute__((aligned(alignof(T))));
    return __builtin_bit_cast(T, __builtin_nontemporal_load((const Placed*)p));
#endif
}
template <class T> LS_DEVICE T __ls_cached(const T* p, __ls_anything*) { return *p; }
template <class T> LS_DEVICE T __ldg(const T* p) { return __ls_cached(p, (__ls_number*)nullptr); }
template <class T> LS_DEVICE T __ldca(const T* p) { return *p; }
template <class T> LS_DEVICE T __ldcg(const T* p) { return *p; }
template <class T> LS_DEVICE T __ldcs(const T* p) { return *p; }
template <class T> LS_DEVICE T __ldlu(const T* p) { return *p; }
template <class T> LS_DEVICE T __ldcv(const T* p)
{
    if constexpr (__is_class(T))  // has no copy constructor from volatile
        return *p;
    else
        return *(const volatile T*)p;
}
template <class T> LS_DEVICE void __stwb(T* p, T v) { *p = v; }
template <class T> LS_DEVICE void __stcg(T* p, T v) { *p = v; }
template <class T> LS_DEVICE void __stcs(T* p, T v) { *p = v; }
template <class T> LS_DEVICE void __stwt(T* p, T v) { *p = v; }

LS_DEVICE clock_t clock() { return (clock_t)__nvvm_read_ptx_sreg_clock(); }
LS_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
LS_DEVICE void __nanosleep(unsigned int ns) { __nvvm_nanosleep(ns); }
LS_DEVICE void __trap() { __builtin_trap(); }
// Without a debugger, as on a GPU: the launch fails.
LS_DEVICE void __brkpt() { asm volatile("brkpt;"); }
LS_DEVICE void __prof_trigger(int) {}
LS_DEVICE size_t __cvta_generic_to_shared(const void* p)
{
    size_t result;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(result) : "l"(p));
    return result;
}
LS_DEVICE void* __cvta_shared_to_generic(size_t p)
{
    void* result;
    asm("cvta.shared.u64 %0, %1;" : "=l"(result) : "l"(p));
    return result;
}
LS_DEVICE size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }
LS_DEVICE size_t __cvta_generic_to_local(const void* p) { return (size_t)p; }
LS_DEVICE size_t __cvta_generic_to_constant(const void* p) { return (size_t)p; }
LS_DEVICE void* __cvta_global_to_generic(size_t p) { return (void*)p; }
LS_DEVICE unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
LS_DEVICE unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
LS_DEVICE unsigned int __isCtaShared(const void* p) { return __isShared(p); }
LS_DEVICE unsigned int __isClusterShared(const void* p)
{
    unsigned int is;
    asm("{ .reg .pred is; isspacep.shared::cluster is, %1; selp.u32 %0, 1, 0, is; }" : "=r"(is) : "l"(p));
    return is;
}
LS_DEVICE void __barrier_sync(unsigned int id) { asm volatile("barrier.sync %0;" ::"r"(id) : "memory"); }
LS_DEVICE void __barrier_sync_count(unsigned int id, unsigned int count) { asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }
LS_DEVICE void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
LS_DEVICE void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
LS_DEVICE void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
LS_DEVICE void* __nv_associate_access_property(const void* p, unsigned long long) { return (void*)p; }
LS_DEVICE unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
LS_DEVICE unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
LS_DEVICE unsigned int __isGridConstant(const void*) { return 0; }  // kernels have copies of their parameters
// clang-format on
