// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches that diverge: nested, in loops, with break, continue, early return and switch.
#include "check.h"

struct Nested {
    static constexpr int kBlocks = 3, kThreads = 45;
    __host__ __device__ static int run(int i)
    {
        int value = i;
        if (i % 2) {
            value *= 3;
            if (i % 5 == 0)
                value -= 100;
            else if (i % 7 == 0)
                value += 1000;
        } else {
            value += 7;
            if (i > 40 && i < 70)
                value = -value;
        }
        return value * 2 + 1;
    }
};

struct Loops {
    static constexpr int kBlocks = 2, kThreads = 64;
    __host__ __device__ static int run(int i)
    {
        int sum = 0;
        for (int k = 0; k < i % 13; ++k) {
            if (k == 5)
                continue;
            for (int m = k; m < 20; m += 1 + i % 3) {
                if (sum > 500)
                    break;
                sum += m * k;
            }
            if (sum > 700)
                break;
            sum += k;
        }
        int n = i + 1, steps = 0;
        while (n != 1) {
            n = n % 2 ? 3 * n + 1 : n / 2;
            ++steps;
        }
        return sum * 1000 + steps;
    }
};

struct EarlyReturn {
    static constexpr int kBlocks = 1, kThreads = 33;
    __host__ __device__ static int run(int i)
    {
        if (i < 4)
            return -1;
        for (int k = 2; k * k <= i; ++k)
            if (i % k == 0)
                return k;
        return i;
    }
};

struct Switch {
    static constexpr int kBlocks = 2, kThreads = 32;
    __host__ __device__ static int run(int i)
    {
        int value = 1;
        switch (i % 6) {
        case 0: value = 10; break;
        case 1: value += 5;
        case 2: value *= 2; break;
        case 3: return i;
        case 5: value = i * i; break;
        default: value = -i;
        }
        return value;
    }
};

struct UniformInDivergent {
    static constexpr int kBlocks = 2, kThreads = 40;
    __host__ __device__ static int run(int i)
    {
        // k is written the same by all who come here, but not all come here equally often.
        int k = 0, total = 0;
        for (int round = 0; round < i % 4; ++round)
            k += 3;
        for (int fixed = 0; fixed < 5; ++fixed)
            total += fixed * k;
        int last = 0;
        for (int j = 0; j < 100; ++j) {
            last = j;
            if (j >= i)
                break;
        }
        return total * 1000 + last;
    }
};

int main()
{
    return checkCase<Nested, int>("nested") + checkCase<Loops, int>("loops") + checkCase<EarlyReturn, int>("early return") +
           checkCase<Switch, int>("switch") + checkCase<UniformInDivergent, int>("uniform in divergent");
}
