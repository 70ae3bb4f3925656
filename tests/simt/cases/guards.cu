// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes have in common behind branches that send them different ways: counters of loops in a guard, values that
// are carried out of loops which lanes leave in different rounds, variables of one branch in the next round. The host
// runs the same text.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr unsigned kThreads = 160, kInside = 150;

#define CASES(CASE)                                                                                                    \
    CASE(guardedLoops, {                                                                                               \
        unsigned sum = 0;                                                                                              \
        if (i < n) {                                                                                                   \
            for (unsigned k = 0; k < 6; ++k)                                                                           \
                for (unsigned m = k; m < 9; m += 2)                                                                    \
                    sum += table[k * 5 + m] * i;                                                                       \
        }                                                                                                              \
        RETURN(sum);                                                                                                   \
    })                                                                                                                 \
    CASE(earlyReturn, {                                                                                                \
        if (i >= n)                                                                                                    \
            RETURN(7);                                                                                                 \
        unsigned sum = 0;                                                                                              \
        for (unsigned k = 0; k < 12; ++k) {                                                                            \
            if (table[k] % 32 == i % 32)                                                                               \
                RETURN(sum + k * 1000);                                                                                \
            sum += k;                                                                                                  \
        }                                                                                                              \
        RETURN(sum);                                                                                                   \
    })                                                                                                                 \
    CASE(carriedOut, {                                                                                                 \
        unsigned k = 0;                                                                                                \
        unsigned last = 1;                                                                                             \
        while (k < i % 11) {                                                                                           \
            last = table[k] + k;                                                                                       \
            ++k;                                                                                                       \
        }                                                                                                              \
        unsigned m = 0;                                                                                                \
        do                                                                                                             \
            m += 3;                                                                                                    \
        while (m < last % 17);                                                                                         \
        RETURN(last * 100 + k * 10 + m);                                                                               \
    })                                                                                                                 \
    CASE(nextRound, {                                                                                                  \
        unsigned seen = 0;                                                                                             \
        unsigned sum = 0;                                                                                              \
        for (unsigned k = 0; k < 8; ++k) {                                                                             \
            if ((i + k) % 3 == 0) {                                                                                    \
                sum += seen * 16;                                                                                      \
                seen = k + 1;                                                                                          \
            }                                                                                                          \
            unsigned own = k;                                                                                          \
            if ((i >> k & 1) != 0)                                                                                     \
                for (own = 2; own < n % 7; ++own)                                                                      \
                    sum += own;                                                                                        \
            sum += own;                                                                                                \
        }                                                                                                              \
        RETURN(sum);                                                                                                   \
    })                                                                                                                 \
    CASE(brokenOff, {                                                                                                  \
        unsigned sum = 0;                                                                                              \
        unsigned rounds = 0;                                                                                           \
        for (unsigned k = 0; k < 20; ++k) {                                                                            \
            rounds = k;                                                                                                \
            if (k == i % 13)                                                                                           \
                break;                                                                                                 \
            if ((k + i) % 4 == 1)                                                                                      \
                continue;                                                                                              \
            switch ((i + table[k]) % 5) {                                                                              \
            case 0:                                                                                                    \
                sum += table[rounds];                                                                                  \
            case 1:                                                                                                    \
                sum += k;                                                                                              \
                break;                                                                                                 \
            case 3:                                                                                                    \
                for (unsigned m = 0; m < k; ++m)                                                                       \
                    sum ^= table[m] << (m % 3);                                                                        \
                break;                                                                                                 \
            default:                                                                                                   \
                sum *= 3;                                                                                              \
            }                                                                                                          \
        }                                                                                                              \
        RETURN(sum + rounds * 1000);                                                                                   \
    })

#define RETURN(value)                                                                                                  \
    do {                                                                                                               \
        out[i] = (value);                                                                                              \
        return;                                                                                                        \
    } while (false)
#define KERNEL(name, ...)                                                                                              \
    __global__ void name(unsigned* out, const unsigned* table, unsigned n)                                             \
    {                                                                                                                  \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
        __VA_ARGS__                                                                                                    \
    }
CASES(KERNEL)
#undef RETURN

#define RETURN(value) return (value)
#define ON_HOST(name, ...)                                                                                             \
    unsigned name##OnHost(unsigned i, const unsigned* table, unsigned n)                                               \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
CASES(ON_HOST)

int main()
{
    std::vector<unsigned> table(64), found(kThreads);
    for (unsigned i = 0; i < table.size(); ++i)
        table[i] = (i * 2654435761u) >> 20;
    unsigned *out, *device;
    cudaMalloc(&out, kThreads * sizeof(unsigned));
    cudaMalloc(&device, table.size() * sizeof(unsigned));
    cudaMemcpy(device, table.data(), table.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    const auto check = [&](const char* name, auto kernel, auto onHost) {
        for (const unsigned block : {32u, 80u, 160u}) {
            kernel<<<kThreads / block, block>>>(out, device, kInside);
            cudaMemcpy(found.data(), out, kThreads * sizeof(unsigned), cudaMemcpyDeviceToHost);
            unsigned wrong = 0;
            for (unsigned i = 0; i < kThreads; ++i)
                wrong += found[i] != onHost(i, table.data(), kInside);
            std::printf("%s in blocks of %u: %s\n", name, block, wrong ? "wrong" : "right");
        }
    };
#define CHECK(name, ...) check(#name, name, name##OnHost);
    CASES(CHECK)
}
