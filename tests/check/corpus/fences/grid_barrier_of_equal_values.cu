// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between two barriers of the grid nothing but the barrier's own words changes: the blocks do not wait for ever.
__device__ unsigned arrived, generation;

__device__ void meet(unsigned blocks)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        unsigned seen = atomicAdd(&generation, 0);
        if (atomicAdd(&arrived, 1) == blocks - 1) {
            atomicExch(&arrived, 0);
            __threadfence();
            atomicAdd(&generation, 1);
        } else {
            while (atomicAdd(&generation, 0) == seen)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void relax(float* a, float* b, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; ++s) {
        if (i > 0 && i < n - 1)
            b[i] = (a[i - 1] + a[i + 1]) / 2;
        else if (i < n)
            b[i] = a[i];
        meet(gridDim.x);
        float* t = a;
        a = b;
        b = t;
    }
}

int main()
{
    const int n = 100;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemset(a, 0, n * sizeof(float));
    cudaMemset(b, 0, n * sizeof(float));
    relax<<<4, 32>>>(a, b, n, 4);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
