// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An allocation that cannot work, unchecked.
int main()
{
    char* p = nullptr;
#ifdef FIXED
    cudaMalloc(&p, 1 << 10);
#else
    cudaMalloc(&p, size_t(1) << 46);  // expect: ignored-error
#endif
    cudaFree(p);
}
