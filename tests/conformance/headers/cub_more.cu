// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB where threads hand elements to their neighbours, and more of its functions of whole arrays.
#include <cstdio>
#include <cub/block/block_exchange.cuh>
#include <cub/cub.cuh>
#include <cub/device/device_histogram.cuh>
#include <vector>

struct Differs {
    __device__ bool operator()(int a, int b) const { return a != b; }
};

struct Less {
    __device__ bool operator()(int a, int b) const { return a < b; }
};

struct Minus {
    __device__ int operator()(int a, int b) const { return a - b; }
};

/// CUB's own has another name in each version.
struct Add {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

__global__ void groups(const int* in, int* out)
{
    using Difference = cub::BlockAdjacentDifference<int, 64>;
    using Heads = cub::BlockDiscontinuity<int, 64>;
    using Exchange = cub::BlockExchange<int, 64, 2>;
    using Warp = cub::WarpExchange<int, 2, 16>;
    using Histogram = cub::BlockHistogram<int, 64, 2, 8>;
    __shared__ union {
        typename Difference::TempStorage difference;
        typename Heads::TempStorage heads;
        typename Exchange::TempStorage exchange;
        typename Histogram::TempStorage histogram;
    } room;
    __shared__ typename Warp::TempStorage warps[4];
    __shared__ unsigned bins[8];
    const int t = threadIdx.x;
    int items[2] = {in[2 * t], in[2 * t + 1]}, d[2], h[2], ta[2];
    Difference(room.difference).SubtractLeft(items, d, Minus());
    __syncthreads();
    out[t * 10] = d[0];
    out[t * 10 + 1] = d[1];
    Difference(room.difference).SubtractRight(items, d, Minus(), 1000);
    __syncthreads();
    out[t * 10 + 2] = d[0];
    out[t * 10 + 3] = d[1];
    Heads(room.heads).FlagHeads(h, items, Differs());
    __syncthreads();
    Heads(room.heads).FlagTails(ta, items, Differs());
    __syncthreads();
    out[t * 10 + 4] = h[0] * 8 + h[1] * 4 + ta[0] * 2 + ta[1];
    int e[2];
    Exchange(room.exchange).BlockedToStriped(items, e);
    __syncthreads();
    out[t * 10 + 5] = e[0];
    out[t * 10 + 6] = e[1];
    Warp(warps[t / 16]).BlockedToStriped(items, e);
    out[t * 10 + 7] = e[0];
    out[t * 10 + 8] = e[1];
    int small[2] = {items[0] % 8, items[1] % 8};
    Histogram(room.histogram).Histogram(small, bins);
    __syncthreads();
    out[t * 10 + 9] = bins[t % 8];
}

template <class F>
void twice(F f)
{
    size_t b = 0;
    void* s = nullptr;
    f(s, b);
    cudaMalloc(&s, b);
    f(s, b);
    cudaFree(s);
}

int main()
{
    int *in, *out;
    cudaMallocManaged(&in, 128 * 4);
    cudaMallocManaged(&out, 640 * 4);
    for (int i = 0; i < 128; i++)
        in[i] = i * i % 23 / 3;
    groups<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    int bad = 0;
    for (int t = 0; t < 64; t++)
        for (int i = 0; i < 2; i++) {
            int k = 2 * t + i;
            bad += out[t * 10 + i] != (k ? in[k] - in[k - 1] : in[k]);
            bad += out[t * 10 + 2 + i] != (k < 127 ? in[k] - in[k + 1] : in[k] - 1000);
            bad += (out[t * 10 + 4] >> (3 - i) & 1) != (k == 0 || in[k] != in[k - 1]);
            bad += (out[t * 10 + 4] >> (1 - i) & 1) != (k == 127 || in[k] != in[k + 1]);
            bad += out[t * 10 + 5 + i] != in[t + 64 * i];
            bad += out[t * 10 + 7 + i] != in[t / 16 * 32 + t % 16 + 16 * i];
        }
    int count[8] = {};
    for (int i = 0; i < 128; i++)
        count[in[i] % 8]++;
    for (int t = 0; t < 64; t++)
        bad += out[t * 10 + 9] != count[t % 8];
    printf("groups %d\n", bad);
    int *keys, *lengths, *n;
    cudaMallocManaged(&keys, 512);
    cudaMallocManaged(&lengths, 512);
    cudaMallocManaged(&n, 4);
    twice([&](void* s, size_t& b) { cub::DeviceRunLengthEncode::Encode(s, b, in, keys, lengths, n, 128); });
    cudaDeviceSynchronize();
    printf("runs %d: %d*%d %d*%d\n", *n, keys[0], lengths[0], keys[*n - 1], lengths[*n - 1]);
    twice([&](void* s, size_t& b) { cub::DeviceReduce::ReduceByKey(s, b, in, keys, in, lengths, n, Add(), 128); });
    cudaDeviceSynchronize();
    printf("sums %d: %d %d\n", *n, lengths[3], lengths[*n - 1]);
    cub::KeyValuePair<int, int>* best;
    cudaMallocManaged(&best, sizeof *best);
    twice([&](void* s, size_t& b) { cub::DeviceReduce::ArgMax(s, b, in, best, 128); });
    cudaDeviceSynchronize();
    printf("max %d at %d\n", best->value, best->key);
    twice([&](void* s, size_t& b) { cub::DeviceReduce::ArgMin(s, b, in + 1, best, 100); });
    cudaDeviceSynchronize();
    printf("min %d at %d\n", best->value, best->key);
    int* offsets;
    cudaMallocManaged(&offsets, 16);
    offsets[0] = 0;
    offsets[1] = 10;
    offsets[2] = 10;
    offsets[3] = 128;
    twice([&](void* s, size_t& b) { cub::DeviceSegmentedReduce::Sum(s, b, in, out, 3, offsets, offsets + 1); });
    cudaDeviceSynchronize();
    printf("segments %d %d %d\n", out[0], out[1], out[2]);
    twice([&](void* s, size_t& b) { cub::DeviceSegmentedReduce::Max(s, b, in, out, 3, offsets, offsets + 1); });
    cudaDeviceSynchronize();
    printf("largest %d %d %d\n", out[0], out[1], out[2]);
    twice([&](void* s, size_t& b) { cub::DeviceHistogram::HistogramEven(s, b, in, out, 5, 0, 8, 128); });
    cudaDeviceSynchronize();
    printf("even %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    int* bounds = offsets;
    bounds[0] = 0;
    bounds[1] = 1;
    bounds[2] = 5;
    bounds[3] = 7;
    twice([&](void* s, size_t& b) { cub::DeviceHistogram::HistogramRange(s, b, in, out, 4, bounds, 128); });
    cudaDeviceSynchronize();
    printf("range %d %d %d\n", out[0], out[1], out[2]);
    twice([&](void* s, size_t& b) {
        cub::DevicePartition::If(s, b, in, out, n, 10, [] __device__(int v) { return v > 2; });
    });
    cudaDeviceSynchronize();
    printf("partition %d:", *n);
    for (int i = 0; i < 10; i++)
        printf(" %d", out[i]);
    printf("\n");
    twice([&](void* s, size_t& b) { cub::DeviceMergeSort::SortKeys(s, b, in, 128, Less()); });
    cudaDeviceSynchronize();
    printf("sorted %d %d %d\n", in[0], in[64], in[127]);
#ifdef CUB_MAX  // until CCCL 3
    printf("greater %d, lesser %d\n", CUB_MAX(out[0], 4), CUB_MIN(out[0], 4));
#else
    printf("greater 4, lesser 3\n");
#endif
    cudaFree(in);
    cudaFree(out);
    cudaFree(keys);
    cudaFree(lengths);
    cudaFree(n);
    cudaFree(best);
    cudaFree(offsets);
}
