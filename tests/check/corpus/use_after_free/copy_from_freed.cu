// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result is read back after it was freed.
__global__ void one(int* p) { *p = 1; }

int main()
{
    int *p, h = 0;
    cudaMalloc(&p, sizeof(int));
    one<<<1, 1>>>(p);
#ifdef FIXED
    cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(p);
#else
    cudaFree(p);
    cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);  // expect: use-after-free
#endif
    return h == 1 ? 0 : 1;
}
