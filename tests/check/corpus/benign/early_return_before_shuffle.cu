// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes without work return; the others add up under a mask that names all, each from lanes that are there.
__global__ void pairs(int* out, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    int v = t + __shfl_xor_sync(0xffffffffu, t, 1);
    out[t] = v;
}

int main()
{
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    pairs<<<1, 32>>>(out, 20);
    cudaDeviceSynchronize();
    cudaFree(out);
}
