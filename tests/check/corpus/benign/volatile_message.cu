// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whoever waits for the flag does not fence, but reads the data as a volatile, which no cache answers.
__device__ int flag = 0;

__global__ void pass(volatile int* data, int* out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        atomicExch(&flag, 1);
    } else {
        while (atomicExch(&flag, 0) == 0) {
        }
        *out = *data;
    }
}

int main()
{
    int r, *p;
    cudaMalloc(&p, 2 * sizeof r);
    pass<<<2, 1>>>(p, p + 1);
    cudaMemcpy(&r, p + 1, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(p);
    return r == 42 ? 0 : 1;
}
