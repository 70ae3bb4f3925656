// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's algorithms run by single threads of a kernel, and by the host: both must leave the same.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <cstdio>

constexpr int kCount = 37, kResults = 12, kThreads = 24;

struct IsOdd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};
struct ByLastDigit {
    __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

/// Positions and sums go to \p results; \p data stays as the last algorithm left it.
__host__ __device__ void work(int seed, int* data, int* keys, int* results)
{
    for (int i = 0; i < kCount; ++i) {
        data[i] = (seed * 31 + i * 17) % 101;
        keys[i] = (seed + i * 7) % 13;
    }
    results[0] = thrust::reduce(thrust::seq, data, data + kCount);
    results[1] = thrust::reduce(thrust::seq, data, data + kCount, 0, thrust::maximum<int>());
    results[2] = int(thrust::max_element(thrust::seq, data, data + kCount) - data);
    results[3] = int(thrust::count_if(thrust::seq, data, data + kCount, IsOdd()));
    results[4] = int(thrust::find(thrust::seq, data, data + kCount, 50) - data);
    results[5] = thrust::transform_reduce(thrust::seq, data, data + kCount, Square(), 0, thrust::plus<int>());
    results[6] = thrust::inner_product(thrust::seq, data, data + kCount, keys, 0);
    thrust::stable_sort_by_key(thrust::seq, keys, keys + kCount, data);
    thrust::sort(thrust::seq, data, data + kCount / 2);
    thrust::stable_sort(thrust::seq, data + kCount / 2, data + kCount, ByLastDigit());
    results[7] = int(thrust::lower_bound(thrust::seq, data, data + kCount / 2, 40) - data);
    results[8] = thrust::binary_search(thrust::seq, keys, keys + kCount, 6);
    int* end = thrust::unique(thrust::seq, keys, keys + kCount);
    results[9] = int(end - keys);
    thrust::exclusive_scan(thrust::seq, data, data + kCount, data, seed);
    int* middle = thrust::partition(thrust::seq, keys, end, IsOdd());
    results[10] = int(middle - keys);
    thrust::sort(thrust::seq, keys, middle, thrust::greater<int>());
    thrust::sort(thrust::seq, middle, end);
    int odd[kCount];
    int* oddEnd = thrust::copy_if(thrust::seq, data, data + kCount, odd, IsOdd());
    results[11] = int(oddEnd - odd);
    thrust::reverse(thrust::seq, odd, oddEnd);
    thrust::transform(thrust::seq, odd, oddEnd, data, thrust::negate<int>());
    thrust::fill(thrust::seq, keys, keys + 3, seed);
    thrust::for_each(thrust::seq, data, data + kCount, [seed](int& x) { x += seed; });
}

__global__ void run(int* data, int* keys, int* results)
{
    const int self = threadIdx.x;
    work(self, data + self * kCount, keys + self * kCount, results + self * kResults);
}

/// A kernel reaches what a device_ptr leads to as a plain pointer does.
__global__ void addUp(thrust::device_ptr<const int> from, thrust::device_ptr<int> to)
{
    to[threadIdx.x] = from[threadIdx.x];
    to[threadIdx.x] += 10;
    if (from[0] + 10 == to[0])
        *to = *(from + 1);
}

int main()
{
    int *data, *keys, *results;
    cudaMallocManaged(&data, kThreads * kCount * sizeof(int));
    cudaMallocManaged(&keys, kThreads * kCount * sizeof(int));
    cudaMallocManaged(&results, kThreads * kResults * sizeof(int));
    run<<<1, kThreads>>>(data, keys, results);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    int wrong[3] = {};
    for (int t = 0; t < kThreads; ++t) {
        int ownData[kCount], ownKeys[kCount], ownResults[kResults];
        work(t, ownData, ownKeys, ownResults);
        for (int i = 0; i < kCount; ++i) {
            wrong[0] += ownData[i] != data[t * kCount + i];
            wrong[1] += ownKeys[i] != keys[t * kCount + i];
        }
        for (int i = 0; i < kResults; ++i)
            wrong[2] += ownResults[i] != results[t * kResults + i];
    }
    std::printf("wrong: %d %d %d\n", wrong[0], wrong[1], wrong[2]);
    std::printf("thread 5: %d %d %d\n", results[5 * kResults], results[5 * kResults + 5], results[5 * kResults + 9]);
    addUp<<<1, 1>>>(thrust::device_pointer_cast<const int>(results), thrust::device_pointer_cast(keys));
    addUp<<<1, 1>>>(thrust::device_pointer_cast<const int>(results + 1), thrust::device_pointer_cast(keys + 1));
    cudaDeviceSynchronize();
    std::printf("%d %d\n", keys[0] - results[1], keys[1] - results[2]);
    cudaFree(data);
    cudaFree(keys);
    cudaFree(results);
    return 0;
}
