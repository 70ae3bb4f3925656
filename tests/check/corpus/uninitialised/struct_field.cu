// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A particle's mass is never set.
#include <cstdio>

struct Particle {
    float x, y, mass;
};

__global__ void make(Particle* p, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        p[i].x = i;
        p[i].y = 2.0f * i;
#ifdef FIXED
        p[i].mass = 1.0f;
#endif
    }
}

__global__ void momentum(const Particle* p, float* out, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = p[i].x * p[i].mass;  // expect: uninitialised-read
}

int main()
{
    Particle* p;
    float *out, h[20];
    cudaMalloc(&p, 20 * sizeof(Particle));
    cudaMalloc(&out, sizeof h);
    make<<<1, 32>>>(p, 20);
    momentum<<<1, 32>>>(p, out, 20);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[3] + h[4]);
    cudaFree(p);
    cudaFree(out);
}
