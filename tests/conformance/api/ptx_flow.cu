// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline PTX that branches, carries from one statement to the next, and multiplies parts of words.
#include <climits>
#include <cstdint>

#include "check.h"

// Steps until 1 is reached, counted by a loop of labels; lanes leave it at different times.
__device__ unsigned collatz(unsigned start)
{
    unsigned steps;
    asm volatile("{\n\t"
                 ".reg .pred atEnd, odd;\n\t"
                 ".reg .u32 n, bit;\n\t"
                 "mov.u32 n, %1;\n\t"
                 "mov.u32 %0, 0;\n"
                 "NEXT_%=:\n\t"
                 "setp.eq.u32 atEnd, n, 1;\n\t"
                 "@atEnd bra.uni DONE_%=;\n\t"
                 "add.u32 %0, %0, 1;\n\t"
                 "and.b32 bit, n, 1;\n\t"
                 "setp.ne.u32 odd, bit, 0;\n\t"
                 "@odd bra ODD_%=;\n\t"
                 "shr.u32 n, n, 1;\n\t"
                 "bra NEXT_%=;\n"
                 "ODD_%=: mad.lo.u32 n, n, 3, 1;\n\t"
                 "bra.uni NEXT_%=;\n"
                 "DONE_%=:\n\t"
                 "}"
                 : "=r"(steps)
                 : "r"(start));
    return steps;
}

// A branch over a store, and one that falls through to the end.
__device__ void storeUnless(unsigned* where, unsigned value, unsigned limit)
{
    asm volatile(
        "{ .reg .pred p; setp.ge.u32 p, %1, %2; @p bra SKIP_%=; st.global.u32 [%0], %1; SKIP_%=: }" ::"l"(where),
        "r"(value), "r"(limit)
        : "memory");
}

// Words of a sum, each by a statement of its own; a function in between must not lose the carry.
__device__ uint32_t addFirst(uint32_t a, uint32_t b)
{
    uint32_t sum;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

__device__ __forceinline__ uint32_t addNext(uint32_t a, uint32_t b)
{
    uint32_t sum;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

struct Wide {
    uint32_t word[4];
};

__device__ Wide sum(const Wide& a, const Wide& b, uint32_t& carry)
{
    Wide result;
    result.word[0] = addFirst(a.word[0], b.word[0]);
    for (int i = 1; i < 4; ++i)
        result.word[i] = addNext(a.word[i], b.word[i]);
    asm volatile("addc.u32 %0, 0, 0;" : "=r"(carry));
    return result;
}

__device__ Wide difference(const Wide& a, const Wide& b, uint32_t& borrow)
{
    Wide result;
    asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(result.word[0]) : "r"(a.word[0]), "r"(b.word[0]));
    asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(result.word[1]) : "r"(a.word[1]), "r"(b.word[1]));
    asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(result.word[2]) : "r"(a.word[2]), "r"(b.word[2]));
    asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(result.word[3]) : "r"(a.word[3]), "r"(b.word[3]));
    asm volatile("subc.u32 %0, 0, 0;" : "=r"(borrow));
    return result;
}

// a * b by columns, low words first.
__device__ uint64_t product(uint32_t a0, uint32_t a1, uint32_t b0, uint32_t& high)
{
    uint32_t low, middle;
    asm volatile("mul.lo.u32 %0, %1, %2;" : "=r"(low) : "r"(a0), "r"(b0));
    asm volatile("mul.hi.u32 %0, %1, %2;" : "=r"(middle) : "r"(a0), "r"(b0));
    asm volatile("mad.lo.cc.u32 %0, %1, %2, %0;" : "+r"(middle) : "r"(a1), "r"(b0));
    asm volatile("madc.hi.u32 %0, %1, %2, 0;" : "=r"(high) : "r"(a1), "r"(b0));
    return (uint64_t)middle << 32 | low;
}

__host__ __device__ uint32_t mixed(uint32_t i)
{
    return (i + 1) * 2654435761u ^ i << 13;
}

