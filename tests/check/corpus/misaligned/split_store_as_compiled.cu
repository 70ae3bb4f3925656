// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled with optimisation, a store of two floats is two stores of one, which a GPU's compiler puts together again.
// check: --as-compiled
__global__ void pairs(float* out, int shift)
{
    __shared__ float s[66];
    *(float2*)(s + 2 * threadIdx.x + shift) = make_float2(1, threadIdx.x);  // expect: misaligned error
    __syncthreads();
    out[threadIdx.x] = s[63 - 2 * threadIdx.x + shift] + s[62 - 2 * threadIdx.x + shift];
}
int main()
{
    float* out;
    cudaMalloc(&out, 128);
#ifdef FIXED
    pairs<<<1, 32>>>(out, 2);
#else
    pairs<<<1, 32>>>(out, 1);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaGetLastError();
}
