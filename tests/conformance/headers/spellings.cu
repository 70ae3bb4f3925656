// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More that nvcc takes: operands of asm without commas, dependent templates without the word, a __globaltimer of the
// program's own; and small parts of libraries.
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda_fp8.h>
#include <thrust/device_malloc.h>
#include <thrust/device_free.h>
#include <thrust/device_ptr.h>

struct Wrap {
    template <class U> struct Rebind {
        typedef U type;
    };
};

template <class T>
__device__ typename T::Rebind<int>::type rebound(T)
{
    return 7;
}

// Names of the program's that are std's, too, since C++17.
using namespace std;
__device__ unsigned data[2] = {17, 4};
int size = 3;

template <class T> struct Scaled {
    template <int factor>
    __device__ static T by(T x)
    {
        return x * factor;
    }
};

template <class T>
__device__ T tripled(T x)
{
    return Scaled<T>::by<3>(x);
}

__device__ unsigned long long __globaltimer()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

__global__ void work(unsigned* out)
{
    unsigned sum, difference;
    asm("add.u32 %0, %2, %3;\n\tsub.u32 %1, %2, %3;" : "=r"(sum) "=r"(difference) : "r"(9u)
        "r"(4u));
    out[0] = sum;
    out[1] = difference;
    out[2] = rebound(Wrap());
    out[3] = __globaltimer() > 0;
    out[4] = __nv_fp8x4_e4m3(make_float4(1, 2, 3, 4)).__x;
    out[5] = __nv_fp8x4_e4m3(__floats2half2_rn(1, 2), __floats2half2_rn(3, 4)).__x;
    out[6] = __nv_fp8x4_e5m2(__floats2bfloat162_rn(1, 2), __floats2bfloat162_rn(3, 4)).__x;
    out[7] = tripled(5u);
    out[8] = data[0] + data[1];
}

template <class T>
void describe(typename cub::Traits<T>::UnsignedBits low, typename cub::Traits<T>::UnsignedBits high)
{
    using Traits = cub::Traits<T>;
    std::printf("%d %d %d\n", int(Traits::CATEGORY), int(Traits::TwiddleIn(low) < Traits::TwiddleIn(high)),
                int(Traits::TwiddleOut(Traits::TwiddleIn(low)) == low));
}

int main()
{
    thrust::device_ptr<void> memory = thrust::device_malloc(9 * sizeof(unsigned));
    auto* out = static_cast<unsigned*>(thrust::raw_pointer_cast(memory));
    work<<<1, 1>>>(out);
    unsigned host[9];
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    thrust::device_free(memory);
    for (unsigned value : host)
        std::printf("%x\n", value);
    std::printf("%d\n", size);
    describe<int>(0x80000000u, 5u);
    describe<unsigned>(5u, 0x80000000u);
    describe<float>(0xbf800000u, 0x3f800000u);
}
