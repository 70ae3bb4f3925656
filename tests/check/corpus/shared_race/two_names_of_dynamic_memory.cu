// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two names for the dynamic shared memory are one array: what is written by one is read by the other.
__global__ void both(const int* in, int* out)
{
    extern __shared__ int numbers[];
    extern __shared__ float values[];
    numbers[threadIdx.x] = in[threadIdx.x];  // expect: shared-race
#ifdef FIXED
    __syncthreads();
#endif
    out[threadIdx.x] = __float_as_int(values[63 - threadIdx.x]);
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 256);
    cudaMemset(in, 0, 256);
    both<<<1, 64, 256>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
