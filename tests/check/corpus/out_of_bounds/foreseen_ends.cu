// All blocks but the last are known to be inside before they run.
#include <cuda_runtime.h>

#ifdef FIXED
constexpr int kOff = 0;
#else
constexpr int kOff = 1;
#endif

__global__ void shifted(int* out, const int* in, int off, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + off];  // expect: out-of-bounds
}

int main()
{
    constexpr int n = 1024;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(in, 1, n * sizeof(int));
    shifted<<<n / 128, 128>>>(out, in, 0, n);
    shifted<<<n / 128, 128>>>(out, in, kOff, n);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
