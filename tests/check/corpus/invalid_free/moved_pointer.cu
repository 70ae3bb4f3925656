// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pointer was advanced before it is freed.
__global__ void fill(int* p) { p[threadIdx.x] = 7; }

int main()
{
    int* p;
    cudaMalloc(&p, 64 * sizeof(int));  // expect: leak
    fill<<<1, 32>>>(p);
#ifdef FIXED
    int* q = p + 32;
    fill<<<1, 32>>>(q);
#else
    p += 32;
    fill<<<1, 32>>>(p);
#endif
    cudaDeviceSynchronize();
    cudaFree(p);  // expect: invalid-free
}
