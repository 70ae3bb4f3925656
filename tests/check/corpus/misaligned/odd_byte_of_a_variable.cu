// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An int in an int variable, but a byte on: it reaches past the variable as well, and a GPU tells the alignment.
__device__ int cell;

__global__ void store()
{
#ifdef FIXED
    char* at = (char*)&cell;
#else
    char* at = (char*)&cell + 1;
#endif
    *(int*)at = 42;  // expect: misaligned
}

int main()
{
    store<<<1, 1>>>();
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
