// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// s[1][5] of a [3][3]: inside the array, outside the row.
#include <cstdio>

__global__ void sum_rows(const int* in, int* out)
{
    __shared__ int s[3][3];
    int r = threadIdx.y, c = threadIdx.x;
    s[r][c] = in[r * 3 + c];
    __syncthreads();
    if (c == 0) {
        int sum = 0;
#ifdef FIXED
        for (int k = 0; k < 3; ++k) sum += s[r][k];
#else
        for (int k = r; k < r + 3 && r * 3 + k < 9; ++k) sum += s[r][k];  // expect: index-out-of-shape error
#endif
        out[r] = sum;
    }
}

int main()
{
    int h[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, 3 * sizeof(int));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    sum_rows<<<1, dim3(3, 3)>>>(in, out);
    cudaMemcpy(h, out, 3 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[0], h[1], h[2]);
    cudaFree(in);
    cudaFree(out);
}
