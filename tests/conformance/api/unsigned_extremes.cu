// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Least and greatest numbers without a sign, at every scope: those past the middle are not negative.
#include "check.h"

struct Extremes {
    unsigned narrow[6];
    unsigned long long wide[6];
};

template <typename T>
__device__ void update(T* extremes, T number)
{
    atomicMin(&extremes[0], number);
    atomicMax(&extremes[1], number);
    atomicMin_block(&extremes[2], number);
    atomicMax_block(&extremes[3], number);
    atomicMin_system(&extremes[4], number);
    atomicMax_system(&extremes[5], number);
}

__global__ void find(Extremes* extremes)
{
    update(extremes->narrow, 0x90000000u + threadIdx.x);
    update(extremes->wide, 0x9000000000000000ull + threadIdx.x);
}

int main()
{
    Extremes* extremes;
    CHECK(cudaMallocManaged(&extremes, sizeof(Extremes)));
    for (int i = 0; i < 6; ++i) {
        extremes->narrow[i] = i % 2 == 0 ? ~0u : 5u;
        extremes->wide[i] = i % 2 == 0 ? ~0ull : 5ull;
    }
    find<<<1, 64>>>(extremes);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 6; ++i)
        std::printf("%x %llx\n", extremes->narrow[i], extremes->wide[i]);
    CHECK(cudaFree(extremes));
}
