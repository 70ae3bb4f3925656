// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of what was just loaded, in loops that a compiler unrolls, from global and from shared memory: sums
// that go on and sums that begin anew, factors that are used again, lanes that go elsewhere, warps that are not full.
// Every case runs on the host as well; all values are whole and small, so that every way of rounding gives the same.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 104;  // the last warp has 8 lanes
constexpr int kCells = 2048;

__host__ __device__ float oneSum(int i, const float* a, const float* b)
{
    float sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += a[i + 16 * k] * b[i + 3 + 8 * k];
    return sum;
}

__host__ __device__ float rowTimesColumn(int i, const float* a, const float* b)
{
    const int row = i / 16, column = i % 16;
    float sum = 0;
    for (int k = 0; k < 16; ++k)
        sum += a[row * 64 + k] * b[k * 16 + column];
    return sum;
}

__host__ __device__ float twoSums(int i, const float* a, const float* b)
{
    float even = 1, odd = 2;
    for (int k = 0; k < 8; k += 2) {
        even += a[i + k] * b[i + 32 * k];
        odd += a[i + k + 1] * b[i + 32 * k + 32];
    }
    return even * 3 - odd;
}

__host__ __device__ float factorsAgain(int i, const float* a, const float* b)
{
    float sum = 0, last = 0;
    for (int k = 0; k < 4; ++k) {
        const float x = a[i + k], y = b[i + 5 * k];
        sum = x * y + last;
        last = x - y;
        sum = a[i + k + 7] * b[i + k] + sum * last;
    }
    return sum;
}

__host__ __device__ float unevenInSomeLanes(int i, const float* a, const float* b)
{
    const int at = i % 32 == 21 ? 3 * i : i;
    float sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += a[at + k] * b[i + k];
    return sum;
}

__host__ __device__ float someLanes(int i, const float* a, const float* b)
{
    float sum = 4;
    if (i % 3)
        for (int k = 0; k < 8; ++k)
            sum += a[i + k] * b[i + 9 * k];
    return sum;
}

__host__ __device__ float backwards(int i, const float* a, const float* b)
{
    float sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += a[400 - i + k] * b[600 - 2 * i - k];
    return sum;
}

using Case = float (*)(int, const float*, const float*);

template <Case run>
__global__ void fromGlobal(float* out, const float* a, const float* b)
{
    out[threadIdx.x] = run(threadIdx.x, a, b);
}

// What was read is written over behind a barrier, and read once more.
template <Case run>
__global__ void fromShared(float* out, const float* a, const float* b)
{
    __shared__ float ownA[kCells], ownB[kCells];
    float sum = 0;
    for (int round = 0; round < 2; ++round) {
        for (int i = threadIdx.x; i < kCells; i += kThreads) {
            ownA[i] = round ? ownA[i] + 1 : a[i] - 1;
            ownB[i] = b[i];
        }
        __syncthreads();
        sum = run(threadIdx.x, ownA, ownB);
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

template <Case run>
int check(const char* name, const float* a, const float* b, float* device)
{
    int wrong = 0;
    for (auto* kernel : {fromGlobal<run>, fromShared<run>}) {
        float out[kThreads];
        kernel<<<1, kThreads>>>(device + 2 * kCells, device, device + kCells);
        cudaMemcpy(out, device + 2 * kCells, sizeof out, cudaMemcpyDeviceToHost);
        for (int i = 0; i < kThreads; ++i)
            wrong += out[i] != run(i, a, b);
    }
    printf("%s: %d wrong\n", name, wrong);
    return wrong;
}

int main()
{
    std::vector<float> a(kCells), b(kCells);
    for (int i = 0; i < kCells; ++i) {
        a[i] = i * 7 % 13;
        b[i] = i * 5 % 11 - 5;
    }
    float* device;
    cudaMalloc(&device, (2 * kCells + kThreads) * sizeof(float));
    cudaMemcpy(device, a.data(), kCells * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(device + kCells, b.data(), kCells * sizeof(float), cudaMemcpyHostToDevice);
    int wrong = 0;
    wrong += check<oneSum>("one sum", a.data(), b.data(), device);
    wrong += check<rowTimesColumn>("row times column", a.data(), b.data(), device);
    wrong += check<twoSums>("two sums", a.data(), b.data(), device);
    wrong += check<factorsAgain>("factors again", a.data(), b.data(), device);
    wrong += check<unevenInSomeLanes>("uneven in some lanes", a.data(), b.data(), device);
    wrong += check<someLanes>("some lanes", a.data(), b.data(), device);
    wrong += check<backwards>("backwards", a.data(), b.data(), device);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return wrong != 0;
}
