// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread keeps a pointer to an array of its own in shared memory, and follows no other.
__global__ void keep(int* out)
{
    __shared__ int* slots[32];
    int own[3] = {1, 2, (int)threadIdx.x};
    slots[threadIdx.x] = own;
    __syncwarp();
    int* mine = slots[threadIdx.x];
    out[threadIdx.x] = mine[2] + mine[0];
}

int main()
{
    int* out;
    cudaMalloc(&out, 128);
    keep<<<1, 32>>>(out);
    cudaFree(out);
}
