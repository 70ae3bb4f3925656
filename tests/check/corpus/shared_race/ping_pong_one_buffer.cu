// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Double buffering that forgets to swap: both halves are the same half.
#include <cstdio>

__global__ void diffuse(float* data, int steps)
{
    __shared__ float buf[2][64];
    int t = threadIdx.x;
    int cur = 0;
    buf[cur][t] = data[t];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
#ifdef FIXED
        int next = 1 - cur;
#else
        int next = cur;
#endif
        float left = t > 0 ? buf[cur][t - 1] : buf[cur][t];
        float right = t < 63 ? buf[cur][t + 1] : buf[cur][t];
        buf[next][t] = 0.5f * (left + right);  // expect: shared-race
        __syncthreads();
        cur = next;
    }
    data[t] = buf[cur][t];
}

int main()
{
    float h[64] = {0}, *d;
    h[32] = 1.0f;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    diffuse<<<1, 64>>>(d, 4);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%f %f\n", h[32], h[30]);
    cudaFree(d);
    return 0;
}
