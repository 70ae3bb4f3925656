// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements and bytes mixed up: three quarters of the array are never used.
#define TPB 32

__global__ void sum(int* out)
{
#ifdef FIXED
    __shared__ int s[TPB];
#else
    __shared__ int s[TPB * sizeof(int)];
#endif
    s[threadIdx.x] = threadIdx.x;  // expect: unused-shared bytes=384
    __syncthreads();
    out[threadIdx.x] = s[TPB - 1 - threadIdx.x];
}

int main()
{
    int* out;
    cudaMalloc(&out, TPB * sizeof(int));
    sum<<<1, TPB>>>(out);
    cudaFree(out);
    return 0;
}
