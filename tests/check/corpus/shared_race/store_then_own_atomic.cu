// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread clears the counter and counts itself at once; its own atomic covers the plain store that the others'
// atomics race with.
__global__ void count(int* out)
{
    __shared__ int total;
    if (threadIdx.x == 0) {
        total = 0;  // expect: shared-race
#ifndef FIXED
        atomicAdd(&total, 5);
#endif
    }
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x != 0)
        atomicAdd(&total, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

int main()
{
    int* out;
    cudaMalloc(&out, 8);
    count<<<2, 64>>>(out);
    cudaFree(out);
}
