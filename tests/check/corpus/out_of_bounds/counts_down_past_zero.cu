// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An unsigned index counts down while it is not negative, which it never is: a GPU ends the kernel, and so must we.
__global__ void clear(int* a, unsigned n)
{
#ifdef FIXED
    for (unsigned i = n; i-- > 0;)
#else
    for (unsigned i = n - 1; i >= 0; --i)
#endif
        a[i] = 0;  // expect: out-of-bounds
}

int main()
{
    int* a;
    cudaMalloc(&a, 16 * sizeof(int));
    clear<<<1, 1>>>(a, 16);
    const bool works = cudaDeviceSynchronize() == cudaSuccess;
    cudaFree(a);
    return works ? 0 : 1;
}
