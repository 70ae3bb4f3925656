// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of numbers that an integer has no room for: 32 and 64 bits saturate, fewer wrap around behind 32. Text
// of an H200.
#include <cstdio>

template <typename To, typename From>
__global__ void convert(const From* in, long long* out, int n)
{
    int t = threadIdx.x;
    if (t < n)
        out[t] = static_cast<long long>(static_cast<To>(in[t]));
}

template <typename To, typename From>
void show(const char* name)
{
    const double values[] = {300.,        -1.,          -300.,   127.9,   128.,   -128.9,      -129.,
                             255.9,       256.,         65535.5, 65536.,  70000., -70000.,     3e9,
                             -3e9,        1e20,         -1e20,   0. / 0., 1e300,  4294967295., 4294967296.,
                             2147483648., -2147483649., 0.5,     -0.5};
    constexpr int kCount = sizeof values / sizeof *values;
    From in[kCount], *from;
    long long out[kCount], *to;
    for (int i = 0; i < kCount; ++i)
        in[i] = static_cast<From>(values[i]);
    cudaMalloc(&from, sizeof in);
    cudaMalloc(&to, sizeof out);
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    convert<To, From><<<1, 32>>>(from, to, kCount);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    std::printf("%s:", name);
    for (long long value : out)
        std::printf(" %lld", value);
    std::printf("\n");
    cudaFree(from);
    cudaFree(to);
}

#define SHOW_ALL(From)                                                                                                 \
    show<unsigned char, From>("u8 " #From);                                                                            \
    show<signed char, From>("s8 " #From);                                                                              \
    show<unsigned short, From>("u16 " #From);                                                                          \
    show<short, From>("s16 " #From);                                                                                   \
    show<unsigned, From>("u32 " #From);                                                                                \
    show<int, From>("s32 " #From);                                                                                     \
    show<unsigned long long, From>("u64 " #From);                                                                      \
    show<long long, From>("s64 " #From);                                                                               \
    show<bool, From>("b " #From);

int main()
{
    SHOW_ALL(float)
    SHOW_ALL(double)
}
