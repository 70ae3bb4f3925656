// Where pointers point to follows from where they began: elements, members, negative and narrow indexes, addresses as
// numbers and back.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr int kThreads = 64, kStored = 6;

struct Cell {
    int whole;
    short parts[3][2];
};

__global__ void walk(const Cell* cells, const Cell* others, int64_t* history)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const short* sum = &cells[i].parts[i % 3][1];
    history[i * kStored] = int64_t(sum);
    sum -= 2;
    history[i * kStored + 1] = int64_t(sum);
    sum = &cells[kThreads - 1 - i].parts[1][0] + int8_t(i * 3);
    history[i * kStored + 2] = int64_t(sum);
    sum = i % 2 == 0 ? sum : &others->parts[2][i];
    history[i * kStored + 3] = int64_t(sum);
    sum = reinterpret_cast<const short*>(uint64_t(sum) + (uint64_t(i) << 1));
    history[i * kStored + 4] = int64_t(sum);
    sum = nullptr;
    history[i * kStored + 5] = int64_t(sum);
}

int main()
{
    Cell* cells;
    int64_t* history;
    cudaMalloc(&cells, 2 * kThreads * sizeof *cells);
    cudaMalloc(&history, kThreads * kStored * sizeof *history);
    walk<<<1, kThreads>>>(cells, cells + kThreads, history);
    int64_t found[kThreads * kStored], begin = int64_t(cells);
    cudaMemcpy(found, history, sizeof found, cudaMemcpyDeviceToHost);
    for (int i = 0; i < kThreads * kStored; i += 61)
        std::printf("%lld ", static_cast<long long>(found[i] == 0 ? 0 : found[i] - begin));
    std::printf("\n");
    cudaFree(cells);
    cudaFree(history);
}
