// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiled product without the barrier after the inner loop: the next tile overwrites what others still read.
#include <cstdio>
#include <vector>

constexpr int T = 8, N = 16;

__global__ void mm(float* c, const float* a, const float* b)
{
    __shared__ float as[T][T], bs[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0;
    for (int t = 0; t < N / T; ++t) {
        as[y][x] = a[row * N + t * T + x];    // expect: shared-race
        bs[y][x] = b[(t * T + y) * N + col];  // expect: shared-race
        __syncthreads();
        for (int k = 0; k < T; ++k)
            sum += as[y][k] * bs[k][x];
#ifdef FIXED
        __syncthreads();
#endif
    }
    c[row * N + col] = sum;
}

int main()
{
    std::vector<float> h(N * N, 1.0f), r(N * N);
    float *a, *b, *c;
    cudaMalloc(&a, N * N * 4);
    cudaMalloc(&b, N * N * 4);
    cudaMalloc(&c, N * N * 4);
    cudaMemcpy(a, h.data(), N * N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), N * N * 4, cudaMemcpyHostToDevice);
    mm<<<dim3(N / T, N / T), dim3(T, T)>>>(c, a, b);
    cudaMemcpy(r.data(), c, N * N * 4, cudaMemcpyDeviceToHost);
    for (float v : r)
        if (v != N)
            return 1;
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