__global__ void run(unsigned* steps, unsigned* stored, unsigned* wrong)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    steps[i] = collatz(i + 1);
    storeUnless(stored + i, i, 10);

    Wide a, b;
    for (int k = 0; k < 4; ++k) {
        a.word[k] = i % 3 == 0 ? UINT_MAX : mixed(i * 8 + k);
        b.word[k] = i % 3 == 0 ? i / 3 % 2 : mixed(i * 8 + 4 + k);
    }
    uint32_t carry, borrow, none;
    const Wide total = sum(a, b, carry);
    const Wide back = difference(total, b, borrow);
    for (int k = 0; k < 4; ++k)
        if (back.word[k] != a.word[k])
            atomicAdd(wrong, 1);
    if (carry != (borrow != 0))
        atomicAdd(wrong + 1, 1);
    atomicAdd(wrong + 2, sum(b, total, none).word[2]);

    uint32_t high;
    const uint64_t low = product(a.word[0], a.word[1], b.word[0], high);
    const unsigned long long whole = (unsigned long long)a.word[1] << 32 | a.word[0];
    if (low != whole * b.word[0] || high != __umul64hi(whole, b.word[0]))
        atomicAdd(wrong + 3, 1);
}

__global__ void parts(int* out)
{
    const unsigned i = threadIdx.x;
    const unsigned x = mixed(i), y = mixed(i + 100);
    int dot = -5, minus, sat, scaled;
    unsigned plusOne;
    asm("vmad.s32.s32.s32 %0, %1.b0, %2.b0, %0;\n\t"
        "vmad.s32.s32.s32 %0, %1.b1, %2.b1, %0;\n\t"
        "vmad.s32.s32.s32 %0, %1.b2, %2.b2, %0;\n\t"
        "vmad.s32.s32.s32 %0, %1.b3, %2.b3, %0;"
        : "+r"(dot)
        : "r"(x), "r"(y));
    asm("vmad.s32.u32.u32 %0, -%1.h0, %2.h0, %3;" : "=r"(minus) : "r"(x), "r"(y), "r"(12345));
    asm("vmad.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(sat) : "r"(x), "r"(y), "r"(7));
    asm("vmad.s32.s32.s32.shr7 %0, %1.h1, %2.h1, %3;" : "=r"(scaled) : "r"(x), "r"(y), "r"(-1000));
    asm("vmad.u32.u32.u32.po %0, %1.h0, %2.b3, %3;" : "=r"(plusOne) : "r"(x), "r"(y), "r"(40u));
    const auto byteOf = [](unsigned word, int k) { return (int)(signed char)(word >> (8 * k)); };
    int expected = -5;
    for (int k = 0; k < 4; ++k)
        expected += byteOf(x, k) * byteOf(y, k);
    const long long all = (long long)(int)x * (int)y + 7;
    const int clamped = all > INT_MAX ? INT_MAX : all < INT_MIN ? INT_MIN : (int)all;
    const int shifted = (int)(((long long)(short)(x >> 16) * (short)(y >> 16) - 1000) >> 7);
    atomicAdd(out, dot != expected);
    atomicAdd(out + 1, minus != 12345 - (int)((x & 0xffff) * (y & 0xffff)));
    atomicAdd(out + 2, sat != clamped);
    atomicAdd(out + 3, scaled != shifted);
    atomicAdd(out + 4, plusOne != (x & 0xffff) * (y >> 24) + 41);
}

int main()
{
    constexpr int kCount = 96;
    unsigned* memory;
    CHECK(cudaMallocManaged(&memory, (2 * kCount + 16) * sizeof(unsigned)));
    CHECK(cudaMemset(memory, 0, (2 * kCount + 16) * sizeof(unsigned)));
    unsigned *steps = memory, *stored = memory + kCount, *wrong = memory + 2 * kCount;
    run<<<3, 32>>>(steps, stored, wrong);
    parts<<<1, 64>>>((int*)wrong + 4);
    CHECK(cudaDeviceSynchronize());
    unsigned sumOfSteps = 0, sumOfStored = 0;
    for (int i = 0; i < kCount; ++i)
        sumOfSteps += steps[i], sumOfStored += stored[i];
    printf("steps: 27 takes %u, all %u; stored %u\n", steps[26], sumOfSteps, sumOfStored);
    printf("carries: %u %u %u %u\n", wrong[0], wrong[1], wrong[2], wrong[3]);
    printf("parts: %u %u %u %u %u\n", wrong[4], wrong[5], wrong[6], wrong[7], wrong[8]);
    return 0;
}
