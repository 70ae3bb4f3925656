// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two loops fill the same cells with the same values.
__global__ void reverse(int* out, const int* in)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
#ifndef FIXED
    s[t] = in[t];  // expect: redundant-store
#endif
    __syncthreads();
    out[t] = s[63 - t];
}

int main()
{
    int h[64], *in, *out;
    for (int i = 0; i < 64; ++i) h[i] = i + 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    reverse<<<1, 64>>>(out, in);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
