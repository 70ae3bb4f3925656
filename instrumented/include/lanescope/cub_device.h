// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's functions of whole arrays, made of Thrust's. Part of the headers in cub/.
#pragma once

#include "needs_kernels.h"

#include <chrono>  // as CUB does: programs rely on it
#include <limits>

#include "cub_exchange.h"
#include "cub_sort.h"
#include "thrust_algorithms.h"

#include "hide_macros.h"

namespace cub {

// clang-format off
template <class T, class O = std::ptrdiff_t> using CountingInputIterator = thrust::counting_iterator<T>;
template <class T, class O = std::ptrdiff_t> using ConstantInputIterator = thrust::constant_iterator<T>;
template <class T, class F, class I, class O = std::ptrdiff_t> using TransformInputIterator = thrust::transform_iterator<F, I>;
template <class T> struct DoubleBuffer {
    T* d_buffers[2]; int selector = 0;
    DoubleBuffer(T* current, T* other) : d_buffers{current, other} {}
    T* Current() { return d_buffers[selector]; }
    T* Alternate() { return d_buffers[selector ^ 1]; }
};

/// Memory of the device. This one keeps nothing for later, so that whoever uses it after freeing it is found out.
class CachingDeviceAllocator {
public:
    static constexpr unsigned int INVALID_BIN = (unsigned int)-1;
    static constexpr size_t INVALID_SIZE = (size_t)-1;
    static constexpr int INVALID_DEVICE_ORDINAL = -1;
    explicit CachingDeviceAllocator(unsigned int, unsigned int = 1, unsigned int = INVALID_BIN, size_t = INVALID_SIZE, bool = false, bool = false) {}
    explicit CachingDeviceAllocator(bool = false, bool = false) {}
    cudaError_t SetMaxCachedBytes(size_t) { return cudaSuccess; }
    cudaError_t DeviceAllocate(int, void** at, size_t bytes, cudaStream_t = 0) { return cudaMalloc(at, bytes); }
    cudaError_t DeviceAllocate(void** at, size_t bytes, cudaStream_t = 0) { return cudaMalloc(at, bytes); }
    cudaError_t DeviceFree(int, void* at) { return cudaFree(at); }
    cudaError_t DeviceFree(void* at) { return cudaFree(at); }
    cudaError_t FreeAllCached() { return cudaSuccess; }
};

/// Clears the error, and says where it was.
inline cudaError_t Debug(cudaError_t error, const char* file, int line)
{
    (void)cudaGetLastError();
    if (error != cudaSuccess)
        std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", (int)error, file, line, cudaGetErrorString(error));
    return error;
}

/// Every function is first asked how much scratch memory it needs.
inline bool askedForSize(void* scratch, size_t& bytes) { if (!scratch) bytes = 256; return !scratch; }

struct DeviceReduce {
    template <class I, class O, class Op, class T, class N> static cudaError_t Reduce(void* s, size_t& b, I in, O out, N n, Op op, T init, cudaStream_t = 0)
    {
        if (!askedForSize(s, b)) {
            auto from = thrust::rawIterator(in); auto to = thrust::rawIterator(out);
            thrust::parts::foldKernel<<<1, thrust::parts::kThreads>>>((size_t)n, [=] __device__(size_t i) mutable -> T { return from[i]; }, init, op, to);
        }
        return cudaPeekAtLastError();
    }
    template <class I, class O, class N, class Op, class F, class T> static cudaError_t TransformReduce(void* s, size_t& b, I in, O out, N n, Op op, F f, T init, cudaStream_t stream = 0) { return Reduce(s, b, thrust::make_transform_iterator(in, f), out, n, op, init, stream); }
    template <class I, class O, class N> static cudaError_t Sum(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { return Reduce(s, b, in, out, n, cub::Sum(), typename std::iterator_traits<O>::value_type(0), stream); }
    template <class I, class O, class N> static cudaError_t Max(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { using T = typename std::iterator_traits<O>::value_type; return Reduce(s, b, in, out, n, cub::Max(), std::numeric_limits<T>::lowest(), stream); }
    template <class I, class O, class N> static cudaError_t ArgMax(void* s, size_t& b, I in, O out, N n, cudaStream_t = 0) { return best(s, b, in, out, n, cub::ArgMax(), std::numeric_limits<std::decay_t<decltype(in[0])>>::lowest()); }
    template <class I, class O, class N> static cudaError_t ArgMin(void* s, size_t& b, I in, O out, N n, cudaStream_t = 0) { return best(s, b, in, out, n, cub::ArgMin(), std::numeric_limits<std::decay_t<decltype(in[0])>>::max()); }
    template <class K, class KO, class V, class VO, class C, class Op, class N> static cudaError_t ReduceByKey(void* s, size_t& b, K keys, KO keysOut, V values, VO out, C count, Op op, N n, cudaStream_t = 0)
    {
        if (!askedForSize(s, b)) {
            const std::ptrdiff_t runs = thrust::reduce_by_key(thrust::device, keys, keys + n, values, keysOut, out, thrust::equal_to<>(), op).first - keysOut;
            thrust::fill(thrust::device, count, count + 1, runs);
        }
        return cudaPeekAtLastError();
    }
    template <class I, class O, class N> static cudaError_t Min(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { using T = typename std::iterator_traits<O>::value_type; return Reduce(s, b, in, out, n, cub::Min(), std::numeric_limits<T>::max(), stream); }
private:
    template <class I, class O, class N, class Op, class T> static cudaError_t best(void* s, size_t& b, I in, O out, N n, Op op, T worst)
    {
        using Pair = KeyValuePair<int, T>;
        if (!askedForSize(s, b)) {
            auto from = thrust::rawIterator(in); auto to = thrust::rawIterator(out);
            thrust::parts::foldKernel<<<1, thrust::parts::kThreads>>>((size_t)n, [=] __device__(size_t i) mutable -> Pair { return {(int)i, from[i]}; }, Pair{std::numeric_limits<int>::max(), worst}, op, to);
        }
        return cudaPeekAtLastError();
    }
};

/// Segment i of an array: its elements begins[i] to ends[i] - 1.
struct DeviceSegmentedReduce {
    template <class I, class O, class B, class E, class Op, class T> static cudaError_t Reduce(void* s, size_t& b, I in, O out, int segments, B begins, E ends, Op op, T init, cudaStream_t = 0)
    {
        if (!askedForSize(s, b)) {
            auto from = thrust::rawIterator(in); auto to = thrust::rawIterator(out); auto first = thrust::rawIterator(begins); auto last = thrust::rawIterator(ends);
            thrust::for_each(thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(segments), [=] __device__(int segment) mutable {
                T sum = init;
                for (auto i = first[segment]; i < last[segment]; ++i)
                    sum = op(sum, from[i]);
                to[segment] = sum;
            });
        }
        return cudaPeekAtLastError();
    }
    template <class I, class O, class B, class E> static cudaError_t Sum(void* s, size_t& b, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0) { return Reduce(s, b, in, out, segments, begins, ends, cub::Sum(), typename std::iterator_traits<O>::value_type(0), stream); }
    template <class I, class O, class B, class E> static cudaError_t Max(void* s, size_t& b, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0) { return Reduce(s, b, in, out, segments, begins, ends, cub::Max(), std::numeric_limits<typename std::iterator_traits<O>::value_type>::lowest(), stream); }
    template <class I, class O, class B, class E> static cudaError_t Min(void* s, size_t& b, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0) { return Reduce(s, b, in, out, segments, begins, ends, cub::Min(), std::numeric_limits<typename std::iterator_traits<O>::value_type>::max(), stream); }
};

struct DeviceRunLengthEncode {
    template <class I, class O, class L, class C, class N> static cudaError_t Encode(void* s, size_t& b, I in, O out, L lengths, C count, N n, cudaStream_t stream = 0)
    {
        return DeviceReduce::ReduceByKey(s, b, in, out, thrust::constant_iterator<typename std::iterator_traits<L>::value_type>(1), lengths, count, cub::Sum(), n, stream);
    }
};

struct DeviceHistogram {
    template <class I, class C, class T, class N> static cudaError_t HistogramEven(void* s, size_t& b, I in, C* bins, int levels, T lower, T upper, N n, cudaStream_t = 0)
    {
        return counted(s, b, in, bins, levels, n, [=] __device__(const T& value) { return value < lower || !(value < upper) ? -1 : (int)((value - lower) * (levels - 1) / (upper - lower)); });
    }
    template <class I, class C, class T, class N> static cudaError_t HistogramRange(void* s, size_t& b, I in, C* bins, int levels, const T* bounds, N n, cudaStream_t = 0)
    {
        return counted(s, b, in, bins, levels, n, [=] __device__(const T& value) {
            int bin = -1;
            while (bin < levels - 1 && !(value < bounds[bin + 1]))
                ++bin;
            return bin < levels - 1 ? bin : -1;
        });
    }
private:
    template <class I, class C, class N, class BinOf> static cudaError_t counted(void* s, size_t& b, I in, C* bins, int levels, N n, BinOf binOf)
    {
        if (!askedForSize(s, b)) {
            auto from = thrust::rawIterator(in);
            thrust::fill(thrust::device, bins, bins + (levels - 1), C(0));
            thrust::for_each(thrust::device, thrust::counting_iterator<size_t>(0), thrust::counting_iterator<size_t>((size_t)n), [=] __device__(size_t i) mutable {
                const int bin = binOf(from[i]);
                if (bin >= 0)
                    atomicAdd(&bins[bin], C(1));
            });
        }
        return cudaPeekAtLastError();
    }
};

struct DeviceMergeSort {
    template <class K, class N, class C> static cudaError_t SortKeys(void* s, size_t& b, K keys, N n, C before, cudaStream_t = 0) { if (!askedForSize(s, b)) thrust::stable_sort(thrust::device, keys, keys + n, before); return cudaPeekAtLastError(); }
    template <class K, class N, class C> static cudaError_t StableSortKeys(void* s, size_t& b, K keys, N n, C before, cudaStream_t stream = 0) { return SortKeys(s, b, keys, n, before, stream); }
    template <class K, class V, class N, class C> static cudaError_t SortPairs(void* s, size_t& b, K keys, V values, N n, C before, cudaStream_t = 0) { if (!askedForSize(s, b)) thrust::stable_sort_by_key(thrust::device, keys, keys + n, values, before); return cudaPeekAtLastError(); }
    template <class K, class V, class N, class C> static cudaError_t StableSortPairs(void* s, size_t& b, K keys, V values, N n, C before, cudaStream_t stream = 0) { return SortPairs(s, b, keys, values, n, before, stream); }
};

struct DeviceScan {
    template <class I, class O, class Op, class N> static cudaError_t InclusiveScan(void* s, size_t& b, I in, O out, Op op, N n, cudaStream_t = 0) { if (!askedForSize(s, b)) thrust::inclusive_scan(thrust::device, in, in + n, out, op); return cudaPeekAtLastError(); }
    template <class I, class O, class Op, class T, class N> static cudaError_t ExclusiveScan(void* s, size_t& b, I in, O out, Op op, T init, N n, cudaStream_t = 0) { if (!askedForSize(s, b)) thrust::exclusive_scan(thrust::device, in, in + n, out, init, op); return cudaPeekAtLastError(); }
    template <class I, class O, class N> static cudaError_t InclusiveSum(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { return InclusiveScan(s, b, in, out, cub::Sum(), n, stream); }
    template <class I, class O, class N> static cudaError_t ExclusiveSum(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { return ExclusiveScan(s, b, in, out, cub::Sum(), typename std::iterator_traits<I>::value_type(0), n, stream); }
};

/// Stable, by bits begin to end - 1 of the keys.
struct DeviceRadixSort {
    template <class K, class V, class N> static cudaError_t SortPairs(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return pairs<false>(s, b, in, out, values, valuesOut, n, begin, end); }
    template <class K, class N> static cudaError_t SortKeys(void* s, size_t& b, const K* in, K* out, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return keys<false>(s, b, in, out, n, begin, end); }
    template <class K, class V, class N> static cudaError_t SortPairs(void* s, size_t& b, DoubleBuffer<K>& k, DoubleBuffer<V>& v, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return pairs<false>(s, b, k.Current(), k.Current(), v.Current(), v.Current(), n, begin, end); }
    template <class K, class N> static cudaError_t SortKeys(void* s, size_t& b, DoubleBuffer<K>& k, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return keys<false>(s, b, k.Current(), k.Current(), n, begin, end); }
    template <class K, class V, class N> static cudaError_t SortPairsDescending(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return pairs<true>(s, b, in, out, values, valuesOut, n, begin, end); }
    template <class K, class N> static cudaError_t SortKeysDescending(void* s, size_t& b, const K* in, K* out, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return keys<true>(s, b, in, out, n, begin, end); }
    template <class K, class V, class N> static cudaError_t SortPairsDescending(void* s, size_t& b, DoubleBuffer<K>& k, DoubleBuffer<V>& v, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return pairs<true>(s, b, k.Current(), k.Current(), v.Current(), v.Current(), n, begin, end); }
    template <class K, class N> static cudaError_t SortKeysDescending(void* s, size_t& b, DoubleBuffer<K>& k, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return keys<true>(s, b, k.Current(), k.Current(), n, begin, end); }
private:
    /// f(order): of whole keys one that the host may ask, which is faster.
    template <bool Descending, class K, class F> static void ordered(int begin, int end, F f)
    {
        if (begin > 0 || end < (int)(8 * sizeof(K)))
            f(BitOrder<K, Descending>{begin, end});
        else
            f(std::conditional_t<Descending, thrust::greater<K>, thrust::less<K>>());
    }
    template <bool Descending, class K, class N> static cudaError_t keys(void* s, size_t& b, const K* in, K* out, N n, int begin, int end)
    {
        if (askedForSize(s, b))
            return cudaSuccess;
        if (in != out)
            thrust::copy(thrust::device, in, in + n, out);
        ordered<Descending, K>(begin, end, [=](auto before) { thrust::stable_sort(thrust::device, out, out + n, before); });
        return cudaPeekAtLastError();
    }
    template <bool Descending, class K, class V, class N> static cudaError_t pairs(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int begin, int end)
    {
        if (askedForSize(s, b))
            return cudaSuccess;
        if (in != out)
            thrust::copy(thrust::device, in, in + n, out);
        if (values != valuesOut)
            thrust::copy(thrust::device, values, values + n, valuesOut);
        ordered<Descending, K>(begin, end, [=](auto before) { thrust::stable_sort_by_key(thrust::device, out, out + n, valuesOut, before); });
        return cudaPeekAtLastError();
    }
};

/// Segment i: elements begins[i] to ends[i] - 1, sorted by one thread.
struct DeviceSegmentedSort {
    template <class K, class N, class B, class E> static cudaError_t SortKeys(void* s, size_t& b, const K* in, K* out, N n, int segments, B begins, E ends, cudaStream_t = 0) { return keys(s, b, in, out, n, segments, begins, ends, thrust::less<K>()); }
    template <class K, class V, class N, class B, class E> static cudaError_t SortPairs(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int segments, B begins, E ends, cudaStream_t = 0) { return pairs(s, b, in, out, values, valuesOut, n, segments, begins, ends, thrust::less<K>()); }
    template <class K, class N, class B, class E> static cudaError_t StableSortKeys(void* s, size_t& b, const K* in, K* out, N n, int segments, B begins, E ends, cudaStream_t = 0) { return keys(s, b, in, out, n, segments, begins, ends, thrust::less<K>()); }
    template <class K, class V, class N, class B, class E> static cudaError_t StableSortPairs(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int segments, B begins, E ends, cudaStream_t = 0) { return pairs(s, b, in, out, values, valuesOut, n, segments, begins, ends, thrust::less<K>()); }
    template <class K, class N, class B, class E> static cudaError_t SortKeysDescending(void* s, size_t& b, const K* in, K* out, N n, int segments, B begins, E ends, cudaStream_t = 0) { return keys(s, b, in, out, n, segments, begins, ends, thrust::greater<K>()); }
    template <class K, class V, class N, class B, class E> static cudaError_t SortPairsDescending(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int segments, B begins, E ends, cudaStream_t = 0) { return pairs(s, b, in, out, values, valuesOut, n, segments, begins, ends, thrust::greater<K>()); }
    template <class K, class N, class B, class E> static cudaError_t StableSortKeysDescending(void* s, size_t& b, const K* in, K* out, N n, int segments, B begins, E ends, cudaStream_t = 0) { return keys(s, b, in, out, n, segments, begins, ends, thrust::greater<K>()); }
    template <class K, class V, class N, class B, class E> static cudaError_t StableSortPairsDescending(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int segments, B begins, E ends, cudaStream_t = 0) { return pairs(s, b, in, out, values, valuesOut, n, segments, begins, ends, thrust::greater<K>()); }
protected:
    template <class K, class N, class B, class E, class C> static cudaError_t keys(void* s, size_t& b, const K* in, K* out, N n, int segments, B begins, E ends, C before)
    {
        if (askedForSize(s, b))
            return cudaSuccess;
        auto first = thrust::rawIterator(begins); auto last = thrust::rawIterator(ends);
        thrust::copy(thrust::device, in, in + n, out);
        thrust::for_each(thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(segments), [=] __device__(int segment) mutable {
            thrust::stable_sort(thrust::seq, out + first[segment], out + last[segment], before);
        });
        return cudaPeekAtLastError();
    }
    template <class K, class V, class N, class B, class E, class C> static cudaError_t pairs(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int segments, B begins, E ends, C before)
    {
        if (askedForSize(s, b))
            return cudaSuccess;
        auto first = thrust::rawIterator(begins); auto last = thrust::rawIterator(ends);
        thrust::copy(thrust::device, in, in + n, out);
        thrust::copy(thrust::device, values, values + n, valuesOut);
        thrust::for_each(thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(segments), [=] __device__(int segment) mutable {
            thrust::stable_sort_by_key(thrust::seq, out + first[segment], out + last[segment], valuesOut + first[segment], before);
        });
        return cudaPeekAtLastError();
    }
};
struct DeviceSegmentedRadixSort : private DeviceSegmentedSort {
    template <class K, class N, class B, class E> static cudaError_t SortKeys(void* s, size_t& b, const K* in, K* out, N n, int segments, B begins, E ends, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return keys(s, b, in, out, n, segments, begins, ends, BitOrder<K, false>{begin, end}); }
    template <class K, class V, class N, class B, class E> static cudaError_t SortPairs(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int segments, B begins, E ends, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return pairs(s, b, in, out, values, valuesOut, n, segments, begins, ends, BitOrder<K, false>{begin, end}); }
    template <class K, class N, class B, class E> static cudaError_t SortKeysDescending(void* s, size_t& b, const K* in, K* out, N n, int segments, B begins, E ends, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return keys(s, b, in, out, n, segments, begins, ends, BitOrder<K, true>{begin, end}); }
    template <class K, class V, class N, class B, class E> static cudaError_t SortPairsDescending(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int segments, B begins, E ends, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) { return pairs(s, b, in, out, values, valuesOut, n, segments, begins, ends, BitOrder<K, true>{begin, end}); }
};

struct DeviceSelect {
    template <class I, class O, class C, class N, class P> static cudaError_t If(void* s, size_t& b, I in, O out, C count, N n, P p, cudaStream_t = 0) { return askedForSize(s, b) ? cudaSuccess : counted(count, thrust::copy_if(thrust::device, in, in + n, out, p) - out); }
    template <class I, class F, class O, class C, class N> static cudaError_t Flagged(void* s, size_t& b, I in, F flags, O out, C count, N n, cudaStream_t = 0) { return askedForSize(s, b) ? cudaSuccess : counted(count, thrust::copy_if(thrust::device, in, in + n, flags, out, thrust::identity<>()) - out); }
    template <class I, class O, class C, class N> static cudaError_t Unique(void* s, size_t& b, I in, O out, C count, N n, cudaStream_t = 0) { return askedForSize(s, b) ? cudaSuccess : counted(count, thrust::unique_copy(thrust::device, in, in + n, out) - out); }
private:
    template <class C> static cudaError_t counted(C count, std::ptrdiff_t n) { thrust::fill(thrust::device, count, count + 1, n); return cudaPeekAtLastError(); }
};

/// The selected first, in order; the others from the end, backwards.
struct DevicePartition {
    template <class I, class O, class C, class N, class P> static cudaError_t If(void* s, size_t& b, I in, O out, C count, N n, P p, cudaStream_t = 0)
    {
        auto from = thrust::rawIterator(in);
        return split(s, b, in, out, count, n, [=] __device__(size_t i) mutable -> bool { return p(from[i]); });
    }
    template <class I, class F, class O, class C, class N> static cudaError_t Flagged(void* s, size_t& b, I in, F flags, O out, C count, N n, cudaStream_t = 0)
    {
        auto flag = thrust::rawIterator(flags);
        return split(s, b, in, out, count, n, [=] __device__(size_t i) mutable -> bool { return flag[i]; });
    }
private:
    template <class I, class O, class C, class N, class P> static cudaError_t split(void* s, size_t& b, I in, O out, C count, N n, P isSelected)
    {
        if (!askedForSize(s, b)) {
            auto from = thrust::rawIterator(in); auto to = thrust::rawIterator(out); auto selected = thrust::rawIterator(count);
            thrust::for_each(thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(1), [=] __device__(int) mutable {
                size_t first = 0, last = (size_t)n;
                for (size_t i = 0; i < (size_t)n; ++i)
                    to[isSelected(i) ? first++ : --last] = from[i];
                *selected = first;
            });
        }
        return cudaPeekAtLastError();
    }
};
// clang-format on

}  // namespace cub

#ifndef CubDebug
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#endif
#ifndef CubDebugExit
#define CubDebugExit(e)                                                                                                \
    if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) {                                                            \
        exit(1);                                                                                                       \
    }
#endif
#ifndef CUB_MAX
#define CUB_MAX(a, b) ((a) > (b) ? (a) : (b))
#define CUB_MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

#include "restore_macros.h"
