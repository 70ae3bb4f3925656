// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic in every width.
#include "check.h"

template <typename T>
struct Arithmetic {
    static constexpr int kBlocks = 2, kThreads = 70;
    __host__ __device__ static long long run(int i)
    {
        T a = static_cast<T>(static_cast<unsigned long long>(i) * 2654435761u), b = static_cast<T>(static_cast<unsigned long long>(i) * 40503u + 17);
        T d = b == 0 ? T(1) : b == T(-1) ? T(3) : b;
        // Through a wide unsigned type: signed overflow is undefined and the host compiler makes use of that.
        using Wide = unsigned long long;
        T sum = static_cast<T>(Wide(a) + Wide(b)), difference = static_cast<T>(Wide(a) - Wide(b)), product = static_cast<T>(Wide(a) * Wide(b));
        T quotient = a / d, rest = a % d;
        T bits = static_cast<T>((a & b) | (a ^ static_cast<T>(~b)));
        T shifted = static_cast<T>(static_cast<T>(Wide(a) << (i % 7)) ^ static_cast<T>(b >> (i % 5)));
        Wide result = Wide(sum);
        result = result * 31 + Wide(difference);
        result = result * 31 + Wide(product);
        result = result * 31 + Wide(quotient);
        result = result * 31 + Wide(rest);
        result = result * 31 + Wide(bits);
        result = result * 31 + Wide(shifted);
        return static_cast<long long>(result) + (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a > b);
    }
};

struct Bool {
    static constexpr int kBlocks = 1, kThreads = 64;
    __host__ __device__ static int run(int i)
    {
        bool even = i % 2 == 0, big = i > 20;
        bool both = even && big, either = even || big, differs = even != big;
        return both + 2 * either + 4 * differs + 8 * !even;
    }
};

struct Mixed {
    static constexpr int kBlocks = 1, kThreads = 96;
    __host__ __device__ static unsigned run(int i)
    {
        signed char narrow = static_cast<signed char>(i * 37);
        unsigned char byte = static_cast<unsigned char>(narrow);
        short half = static_cast<short>(narrow * byte);
        unsigned long long wide = static_cast<unsigned long long>(static_cast<long long>(half)) * 1000003ull;
        return static_cast<unsigned>(wide >> 13) ^ static_cast<unsigned>(narrow) ^ (byte << 3);
    }
};

int main()
{
    return checkCase<Arithmetic<signed char>, long long>("signed char") + checkCase<Arithmetic<unsigned char>, long long>("unsigned char") +
           checkCase<Arithmetic<short>, long long>("short") + checkCase<Arithmetic<unsigned short>, long long>("unsigned short") +
           checkCase<Arithmetic<int>, long long>("int") + checkCase<Arithmetic<unsigned>, long long>("unsigned") +
           checkCase<Arithmetic<long long>, long long>("long long") +
           checkCase<Arithmetic<unsigned long long>, long long>("unsigned long long") + checkCase<Bool, int>("bool") +
           checkCase<Mixed, unsigned>("mixed");
}
