// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread uses only its own cell of shared memory: the barrier orders nothing.
__global__ void add_ten(int* out, const int* in)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
#ifdef FIXED
    out[t] = s[t] + 10;
#else
    __syncthreads();  // expect: redundant-barrier
    out[t] = s[t] + 10;
#endif
}

int main()
{
    int h[64] = {}, *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    add_ten<<<1, 64>>>(out, in);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
