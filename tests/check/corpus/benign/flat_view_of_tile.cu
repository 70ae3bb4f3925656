// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 2-D tile filled through a pointer to its first cell, a row handed to a function, a trailing array of one, a union.
#include <cstdio>

struct Packet {
    int length;
    int data[1];
};

union Quad {
    float4 vector;
    float cells[4];
};

__device__ int sum(const int* row, int n)
{
    int total = 0;
    for (int i = 0; i < n; ++i) total += row[i];
    return total;
}

__global__ void walk(const int* in, int* out, Packet* packet)
{
    __shared__ int tile[4][8];
    int t = threadIdx.x;
    int* flat = &tile[0][0];
    flat[t] = in[t];
    __syncthreads();
    Quad quad;
    quad.vector = make_float4(1, 2, 3, 4);
    if (t < 4)
        out[t] = sum(tile[t], 8) + sum(tile[0], 32) + (int)quad.cells[t];
    if (t < 7)
        packet->data[t] = t;
    if (t == 7)
        packet->length = 7;
}

int main()
{
    int h[32], *in, *out;
    Packet* packet;
    for (int i = 0; i < 32; ++i) h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&packet, 8 * sizeof(int));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    walk<<<1, 32>>>(in, out, packet);
    cudaMemcpy(h, out, 4 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[3]);
    cudaFree(in);
    cudaFree(out);
    cudaFree(packet);
}
