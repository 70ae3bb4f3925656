// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are copied one row down; its twin copies the left half of each row to its right half.
int main()
{
    const size_t pitch = 64;
    const int rows = 16;
    char* p;
    cudaMalloc(&p, pitch * (rows + 1));
    cudaMemset(p, 1, pitch * (rows + 1));
#ifdef FIXED
    cudaMemcpy2D(p + 32, pitch, p, pitch, 32, rows, cudaMemcpyDeviceToDevice);
#else
    cudaMemcpy2D(p + pitch, pitch, p, pitch, 64, rows, cudaMemcpyDeviceToDevice);  // expect: global-race error
#endif
    cudaDeviceSynchronize();
    cudaFree(p);
}
