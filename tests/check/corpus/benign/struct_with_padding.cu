// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs with holes travel by assignment, by value and by memcpy; nobody reads the holes.
#include <cstdio>
#include <cstring>

struct Record {
    char tag;
    double value;
    short rank;
};

__device__ Record make(int i)
{
    Record r;
    r.tag = 'a' + i % 26;
    r.value = 0.5 * i;
    r.rank = i;
    return r;
}

__global__ void build(Record* a, Record* b, Record extra)
{
    __shared__ Record s[32];
    int i = threadIdx.x;
    s[i] = i == 0 ? extra : make(i);
    __syncthreads();
    a[i] = s[31 - i];
    Record copy = s[i];
    memcpy(&b[i], &copy, sizeof(Record));
}

__global__ void sum(const Record* a, double* out)
{
    double total = 0;
    for (int i = 0; i < 32; ++i) {
        Record r = a[i];
        if (r.tag != 'z') total += r.value * r.rank;
    }
    *out = total;
}

int main()
{
    Record *a, *b, extra, h[32];
    extra.tag = 'q';
    extra.value = 0;
    extra.rank = 0;
    double *out, x, y;
    cudaMalloc(&a, 32 * sizeof(Record));
    cudaMalloc(&b, 32 * sizeof(Record));
    cudaMalloc(&out, sizeof(double));
    build<<<1, 32>>>(a, b, extra);
    sum<<<1, 1>>>(a, out);
    cudaMemcpy(&x, out, sizeof x, cudaMemcpyDeviceToHost);
    sum<<<1, 1>>>(b, out);
    cudaMemcpy(&y, out, sizeof y, cudaMemcpyDeviceToHost);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<1, 1>>>(b, out);
    cudaMemcpy(&y, out, sizeof y, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
    return x == y && h[31].tag == 'q' ? 0 : 1;
}
