// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells move up by eight in one copy: it may read what it has written.
int main()
{
    float* x;
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
#ifdef FIXED
    float* other;
    cudaMalloc(&other, 128);
    cudaMemcpy(other, x, 128, cudaMemcpyDeviceToDevice);
    cudaMemcpy(x + 8, other, 128, cudaMemcpyDeviceToDevice);
    cudaFree(other);
#else
    cudaMemcpy(x + 8, x, 128, cudaMemcpyDeviceToDevice);  // expect: global-race error
#endif
    cudaFree(x);
}
