// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread writes two neighbours; the number of blocks is rounded down.
__global__ void fill(int* out, int n)
{
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = i;
    if (i + 1 < n)
        out[i + 1] = i + 1;
}

int main()
{
    const int n = 1000;
    static int host[n];
    int* out;
    cudaMalloc(&out, sizeof host);
#ifdef FIXED
    fill<<<(n / 2 + 63) / 64, 64>>>(out, n);
#else
    fill<<<n / 2 / 64, 64>>>(out, n);
#endif
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);  // expect: uninitialised-read warning cell=[896]
    cudaFree(out);
}
