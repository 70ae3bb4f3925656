// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __device__ and __constant__ variables copied to, copied from, addressed and sized.
#include "check.h"

struct Settings {
    float scale;
    int offset;
};

__constant__ Settings settings;
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int total;
__device__ int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};

namespace physics {
__device__ double gravity = 9.5;
}

__global__ void work()
{
    const int i = threadIdx.x;
    atomicAdd(&total, int(weights[i] * settings.scale) + settings.offset);
}

__global__ void addOne(int* data)
{
    data[threadIdx.x] += 1;
}

int main()
{
    const Settings values = {2.0f, 3};
    CHECK(cudaMemcpyToSymbol(settings, &values, sizeof(values)));
    const float last[2] = {10, 20};
    CHECK(cudaMemcpyToSymbol(weights, last, sizeof(last), 2 * sizeof(float)));
    const int zero = 0;
    CHECK(cudaMemcpyToSymbol(total, &zero, sizeof(int), 0, cudaMemcpyHostToDevice));
    work<<<1, 4>>>();
    int sum = 0;
    CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof(sum)));
    std::printf("total %d\n", sum);

    int* address = nullptr;
    size_t bytes = 0;
    CHECK(cudaGetSymbolAddress((void**)&address, grid));
    CHECK(cudaGetSymbolSize(&bytes, grid));
    std::printf("grid has %zu bytes\n", bytes);
    addOne<<<1, 6>>>(address);
    int cells[6];
    CHECK(cudaMemcpy(cells, address, sizeof(cells), cudaMemcpyDeviceToHost));
    print("grid", cells, 6);
    int row[3];
    CHECK(cudaMemcpyFromSymbolAsync(row, grid, sizeof(row), sizeof(row), cudaMemcpyDeviceToHost, 0));
    CHECK(cudaStreamSynchronize(0));
    print("row", row, 3);
    double g = 0;
    CHECK(cudaMemcpyFromSymbol(&g, physics::gravity, sizeof(g)));
    std::printf("gravity %.1f\n", g);
    SHOW(cudaMemcpyToSymbol(total, &sum, 8));
    SHOW(cudaMemcpyToSymbol(total, &sum, 4, 4));
    SHOW(cudaMemcpyFromSymbol(&sum, total, 4, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToSymbol(sum, &zero, 4));
}
