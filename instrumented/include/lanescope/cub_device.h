// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's functions of whole arrays, made of Thrust's. Part of the headers in cub/.
#pragma once

#include <limits>

#include "cub_groups.h"
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
    template <class I, class O, class N> static cudaError_t Sum(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { return Reduce(s, b, in, out, n, cub::Sum(), typename std::iterator_traits<O>::value_type(0), stream); }
    template <class I, class O, class N> static cudaError_t Max(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { using T = typename std::iterator_traits<O>::value_type; return Reduce(s, b, in, out, n, cub::Max(), std::numeric_limits<T>::lowest(), stream); }
    template <class I, class O, class N> static cudaError_t Min(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { using T = typename std::iterator_traits<O>::value_type; return Reduce(s, b, in, out, n, cub::Min(), std::numeric_limits<T>::max(), stream); }
};

struct DeviceScan {
    template <class I, class O, class Op, class N> static cudaError_t InclusiveScan(void* s, size_t& b, I in, O out, Op op, N n, cudaStream_t = 0) { if (!askedForSize(s, b)) thrust::inclusive_scan(thrust::device, in, in + n, out, op); return cudaPeekAtLastError(); }
    template <class I, class O, class Op, class T, class N> static cudaError_t ExclusiveScan(void* s, size_t& b, I in, O out, Op op, T init, N n, cudaStream_t = 0) { if (!askedForSize(s, b)) thrust::exclusive_scan(thrust::device, in, in + n, out, init, op); return cudaPeekAtLastError(); }
    template <class I, class O, class N> static cudaError_t InclusiveSum(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { return InclusiveScan(s, b, in, out, cub::Sum(), n, stream); }
    template <class I, class O, class N> static cudaError_t ExclusiveSum(void* s, size_t& b, I in, O out, N n, cudaStream_t stream = 0) { return ExclusiveScan(s, b, in, out, cub::Sum(), typename std::iterator_traits<I>::value_type(0), n, stream); }
};

struct DeviceRadixSort {
    template <class K, class V, class N> static cudaError_t SortPairs(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int = 0, int = 0, cudaStream_t = 0) { return pairs(s, b, in, out, values, valuesOut, n, thrust::less<K>()); }
    template <class K, class V, class N> static cudaError_t SortPairsDescending(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, int = 0, int = 0, cudaStream_t = 0) { return pairs(s, b, in, out, values, valuesOut, n, thrust::greater<K>()); }
    template <class K, class N> static cudaError_t SortKeys(void* s, size_t& b, const K* in, K* out, N n, int = 0, int = 0, cudaStream_t = 0) { return keys(s, b, in, out, n, thrust::less<K>()); }
    template <class K, class N> static cudaError_t SortKeysDescending(void* s, size_t& b, const K* in, K* out, N n, int = 0, int = 0, cudaStream_t = 0) { return keys(s, b, in, out, n, thrust::greater<K>()); }
    template <class K, class N> static cudaError_t SortKeys(void* s, size_t& b, DoubleBuffer<K>& k, N n, int = 0, int = 0, cudaStream_t = 0) { return keys(s, b, k.Current(), k.Current(), n, thrust::less<K>()); }
    template <class K, class V, class N> static cudaError_t SortPairs(void* s, size_t& b, DoubleBuffer<K>& k, DoubleBuffer<V>& v, N n, int = 0, int = 0, cudaStream_t = 0) { return pairs(s, b, k.Current(), k.Current(), v.Current(), v.Current(), n, thrust::less<K>()); }
private:
    template <class K, class N, class C> static cudaError_t keys(void* s, size_t& b, const K* in, K* out, N n, C before)
    {
        if (askedForSize(s, b))
            return cudaSuccess;
        if (in != out)
            thrust::copy(thrust::device, in, in + n, out);
        thrust::sort(thrust::device, out, out + n, before);
        return cudaPeekAtLastError();
    }
    template <class K, class V, class N, class C> static cudaError_t pairs(void* s, size_t& b, const K* in, K* out, const V* values, V* valuesOut, N n, C before)
    {
        if (askedForSize(s, b))
            return cudaSuccess;
        if (in != out)
            thrust::copy(thrust::device, in, in + n, out);
        if (values != valuesOut)
            thrust::copy(thrust::device, values, values + n, valuesOut);
        thrust::stable_sort_by_key(thrust::device, out, out + n, valuesOut, before);
        return cudaPeekAtLastError();
    }
};

struct DeviceSelect {
    template <class I, class O, class C, class N, class P> static cudaError_t If(void* s, size_t& b, I in, O out, C count, N n, P p, cudaStream_t = 0) { return askedForSize(s, b) ? cudaSuccess : counted(count, thrust::copy_if(thrust::device, in, in + n, out, p) - out); }
    template <class I, class F, class O, class C, class N> static cudaError_t Flagged(void* s, size_t& b, I in, F flags, O out, C count, N n, cudaStream_t = 0) { return askedForSize(s, b) ? cudaSuccess : counted(count, thrust::copy_if(thrust::device, in, in + n, flags, out, thrust::identity<>()) - out); }
    template <class I, class O, class C, class N> static cudaError_t Unique(void* s, size_t& b, I in, O out, C count, N n, cudaStream_t = 0) { return askedForSize(s, b) ? cudaSuccess : counted(count, thrust::unique_copy(thrust::device, in, in + n, out) - out); }
private:
    template <class C> static cudaError_t counted(C count, std::ptrdiff_t n) { thrust::fill(thrust::device, count, count + 1, n); return cudaPeekAtLastError(); }
};
// clang-format on

}  // namespace cub

#include "restore_macros.h"
