// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's own device-wide algorithms over many blocks: a scan that looks back at flags, a radix sort in passes, a
// reduction.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

template <class Call>
void withStorage(Call call)
{
    size_t bytes = 0;
    call(nullptr, bytes);
    void* storage;
    cudaMalloc(&storage, bytes);
    if (call(storage, bytes) != cudaSuccess)
        std::printf("failed\n");
    cudaFree(storage);
}

int main()
{
    constexpr int kCount = 20000;
    std::vector<int> values(kCount), result(kCount), expected(kCount);
    for (int i = 0; i < kCount; ++i)
        values[i] = i * 7919 % 10007 - 5000;
    int *in, *out;
    cudaMalloc(&in, kCount * sizeof(int));
    cudaMalloc(&out, kCount * sizeof(int));
    cudaMemcpy(in, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
    const auto isExpected = [&](int count) {
        cudaMemcpy(result.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost);
        return std::equal(result.begin(), result.begin() + count, expected.begin());
    };

    withStorage([&](void* storage, size_t& bytes) { return cub::DeviceReduce::Sum(storage, bytes, in, out, kCount); });
    expected[0] = std::accumulate(values.begin(), values.end(), 0);
    std::printf("sum: %d\n", isExpected(1));
    withStorage(
        [&](void* storage, size_t& bytes) { return cub::DeviceScan::InclusiveSum(storage, bytes, in, out, kCount); });
    std::partial_sum(values.begin(), values.end(), expected.begin());
    std::printf("scan: %d\n", isExpected(kCount));
    withStorage(
        [&](void* storage, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, kCount); });
    expected = values;
    std::sort(expected.begin(), expected.end());
    std::printf("sorted: %d\n", isExpected(kCount));
    cudaFree(in);
    cudaFree(out);
}
