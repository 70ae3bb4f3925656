// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Managed memory: one pointer, both sides; __managed__ variables; hints.
#include "check.h"

__managed__ int counter = 5;
__device__ __managed__ int table[4] = {1, 2, 3, 4};

struct Node {
    int value;
    Node* next;
};

__global__ void increment(int* data, int n)
{
    const int i = threadIdx.x;
    if (i < n)
        data[i] += i;
    if (i == 0)
        counter += 1;
    if (i < 4)
        table[i] *= 10;
}

__global__ void sumList(const Node* node, int* sum)
{
    for (*sum = 0; node; node = node->next)
        *sum += node->value;
}

int main()
{
    std::printf("%d\n", counter);
    counter = 7;
    int* data = nullptr;
    CHECK(cudaMallocManaged(&data, 8 * sizeof(int)));
    for (int i = 0; i < 8; ++i)
        data[i] = 100;
    CHECK(cudaMemPrefetchAsync(data, 8 * sizeof(int), cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0));
    increment<<<1, 8>>>(data, 8);
    CHECK(cudaDeviceSynchronize());
    print("data", data, 8);
    print("table", table, 4);
    std::printf("%d\n", counter);

    Node* nodes = nullptr;
    int* sum = nullptr;
    CHECK(cudaMallocManaged(&nodes, 3 * sizeof(Node)));
    CHECK(cudaMallocManaged((void**)&sum, sizeof(int), cudaMemAttachGlobal));
    for (int i = 0; i < 3; ++i)
        nodes[i] = {i + 1, i < 2 ? &nodes[i + 1] : nullptr};
    sumList<<<1, 1>>>(nodes, sum);
    CHECK(cudaDeviceSynchronize());
    std::printf("sum %d\n", *sum);

    int host[8] = {};
    CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(data, 0, 16));
    CHECK(cudaDeviceSynchronize());
    print("host", host, 8);
    print("data", data, 8);
    CHECK(cudaMemcpy(data + 4, data, 16, cudaMemcpyDefault));
    CHECK(cudaDeviceSynchronize());
    print("data", data, 8);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, data + 1));
    std::printf("managed %d, same %d %d\n", attributes.type == cudaMemoryTypeManaged,
                attributes.devicePointer == data + 1, attributes.hostPointer == data + 1);
    SHOW(cudaMallocManaged(&data, 0));
    SHOW(cudaMallocManaged(&data, 4, 64));
    SHOW(cudaMemAdvise(host, 4, cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0}));
    SHOW(cudaMemAdvise(nodes, sizeof(Node), cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0}));
    SHOW(cudaFree(nodes));
    SHOW(cudaFree(sum));
}
