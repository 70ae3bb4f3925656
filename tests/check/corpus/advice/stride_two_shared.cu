// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two words apart: half of the banks do all the work.
__global__ void pairs(int* out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    s[t + 64] = 2 * t;
    __syncthreads();
#ifdef FIXED
    out[t] = s[t] + s[127 - t];
#else
    out[t] = s[2 * t] + s[t];  // expect: bank-conflict degree=2
#endif
}

int main()
{
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    pairs<<<1, 64>>>(out);
    cudaFree(out);
    return 0;
}
