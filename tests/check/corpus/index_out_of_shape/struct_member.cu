// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member array overflows into the next member.
#include <cstdio>

struct Body {
    float position[3];
    float velocity[3];
};

__global__ void reset(Body* bodies, int dims)
{
    Body& b = bodies[threadIdx.x];
    for (int d = 0; d < dims; ++d) b.position[d] = 0;  // expect: index-out-of-shape
}

int main()
{
    Body h[8] = {};
    Body* d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
#ifdef FIXED
    reset<<<1, 8>>>(d, 3);
#else
    reset<<<1, 8>>>(d, 4);
#endif
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[0].velocity[0]);
    cudaFree(d);
}
