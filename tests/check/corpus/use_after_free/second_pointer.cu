// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointer stored on the device outlives what it points to.
#include <cstdio>

struct List {
    float* items;
    int count;
};

__global__ void sum(const List* list, float* out)
{
    float s = 0;
    for (int i = 0; i < list->count; ++i) s += list->items[i];  // expect: use-after-free
    *out = s;
}

int main()
{
    float h[10], r, *items, *out;
    for (int i = 0; i < 10; ++i) h[i] = i;
    cudaMalloc(&items, sizeof h);
    cudaMemcpy(items, h, sizeof h, cudaMemcpyHostToDevice);
    List host = {items, 10}, *list;
    cudaMalloc(&list, sizeof(List));
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(list, &host, sizeof(List), cudaMemcpyHostToDevice);
#ifndef FIXED
    cudaFree(items);
#endif
    sum<<<1, 1>>>(list, out);
    if (cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost) == cudaSuccess) printf("%g\n", r);
#ifdef FIXED
    cudaFree(items);
#endif
    cudaFree(list);
    cudaFree(out);
}
