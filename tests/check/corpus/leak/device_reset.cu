// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cudaDeviceReset gives everything back.
__global__ void touch(char* p) { p[0] = 1; }

int main()
{
    char* p = nullptr;
    cudaMalloc(&p, 1000);
    touch<<<1, 1>>>(p);
    return cudaDeviceReset() == cudaSuccess ? 0 : 1;
}
