// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating point: arithmetic, comparisons with NaN and infinity, conversions. Sums of products are kept apart by
// an integer detour, since the host compiler may fuse them.
#include "check.h"

template <typename T>
struct Arithmetic {
    static constexpr int kBlocks = 2, kThreads = 50;
    __host__ __device__ static T run(int i)
    {
        T a = T(i) * T(0.37), b = T(i % 11) - T(4.5);
        T quotient = a / b;
        T clipped = quotient > T(3) ? T(3) : quotient < T(-3) ? -quotient : quotient;
        return clipped - T(int(a));
    }
};

template <typename T>
struct Conversions {
    static constexpr int kBlocks = 1, kThreads = 64;
    __host__ __device__ static long long run(int i)
    {
        T value = (T(i) - T(30)) * T(1.75);
        int towardsZero = static_cast<int>(value);
        unsigned positive = static_cast<unsigned>(value < 0 ? -value : value);
        long long wide = static_cast<long long>(value * T(1000000));
        float single = static_cast<float>(value);
        double twice = static_cast<double>(single) * 2;
        return towardsZero * 7 + positive + wide + static_cast<long long>(twice);
    }
};

struct Comparisons {
    static constexpr int kBlocks = 1, kThreads = 36;
    __host__ __device__ static int run(int i)
    {
        float zero = 0.0f * float(i);
        float values[6] = {float(i) - 17.0f, -1.5f, zero / (zero + 1.0f), 1.0f / (float(i % 3) + zero), 3.0f, float(i)};
        float a = values[i % 6], b = values[(i / 6) % 6];
        return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b);
    }
};

int main()
{
    return checkCase<Arithmetic<float>, float>("float") + checkCase<Arithmetic<double>, double>("double") +
           checkCase<Conversions<float>, long long>("float conversions") +
           checkCase<Conversions<double>, long long>("double conversions") + checkCase<Comparisons, int>("comparisons");
}
