// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 2x2 matrix in registers, transposed indices of a 2x3.
#include <cstdio>

__global__ void apply(const float* in, float* out)
{
    float m[2][3];
    for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 3; ++c) m[r][c] = in[r * 3 + c];
    float sum = 0;
#ifdef FIXED
    for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 3; ++c) sum += m[r][c];
#else
    for (int c = 0; c < 4; ++c) sum += m[0][c];  // expect: index-out-of-shape
#endif
    out[threadIdx.x] = sum;
}

int main()
{
    float h[6] = {1, 2, 3, 4, 5, 6}, *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, 4 * sizeof(float));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    apply<<<1, 4>>>(in, out);
    cudaMemcpy(h, out, 4 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
