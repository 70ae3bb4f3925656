// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An output buffer that nobody frees.
__global__ void zero(int* p) { p[threadIdx.x] = 0; }

int main()
{
    int* p;
    cudaMalloc(&p, 128);  // expect: leak advice bytes=128
    zero<<<1, 32>>>(p);
    cudaDeviceSynchronize();
#ifdef FIXED
    cudaFree(p);
#endif
}
