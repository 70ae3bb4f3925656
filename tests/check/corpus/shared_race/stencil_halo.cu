// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 1-D stencil whose halo is loaded by the edge threads and used before the barrier.
#include <cstdio>
#define RADIUS 3
#define BLOCK 64

__global__ void stencil_1d(const int* in, int* out)
{
    __shared__ int temp[BLOCK + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int l = threadIdx.x + RADIUS;
    temp[l] = in[g];  // expect: shared-race
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = in[g - RADIUS];  // expect: shared-race
        temp[l + BLOCK] = in[g + BLOCK];    // expect: shared-race
    }
#ifdef FIXED
    __syncthreads();
#endif
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[l + offset];
    out[g - RADIUS] = result;
}

int main(void)
{
    const int n = 128, size = (n + 2 * RADIUS) * sizeof(int);
    int h[n + 2 * RADIUS], r[n];
    for (int& v : h) v = 1;
    int *in, *out;
    cudaMalloc((void**)&in, size);
    cudaMalloc((void**)&out, n * sizeof(int));
    cudaMemcpy(in, h, size, cudaMemcpyHostToDevice);
    stencil_1d<<<n / BLOCK, BLOCK>>>(in, out);
    cudaMemcpy(r, out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", r[0], r[n - 1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
