// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More than 48 KB of dynamic shared memory without opting in.
__global__ void big(float* out)
{
    extern __shared__ float s[];
    s[threadIdx.x] = threadIdx.x;  // expect-fixed: unused-shared
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

int main()
{
    float* out;
    cudaMalloc(&out, 32 * sizeof(float));
#ifdef FIXED
    cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    big<<<1, 32, 64 * 1024>>>(out);
#else
    big<<<1, 32, 64 * 1024>>>(out);  // expect: ignored-error
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
