// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's sorts: of what a block or a warp holds, of whole arrays by some of the bits of their keys, of segments.
#include <algorithm>
#include <cstdio>
#include <cub/block/block_merge_sort.cuh>
#include <cub/cub.cuh>
#include <cub/util_allocator.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <vector>

cub::CachingDeviceAllocator allocator(true);

constexpr int kThreads = 64, kItems = 3, kCount = kThreads * kItems;

struct ByLastDigit {
    __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

__global__ void mergeSorted(int* keys, int* places)
{
    using Sort = cub::BlockMergeSort<int, kThreads, kItems, int>;
    __shared__ typename Sort::TempStorage room;
    int key[kItems], place[kItems];
    for (int i = 0; i < kItems; ++i) {
        place[i] = threadIdx.x * kItems + i;
        key[i] = keys[place[i]];
    }
    Sort(room).StableSort(key, place, ByLastDigit());
    for (int i = 0; i < kItems; ++i) {
        keys[threadIdx.x * kItems + i] = key[i];
        places[threadIdx.x * kItems + i] = place[i];
    }
}

__global__ void warpSorted(int* keys, int valid)
{
    using Sort = cub::WarpMergeSort<int, kItems, 16>;
    __shared__ typename Sort::TempStorage room[kThreads / 16];
    int key[kItems];
    for (int i = 0; i < kItems; ++i)
        key[i] = keys[threadIdx.x * kItems + i];
    Sort(room[threadIdx.x / 16]).Sort(key, [](int a, int b) { return a < b; }, valid, 1000);
    for (int i = 0; i < kItems; ++i)
        keys[threadIdx.x * kItems + i] = key[i];
}

__global__ void radixSorted(unsigned* keys)
{
    using Sort = cub::BlockRadixSort<unsigned, kThreads, kItems>;
    __shared__ typename Sort::TempStorage room;
    unsigned key[kItems];
    for (int i = 0; i < kItems; ++i)
        key[i] = keys[threadIdx.x * kItems + i];
    Sort(room).SortBlockedToStriped(key, 4, 8);
    for (int i = 0; i < kItems; ++i)
        keys[i * kThreads + threadIdx.x] = key[i];
}

template <class T>
T* onDevice(const std::vector<T>& values)
{
    T* memory = nullptr;
    CubDebugExit(allocator.DeviceAllocate((void**)&memory, values.size() * sizeof(T)));
    CubDebugExit(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <class T>
std::vector<T> fetched(T* memory, size_t count)
{
    std::vector<T> values(count);
    CubDebugExit(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

template <class F>
void twice(F call)
{
    void* scratch = nullptr;
    size_t bytes = 0;
    CubDebugExit(call(scratch, bytes));
    CubDebugExit(allocator.DeviceAllocate(&scratch, bytes));
    CubDebugExit(call(scratch, bytes));
    CubDebugExit(allocator.DeviceFree(scratch));
}

int main()
{
    std::vector<int> values(kCount);
    for (int i = 0; i < kCount; ++i)
        values[i] = (i * 7919 + 13) % 541;
    const std::vector<unsigned> bits(values.begin(), values.end());

    int *keys = onDevice(values), *places = onDevice(values);
    mergeSorted<<<1, kThreads>>>(keys, places);
    std::vector<int> expected = values;
    std::stable_sort(expected.begin(), expected.end(), ByLastDigit());
    std::vector<int> of = fetched(places, kCount);
    bool inPlace = true;
    for (int i = 0; i < kCount; ++i)
        inPlace &= values[of[i]] == expected[i];
    std::printf("block: %d %d\n", fetched(keys, kCount) == expected, inPlace);

    CubDebugExit(cudaMemcpy(keys, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
    warpSorted<<<1, kThreads>>>(keys, 40);
    // Behind the valid ones is what CUB leaves there.
    of = fetched(keys, kCount);
    bool inOrder = true;
    for (int first = 0; first < kCount; first += 16 * kItems) {
        expected = std::vector<int>(values.begin() + first, values.begin() + first + 40);
        std::sort(expected.begin(), expected.end());
        inOrder &= std::equal(expected.begin(), expected.end(), of.begin() + first);
    }
    std::printf("warps: %d\n", inOrder);

    const auto middle = [](unsigned a, unsigned b) { return (a >> 4 & 15) < (b >> 4 & 15); };
    std::vector<unsigned> byMiddle = bits;
    std::stable_sort(byMiddle.begin(), byMiddle.end(), middle);
    unsigned *in = onDevice(bits), *out = onDevice(bits);
    twice([=](void* scratch, size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, kCount, 4, 8);
    });
    std::printf("some bits: %d\n", fetched(out, kCount) == byMiddle);
    radixSorted<<<1, kThreads>>>(in);
    std::printf("of a block: %d\n", fetched(in, kCount) == byMiddle);

    std::vector<float> floats(kCount);
    for (int i = 0; i < kCount; ++i)
        floats[i] = (values[i] - 270) * 0.25f;
    float *numbers = onDevice(floats), *sorted = onDevice(floats);
    const std::vector<int> borders{0, 50, 50, 120, kCount};
    int* border = onDevice(borders);
    twice([=](void* scratch, size_t& bytes) {
        return cub::DeviceSegmentedRadixSort::SortKeysDescending(scratch, bytes, numbers, sorted, kCount, 4, border,
                                                                 border + 1);
    });
    std::vector<float> segments = floats;
    for (int i = 0; i < 4; ++i)
        std::sort(segments.begin() + borders[i], segments.begin() + borders[i + 1], std::greater<float>());
    std::printf("segments: %d\n", fetched(sorted, kCount) == segments);
    twice([=](void* scratch, size_t& bytes) {
        return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, numbers, sorted, kCount, 4, border, border + 1);
    });
    for (int i = 0; i < 4; ++i)
        std::sort(segments.begin() + borders[i], segments.begin() + borders[i + 1]);
    std::printf("segments: %d\n", fetched(sorted, kCount) == segments);

    for (void* memory :
         {(void*)keys, (void*)places, (void*)in, (void*)out, (void*)numbers, (void*)sorted, (void*)border})
        CubDebugExit(allocator.DeviceFree(memory));
    return 0;
}
