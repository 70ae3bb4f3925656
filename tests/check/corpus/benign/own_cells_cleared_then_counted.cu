// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block clears bins of its own, then counts in them: plain writes under atomics, but nobody else's.
__global__ void histogram(unsigned* parts, const unsigned char* data)
{
    unsigned* mine = parts + blockIdx.x * 16;
    if (threadIdx.x < 16)
        mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[data[blockIdx.x * blockDim.x + threadIdx.x] & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        mine[threadIdx.x] *= 2;
}

int main()
{
    unsigned* parts;
    unsigned char* data;
    cudaMalloc(&parts, 256);
    cudaMalloc(&data, 256);
    cudaMemset(data, 9, 256);
    histogram<<<4, 64>>>(parts, data);
    cudaFree(parts);
    cudaFree(data);
}
