// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads without work return; there is no barrier after that.
__global__ void copy(int* out, const int* in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i];
}

int main()
{
    int h[70], *a, *b;
    for (int i = 0; i < 70; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    copy<<<3, 32>>>(b, a, 70);
    h[69] = 0;
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return h[69] == 69 ? 0 : 1;
}
