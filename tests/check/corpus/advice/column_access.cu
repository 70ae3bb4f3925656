// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes walk down a column of a row-major matrix.
__global__ void scale(float* m, int n)
{
#ifdef FIXED
    int row = blockIdx.x, col = threadIdx.x;
#else
    int row = threadIdx.x, col = blockIdx.x;
#endif
    m[row * n + col] *= 2.0f;  // expect: uncoalesced sectorsPerRequest=32 ideal=4
}

int main()
{
    const int n = 64;
    float* m;
    cudaMalloc(&m, n * n * sizeof(float));
    cudaMemset(m, 0, n * n * sizeof(float));
    scale<<<n, n>>>(m, n);
    cudaFree(m);
    return 0;
}
