// Each thread adds to an element of its own row, all in one column, again and again; with the bug the second block
// begins one column too early, in that of the first.

// check: --advice-threshold uncoalesced=64
#include <cstdio>

constexpr int kRows = 64, kWidth = 96;

__global__ void sum(float* out, const float* a)
{
#ifdef FIXED
    const int column = blockIdx.x;
#else
    const int column = blockIdx.x / 2;
#endif
    const int at = threadIdx.x * kWidth + column;
    // A column of a matrix is what this is about.
    for (int k = 0; k < kWidth; ++k)
        out[at] += a[threadIdx.x * kWidth + k];  // expect: global-race
}

int main()
{
    float *out, *a;
    cudaMalloc(&out, kRows * kWidth * sizeof(float));
    cudaMalloc(&a, kRows * kWidth * sizeof(float));
    cudaMemset(out, 0, kRows * kWidth * sizeof(float));
    cudaMemset(a, 0, kRows * kWidth * sizeof(float));
    sum<<<2, kRows>>>(out, a);
    float first = 0;
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    printf("%g\n", first);
    cudaFree(a);
    return cudaFree(out);
}
