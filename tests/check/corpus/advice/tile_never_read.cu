// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile is loaded, and then global memory is used all the same.
__global__ void twice(float* out, const float* in)
{
    __shared__ float tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = in[i];  // expect: dead-shared-store
    __syncthreads();
#ifdef FIXED
    out[i] = 2 * tile[63 - threadIdx.x];
#else
    out[i] = 2 * in[i];
#endif
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof(float));
    cudaMalloc(&out, 128 * sizeof(float));
    cudaMemset(in, 0, 128 * sizeof(float));
    twice<<<2, 64>>>(out, in);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
