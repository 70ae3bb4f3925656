// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's sorts of what the threads of a block or warp hold, and the order of keys by some of their bits. Part of the
// headers in cub/. Each element counts how many come before it: that is where it goes.
#pragma once

#include "cub_groups.h"

#include "hide_macros.h"

#define LS_CUB __device__ __attribute__((always_inline, nodebug))

namespace cub {

// clang-format off
template <unsigned long Size> struct BitsOfSize;
template <> struct BitsOfSize<1> { using type = unsigned char; };
template <> struct BitsOfSize<2> { using type = unsigned short; };
template <> struct BitsOfSize<4> { using type = unsigned int; };
template <> struct BitsOfSize<8> { using type = unsigned long long; };

/// Bits begin to end - 1 of keys, as a number whose order is the keys': the highest bit of a signed integer is flipped,
/// of a negative float all are.
template <class K, bool Descending> struct BitOrder {
    using Bits = typename BitsOfSize<sizeof(K)>::type;
    int begin, end;
    static LS_INLINE Bits ordered(const K& key)
    {
        const Bits bits = __builtin_bit_cast(Bits, key), sign = (Bits)((Bits)1 << (8 * sizeof(K) - 1));
        if constexpr (std::is_unsigned<K>::value)
            return bits;
        else if constexpr (std::is_integral<K>::value)
            return bits ^ sign;
        else
            return bits == sign ? sign : (Bits)(bits & sign ? ~bits : bits ^ sign);  // both zeros are one
    }
    LS_INLINE Bits part(const K& key) const
    {
        const Bits shifted = (Bits)(ordered(key) >> begin);
        return end - begin >= (int)(8 * sizeof(K)) ? shifted : (Bits)(shifted & (((Bits)1 << (end - begin)) - 1));
    }
    LS_INLINE bool operator()(const K& a, const K& b) const { return Descending ? part(b) < part(a) : part(a) < part(b); }
};

/// The N elements of each of the Threads in the order of \p before, stable. Thread t gets those from t N on.
template <class Who, int Threads, class K, int N, class V> struct Sorter {
    static constexpr int kAll = Threads * N;
    struct TempStorage { Room<K, kAll> keys, sorted; Room<V, kAll> values; };
    template <class C> static LS_CUB void sort(TempStorage& room, K (&keys)[N], V (&values)[N], C before)
    {
        const int first = Who::rank() * N;
        for (int i = 0; i < N; ++i)
            room.keys.at()[first + i] = keys[i];
        Who::wait();
        for (int i = 0; i < N; ++i) {
            int rank = 0;
            for (int j = 0; j < kAll; ++j)
                rank += j < first + i ? !before(keys[i], room.keys.at()[j]) : before(room.keys.at()[j], keys[i]);
            room.sorted.at()[rank] = keys[i];
            room.values.at()[rank] = values[i];
        }
        Who::wait();
        for (int i = 0; i < N; ++i) {
            keys[i] = room.sorted.at()[first + i];
            values[i] = room.values.at()[first + i];
        }
        Who::wait();
    }
};

template <class K, int X, int N, class V = NullType, int = 4, bool = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS> class BlockRadixSort {
    using S = Sorter<BlockOf, X, K, N, V>;
    static constexpr int kBits = 8 * sizeof(K);
public:
    using TempStorage = typename S::TempStorage;
    LS_CUB BlockRadixSort() : m_room(ownStorage<TempStorage>()) {}
    LS_CUB explicit BlockRadixSort(TempStorage& room) : m_room(room) {}
    LS_CUB void Sort(K (&keys)[N], int begin = 0, int end = kBits) { V none[N]; Sort(keys, none, begin, end); }
    LS_CUB void Sort(K (&keys)[N], V (&values)[N], int begin = 0, int end = kBits) { S::sort(m_room, keys, values, BitOrder<K, false>{begin, end}); }
    LS_CUB void SortDescending(K (&keys)[N], int begin = 0, int end = kBits) { V none[N]; SortDescending(keys, none, begin, end); }
    LS_CUB void SortDescending(K (&keys)[N], V (&values)[N], int begin = 0, int end = kBits) { S::sort(m_room, keys, values, BitOrder<K, true>{begin, end}); }
    LS_CUB void SortBlockedToStriped(K (&keys)[N], int begin = 0, int end = kBits) { V none[N]; SortBlockedToStriped(keys, none, begin, end); }
    LS_CUB void SortBlockedToStriped(K (&keys)[N], V (&values)[N], int begin = 0, int end = kBits) { Sort(keys, values, begin, end); stripe(keys, values); }
    LS_CUB void SortDescendingBlockedToStriped(K (&keys)[N], int begin = 0, int end = kBits) { V none[N]; SortDescendingBlockedToStriped(keys, none, begin, end); }
    LS_CUB void SortDescendingBlockedToStriped(K (&keys)[N], V (&values)[N], int begin = 0, int end = kBits) { SortDescending(keys, values, begin, end); stripe(keys, values); }
private:
    /// Element i of thread t is then that of place i X + t.
    LS_CUB void stripe(K (&keys)[N], V (&values)[N])
    {
        for (int i = 0; i < N; ++i) {
            keys[i] = m_room.sorted.at()[i * X + BlockOf::rank()];
            values[i] = m_room.values.at()[i * X + BlockOf::rank()];
        }
        __syncthreads();
    }
    TempStorage& m_room;
};

template <class Who, int Threads, class K, int N, class V> class MergeSort {
    using S = Sorter<Who, Threads, K, N, V>;
public:
    using TempStorage = typename S::TempStorage;
    LS_CUB MergeSort() : m_room(ownStorage<TempStorage>()) {}
    LS_CUB explicit MergeSort(TempStorage& room) : m_room(room) {}
    template <class C> LS_CUB void Sort(K (&keys)[N], C before) { V none[N]; Sort(keys, none, before); }
    template <class C> LS_CUB void Sort(K (&keys)[N], V (&values)[N], C before) { S::sort(m_room, keys, values, before); }
    template <class C> LS_CUB void Sort(K (&keys)[N], C before, int valid, K last) { V none[N]; Sort(keys, none, before, valid, last); }
    /// Of the first \p valid; \p last, which nothing comes after, stands for the others.
    template <class C> LS_CUB void Sort(K (&keys)[N], V (&values)[N], C before, int valid, K last)
    {
        for (int i = 0; i < N; ++i)
            if (Who::rank() * N + i >= valid)
                keys[i] = last;
        Sort(keys, values, before);
    }
    template <class... A> LS_CUB void StableSort(K (&keys)[N], A&&... rest) { Sort(keys, rest...); }
private:
    TempStorage& m_room;
};
template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1> class BlockMergeSort : public MergeSort<BlockOf, X * Y * Z, K, N, V> { using MergeSort<BlockOf, X * Y * Z, K, N, V>::MergeSort; };
template <class K, int N, int Width = 32, class V = NullType, int = 0> class WarpMergeSort : public MergeSort<LanesOf<Width>, Width, K, N, V> { using MergeSort<LanesOf<Width>, Width, K, N, V>::MergeSort; };
// clang-format on

}  // namespace cub

#undef LS_CUB

#include "restore_macros.h"
