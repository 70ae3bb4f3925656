// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that looks, by volatile reads, whether the host wants it to stop: the host may say so at any time. Others read
// what the host only reads meanwhile.
__global__ void count(int* turns, volatile int* stop)
{
    for (int i = 0; i < 10 && !*stop; ++i)
        turns[threadIdx.x] = i;
}

__global__ void scale(float* x, const float* factor) { x[threadIdx.x] = *factor * threadIdx.x; }

int main()
{
    int *stop, *device, *turns;
    float *factor, *x, h[32];
    cudaHostAlloc(&stop, sizeof *stop, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&device, stop, 0);
    cudaMallocManaged(&factor, sizeof *factor);
    cudaMalloc(&turns, sizeof h);
    cudaMalloc(&x, sizeof h);
    *stop = 0;
    *factor = 2;
    count<<<1, 32>>>(turns, device);
    *stop = 1;
    cudaDeviceSynchronize();
    scale<<<1, 32>>>(x, factor);
    const float used = *factor;
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    *factor = 3;
    scale<<<1, 32>>>(x, factor);
    cudaDeviceSynchronize();
    cudaFreeHost(stop);
    cudaFree(factor);
    cudaFree(turns);
    cudaFree(x);
    return h[1] != used;
}
