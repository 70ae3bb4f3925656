// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer per iteration, and one free at the end.
__global__ void touch(char* p) { p[0] = 1; }

int main()
{
    char* p = nullptr;
    for (int i = 0; i < 5; ++i) {
        cudaMalloc(&p, 1000);  // expect: leak bytes=4000 count=4
        touch<<<1, 1>>>(p);
#ifdef FIXED
        cudaFree(p);
        p = nullptr;
#endif
    }
    cudaFree(p);
}
