// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of CUB that is there: of blocks, warps and whole arrays.
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

static_assert(CUB_VERSION >= 200000 && CUB_VERSION / 100000 == CUB_MAJOR_VERSION);
static_assert(THRUST_VERSION >= 200000 && THRUST_VERSION / 100000 == THRUST_MAJOR_VERSION);

static_assert(sizeof(half) + sizeof(nv_bfloat16) == 4, "their headers come along");

constexpr int kThreads = 128;
constexpr int kItems = 4;

struct Larger {
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

__global__ void groups(const int* in, int* out)
{
    using Reduce = cub::BlockReduce<int, kThreads>;
    using Scan = cub::BlockScan<int, kThreads>;
    using WarpReduce = cub::WarpReduce<int>;
    using WarpScan = cub::WarpScan<int>;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    } room;
    __shared__ typename WarpReduce::TempStorage warpRoom[kThreads / 32];
    __shared__ typename WarpScan::TempStorage warpScanRoom[kThreads / 32];
    const int t = static_cast<int>(threadIdx.x), value = in[t];
    const int sum = Reduce(room.reduce).Sum(value);
    __syncthreads();
    const int largest = Reduce(room.reduce).Reduce(value, Larger());
    __syncthreads();
    const int some = Reduce(room.reduce).Sum(value, 50);
    __syncthreads();
    int inclusive = 0, exclusive = 0, all = 0;
    Scan(room.scan).InclusiveSum(value, inclusive);
    __syncthreads();
    Scan(room.scan).ExclusiveSum(value, exclusive, all);
    const int warpSum = WarpReduce(warpRoom[t / 32]).Sum(value);
    int warpScan = 0;
    WarpScan(warpScanRoom[t / 32]).InclusiveSum(value, warpScan);
    if (t == 0) {
        out[0] = sum;
        out[1] = largest;
        out[2] = some;
        out[3] = all;
    }
    if (t == 100) {
        out[4] = inclusive;
        out[5] = exclusive;
        out[6] = warpScan;
    }
    if (t == 96)
        out[7] = warpSum;
}

__global__ void items(const int* in, int* out)
{
    using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
    using Scan = cub::BlockScan<int, kThreads>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
    } room;
    int values[kItems];
    Load(room.load).Load(in, values);
    __syncthreads();
    Sort(room.sort).Sort(values);
    __syncthreads();
    Scan(room.scan).ExclusiveSum(values, values);
    __syncthreads();
    Store(room.store).Store(out, values);
}

template <class F>
static void twice(F call)
{
    void* scratch = nullptr;
    size_t bytes = 0;
    cudaError_t error = call(scratch, bytes);
    if (error == cudaSuccess)
        error = cudaMalloc(&scratch, bytes);
    if (error == cudaSuccess)
        error = call(scratch, bytes);
    if (error != cudaSuccess)
        std::printf("%s\n", cudaGetErrorName(error));
    (void)cudaFree(scratch);
}

int main()
{
    constexpr int n = kThreads * kItems;
    int *in = nullptr, *out = nullptr, *values = nullptr, *sortedValues = nullptr;
    for (int** memory : {&in, &out, &values, &sortedValues})
        if (cudaMallocManaged(memory, n * sizeof(int)) != cudaSuccess)
            return 1;
    for (int i = 0; i < n; ++i) {
        in[i] = i * 37 % 101;
        values[i] = i;
    }
    groups<<<1, kThreads>>>(in, out);
    (void)cudaDeviceSynchronize();
    for (int i = 0; i < 8; ++i)
        std::printf("%d ", out[i]);
    items<<<1, kThreads>>>(in, out);
    (void)cudaDeviceSynchronize();
    std::printf("\n%d %d %d\n", out[1], out[200], out[n - 1]);
    twice([&](void* s, size_t& b) { return cub::DeviceReduce::Sum(s, b, in, out, n); });
    twice([&](void* s, size_t& b) { return cub::DeviceReduce::Max(s, b, in, out + 1, n); });
    (void)cudaDeviceSynchronize();
    std::printf("%d %d\n", out[0], out[1]);
    twice([&](void* s, size_t& b) { return cub::DeviceScan::ExclusiveSum(s, b, in, out, n); });
    (void)cudaDeviceSynchronize();
    std::printf("%d %d\n", out[5], out[n - 1]);
    twice([&](void* s, size_t& b) { return cub::DeviceRadixSort::SortPairs(s, b, in, out, values, sortedValues, n); });
    (void)cudaDeviceSynchronize();
    std::printf("%d %d %d %d\n", out[10], sortedValues[10], out[n - 1], sortedValues[n - 1]);
    for (int** memory : {&in, &out, &values, &sortedValues})
        (void)cudaFree(*memory);
}
