// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three buffers made in one line are one finding.
int main()
{
    float *a, *b, *c;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64), cudaMalloc(&c, 64);  // expect: leak advice count=3 bytes=192
#ifdef FIXED
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
#endif
}
