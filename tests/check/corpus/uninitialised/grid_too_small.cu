// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounded down, the number of blocks leaves the last cells out; the host copies them all the same.
__global__ void square(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = float(i) * i;
}

int main()
{
    const int n = 1000;
    static float host[n];
    float* x;
    cudaMalloc(&x, sizeof host);
#ifdef FIXED
    square<<<(n + 255) / 256, 256>>>(x, n);
#else
    square<<<n / 256, 256>>>(x, n);
#endif
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);  // expect: uninitialised-read warning cell=[768]
    cudaFree(x);
}
