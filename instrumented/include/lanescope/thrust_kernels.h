// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Thrust's algorithms are made of, on the device as kernels and on the host as loops. Part of the headers in
// thrust/. \p M: std::true_type on the device.
#pragma once

#include <algorithm>

#include "thrust_vectors.h"

#include "hide_macros.h"

namespace thrust {
namespace parts {

// In a kernel a thread runs the host's loops by itself (thrust::seq). Launches are the host's: kernels never have a
// true M.
#pragma clang force_cuda_host_device begin

#define LS_BOTH __host__ __device__
#define LS_KERNEL static __global__ __attribute__((nodebug))

constexpr unsigned kThreads = 256;

template <class F>
LS_KERNEL void eachKernel(std::size_t n, F f)
{
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}

/// f(i) for every i < n, in any order.
template <class M, class F>
void each(M, std::size_t n, F f)
{
    if constexpr (M::value) {
        if (n > 0)
            eachKernel<<<(unsigned)((n + kThreads - 1) / kThreads), kThreads>>>(n, f);
    } else
        for (std::size_t i = 0; i < n; ++i)
            f(i);
}

/// Device memory for n elements; freed at the end of the scope. On the host: of the host.
template <class M, class T>
class Scratch {
public:
    explicit Scratch(std::size_t n)
    {
        if constexpr (M::value)
            m_data = device_malloc<T>(n > 0 ? n : 1).get();
        else
            m_data = static_cast<T*>(::operator new((n > 0 ? n : 1) * sizeof(T)));
    }
    ~Scratch()
    {
        if constexpr (M::value)
            (void)cudaFree((void*)m_data);
        else
            ::operator delete(m_data);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    T* data() const { return m_data; }
    T at(std::size_t i) const
    {
        if constexpr (M::value)
            return device_reference<T>(m_data + i);
        else
            return m_data[i];
    }

private:
    T* m_data;
};

/// Where thread \p t's share of n elements begins; shares are runs, so that operations need not commute.
LS_BOTH inline std::size_t shareBegin(std::size_t n, unsigned t)
{
    const std::size_t share = (n + kThreads - 1) / kThreads;
    return share * t < n ? share * t : n;
}

/// load(begin) op … op load(end - 1), of which there is one at least.
template <class T, class Load, class Op>
__device__ __attribute__((nodebug)) T foldShare(std::size_t begin, std::size_t end, Load& load, Op& op)
{
    T all = load(begin);
    for (std::size_t i = begin + 1; i < end; ++i)
        all = op(all, load(i));
    return all;
}

/// One block. *result = init op load(0) op load(1) …
template <class T, class Load, class Op>
LS_KERNEL void foldKernel(std::size_t n, Load load, T init, Op op, T* result)
{
    __shared__ __align__(16) char room[kThreads * sizeof(T)];
    T* parts = reinterpret_cast<T*>(room);
    const std::size_t begin = shareBegin(n, threadIdx.x), end = shareBegin(n, threadIdx.x + 1);
    if (begin < end)
        parts[threadIdx.x] = foldShare<T>(begin, end, load, op);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    T all = init;
    for (unsigned t = 0; t < kThreads && shareBegin(n, t) < shareBegin(n, t + 1); ++t)
        all = op(all, parts[t]);
    *result = all;
}

template <class M, class T, class Load, class Op>
T fold(M m, std::size_t n, Load load, T init, Op op)
{
    if constexpr (M::value) {
        Scratch<M, T> result(1);
        foldKernel<<<1, kThreads>>>(n, load, init, op, result.data());
        return result.at(0);
    } else {
        (void)m;
        for (std::size_t i = 0; i < n; ++i)
            init = op(init, load(i));
        return init;
    }
}

/// One block. store(i, load(0) op … op load(i)), or without the last (exclusive), which begins with init.
template <bool Exclusive, class T, class Load, class Store, class Op>
LS_KERNEL void scanKernel(std::size_t n, Load load, Store store, T init, Op op)
{
    __shared__ __align__(16) char room[kThreads * sizeof(T)];
    T* parts = reinterpret_cast<T*>(room);
    const std::size_t begin = shareBegin(n, threadIdx.x), end = shareBegin(n, threadIdx.x + 1);
    if (begin < end)
        parts[threadIdx.x] = foldShare<T>(begin, end, load, op);
    __syncthreads();
    if (begin >= end)
        return;
    bool any = Exclusive;
    T before = init;
    for (unsigned t = 0; t < threadIdx.x; ++t) {
        before = any ? T(op(before, parts[t])) : parts[t];
        any = true;
    }
    for (std::size_t i = begin; i < end; ++i) {
        const T value = load(i);
        const T with = any ? T(op(before, value)) : value;
        store(i, Exclusive ? before : with);
        before = with;
        any = true;
    }
}

template <bool Exclusive, class M, class T, class Load, class Store, class Op>
void scan(M, std::size_t n, Load load, Store store, T init, Op op)
{
    if constexpr (M::value) {
        if (n > 0)
            scanKernel<Exclusive><<<1, kThreads>>>(n, load, store, init, op);
    } else {
        T before = init;
        for (std::size_t i = 0; i < n; ++i) {
            const T value = load(i);
            const T with = Exclusive || i > 0 ? T(op(before, value)) : value;
            store(i, Exclusive ? before : with);
            before = with;
        }
    }
}

/// Whether \p C only asks which of two numbers is less (greater): then the host may sort them.
template <class C, class T>
struct IsPlainOrder : std::false_type {};
#define LS_PLAIN(order)                                                                                                \
    template <class T>                                                                                                 \
    struct IsPlainOrder<order<T>, T> : std::is_arithmetic<T> {};                                                       \
    template <class T>                                                                                                 \
    struct IsPlainOrder<order<void>, T> : std::is_arithmetic<T> {};
LS_PLAIN(thrust::less)
LS_PLAIN(thrust::greater)
LS_PLAIN(std::less)
LS_PLAIN(std::greater)
#undef LS_PLAIN

/// Sorted runs of \p width become runs twice as long: each element goes where its rank in both says.
template <class M, class T, class C>
void mergeRuns(M m, std::size_t n, std::size_t width, const T* from, T* to, C before)
{
    each(m, n, [=] LS_BOTH(std::size_t i) mutable {
        const std::size_t run = i / width, first = run / 2 * 2 * width;
        const bool left = run % 2 == 0;
        std::size_t low = left ? first + width : first, high = left ? first + 2 * width : first + width;
        low = low < n ? low : n;
        high = high < n ? high : n;
        const std::size_t begin = low;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            const bool comesFirst = left ? before(from[middle], from[i]) : !before(from[i], from[middle]);
            if (comesFirst)
                low = middle + 1;
            else
                high = middle;
        }
        to[first + (i - run * width) + (low - begin)] = from[i];
    });
}

template <class M, class T, class C>
void mergeSort(M m, T* values, std::size_t n, C before)
{
    Scratch<M, T> other(n);
    T *from = values, *to = other.data();
    for (std::size_t width = 1; width < n; width *= 2) {
        mergeRuns(m, n, width, from, to, before);
        T* const merged = to;
        to = from;
        from = merged;
    }
    if (from == values)
        return;
    if constexpr (M::value)
        (void)cudaMemcpy((void*)values, (const void*)from, n * sizeof(T), cudaMemcpyDeviceToDevice);
    else
        for (std::size_t i = 0; i < n; ++i)
            values[i] = from[i];
}

/// Stable. \p values: of the device, or of the host. \p Plain: the host may compare (and is faster).
template <bool Plain, class M, class T, class C>
void sortArray(M m, T* values, std::size_t n, C before)
{
    if constexpr (!M::value) {
#ifdef __CUDA_ARCH__
        mergeSort(m, values, n, before);
#else
        (void)m;
        std::stable_sort(values, values + n, before);
#endif
    } else if constexpr (Plain) {
        std::vector<T> copy(n);
        (void)cudaMemcpy((void*)copy.data(), (const void*)values, n * sizeof(T), cudaMemcpyDeviceToHost);
        std::stable_sort(copy.begin(), copy.end(), before);
        (void)cudaMemcpy((void*)values, (const void*)copy.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    } else {
        mergeSort(m, values, n, before);
    }
}

#pragma clang force_cuda_host_device end

}  // namespace parts
}  // namespace thrust

#include "restore_macros.h"
