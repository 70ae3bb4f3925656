// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unrolled inner products, whose loads lie at constant distances: forwards and backwards, over rows and columns, of
// lanes that all read one word, neighbours or every third, with factors and sums that others read too, with lanes
// missing, and of memory that ends right behind the last factor.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kLength = 12;
constexpr int kThreads = 64;

template <int rowStep, int stepX, int stepY>
__device__ float product(const float* x, const float* y)
{
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kLength; ++k)
        sum += x[k * stepX] * y[k * stepY * rowStep];
    return sum;
}

__global__ void products(const float* in, float* out, int active)
{
    __shared__ float tile[kThreads * 3 + kLength];
    __shared__ float rows[kLength][kThreads];
    const int t = threadIdx.x;
    for (int i = t; i < kThreads * 3 + kLength; i += kThreads)
        tile[i] = in[i];
    for (int k = 0; k < kLength; ++k)
        rows[k][t] = in[k * kThreads + t];
    __syncthreads();
    if (t >= active)
        return;
    float* mine = out + (blockIdx.x * kThreads + t) * 8;
    mine[0] = product<kThreads, 1, 1>(tile + t / 16, &rows[0][t]);  // one word for each half of a warp, times a row
    mine[1] = product<1, 1, 1>(tile + t, tile + 3 * t);             // neighbours, times every third
    mine[2] = product<1, -1, 1>(tile + kLength - 1 + t, tile + t);  // backwards
    mine[3] = product<1, 1, 1>(in + t * t % 50, tile + t);          // anywhere, times neighbours
    mine[4] = product<1, 1, 1>(in + t, in);                         // global memory, times one word for all
    float sum = 0, last = 0, halfway = 0;
#pragma unroll
    for (int k = 0; k < kLength; ++k) {
        last = tile[t + k];
        sum += last * rows[k][kThreads - 1 - t];
        if (k == kLength / 2)
            halfway = sum;
    }
    mine[5] = sum + last;
    mine[6] = halfway;
    float even = 0, odd = 0;
#pragma unroll
    for (int k = 0; k < kLength; k += 2) {
        even += tile[k] * rows[k][t];
        odd += tile[k + 1] * rows[k + 1][t];
    }
    mine[7] = even - odd;
}

float expected(const std::vector<float>& in, int t, int which)
{
    const auto rows = [&](int k, int column) { return in[k * kThreads + column]; };
    float sum = 0, other = 0;
    for (int k = 0; k < kLength; ++k) {
        switch (which) {
        case 0:
            sum += in[t / 16 + k] * rows(k, t);
            break;
        case 1:
            sum += in[t + k] * in[3 * t + k];
            break;
        case 2:
            sum += in[kLength - 1 + t - k] * in[t + k];
            break;
        case 3:
            sum += in[t * t % 50 + k] * in[t + k];
            break;
        case 4:
            sum += in[t + k] * in[k];
            break;
        case 5:
            sum += in[t + k] * rows(k, kThreads - 1 - t);
            break;
        case 6:
            sum += k <= kLength / 2 ? in[t + k] * rows(k, kThreads - 1 - t) : 0;
            break;
        default:
            (k % 2 ? other : sum) += in[k] * rows(k, t);
        }
    }
    return which == 5 ? sum + in[t + kLength - 1] : sum - other;
}

int main()
{
    // Small whole numbers: every sum is exact, in whatever order.
    std::vector<float> in(kLength * kThreads), out(kThreads * 8);
    for (size_t i = 0; i < in.size(); ++i)
        in[i] = float(i * 7 % 23) - 9;
    float *deviceIn, *deviceOut;
    cudaMalloc(&deviceIn, in.size() * sizeof(float));
    cudaMalloc(&deviceOut, out.size() * sizeof(float));
    cudaMemcpy(deviceIn, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    int bad = 0;
    for (int active : {kThreads, 49, 7}) {
        cudaMemset(deviceOut, 0, out.size() * sizeof(float));
        products<<<1, kThreads>>>(deviceIn, deviceOut, active);
        cudaMemcpy(out.data(), deviceOut, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
        for (int t = 0; t < kThreads; ++t)
            for (int which = 0; which < 8; ++which)
                bad += out[t * 8 + which] != (t < active ? expected(in, t, which) : 0);
    }
    cudaFree(deviceIn);
    cudaFree(deviceOut);
    printf("bad %d\n", bad);
    return bad != 0;
}
