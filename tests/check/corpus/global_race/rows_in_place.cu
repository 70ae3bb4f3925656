// Each warp reads and writes rows of its own, again and again; with the bug it also reads the next row's first element,
// which another warp writes.
#include <cstdio>

constexpr int kRows = 8, kWidth = 32;

__global__ void smooth(float* x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        const float own = x[i];
#ifdef FIXED
        const float next = own;
#else
        const float next = i + 1 < kRows * kWidth ? x[i + 1] : own;  // expect: global-race
#endif
        __syncwarp();
        x[i] = 0.5f * (own + next);
        __syncwarp();
    }
}

int main()
{
    float host[kRows * kWidth];
    for (int i = 0; i < kRows * kWidth; ++i)
        host[i] = float(i);
    float* x;
    cudaMalloc(&x, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    for (int launch = 0; launch < 2; ++launch)
        smooth<<<kRows / 2, 2 * kWidth>>>(x);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return cudaFree(x);
}
