// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's collectives in which threads hand elements to their neighbours. Part of the headers in cub/.
#pragma once

#include "cub_groups.h"

#include "hide_macros.h"

#define LS_CUB __device__ __attribute__((always_inline, nodebug))

namespace cub {

// clang-format off
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockAdjacentDifference {
    static constexpr int kThreads = X * Y * Z;
public:
    struct TempStorage { Room<T, kThreads> first, last; };
    LS_CUB BlockAdjacentDifference() : m_room(ownStorage<TempStorage>()) {}
    LS_CUB explicit BlockAdjacentDifference(TempStorage& room) : m_room(room) {}
    template <int N, class O, class Op> LS_CUB void SubtractLeft(T (&in)[N], O (&out)[N], Op op) { left(in, out, op, kThreads * N, false, in[0]); }
    template <int N, class O, class Op> LS_CUB void SubtractLeft(T (&in)[N], O (&out)[N], Op op, T before) { left(in, out, op, kThreads * N, true, before); }
    template <int N, class O, class Op> LS_CUB void SubtractLeftPartialTile(T (&in)[N], O (&out)[N], Op op, int valid) { left(in, out, op, valid, false, in[0]); }
    template <int N, class O, class Op> LS_CUB void SubtractLeftPartialTile(T (&in)[N], O (&out)[N], Op op, int valid, T before) { left(in, out, op, valid, true, before); }
    template <int N, class O, class Op> LS_CUB void SubtractRight(T (&in)[N], O (&out)[N], Op op) { right(in, out, op, kThreads * N, false, in[0]); }
    template <int N, class O, class Op> LS_CUB void SubtractRight(T (&in)[N], O (&out)[N], Op op, T after) { right(in, out, op, kThreads * N, true, after); }
    template <int N, class O, class Op> LS_CUB void SubtractRightPartialTile(T (&in)[N], O (&out)[N], Op op, int valid) { right(in, out, op, valid, false, in[0]); }
private:
    template <int N> LS_CUB void leave(const T (&in)[N])
    {
        m_room.first.at()[BlockOf::rank()] = in[0];
        m_room.last.at()[BlockOf::rank()] = in[N - 1];
        __syncthreads();
    }
    template <int N, class O, class Op> LS_CUB void left(T (&in)[N], O (&out)[N], Op op, int valid, bool hasBefore, T before)
    {
        leave(in);
        const int me = BlockOf::rank();
        T previous = me > 0 ? m_room.last.at()[me - 1] : before;
        for (int i = 0; i < N; ++i) {
            T own = in[i];
            out[i] = me * N + i >= valid || (me + i == 0 && !hasBefore) ? O(own) : O(op(own, previous));
            previous = own;
        }
    }
    template <int N, class O, class Op> LS_CUB void right(T (&in)[N], O (&out)[N], Op op, int valid, bool hasAfter, T after)
    {
        leave(in);
        const int me = BlockOf::rank();
        T next = me < kThreads - 1 ? m_room.first.at()[me + 1] : after;
        for (int i = N - 1; i >= 0; --i) {
            T own = in[i];
            const int index = me * N + i;
            out[i] = index >= valid || (index == valid - 1 && !(hasAfter && valid == kThreads * N)) ? O(own) : O(op(own, next));
            next = own;
        }
    }
    TempStorage& m_room;
};

/// Operators of flags may ask for the index of the right element, too.
template <class Op, class T> LS_CUB auto differs(Op op, const T& a, const T& b, int index) -> decltype(bool(op(a, b, index))) { return op(a, b, index); }
template <class Op, class T> LS_CUB auto differs(Op op, const T& a, const T& b, long) -> decltype(bool(op(a, b))) { return op(a, b); }

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockDiscontinuity {
    static constexpr int kThreads = X * Y * Z;
public:
    struct TempStorage { Room<T, kThreads> first, last; };
    LS_CUB BlockDiscontinuity() : m_room(ownStorage<TempStorage>()) {}
    LS_CUB explicit BlockDiscontinuity(TempStorage& room) : m_room(room) {}
    template <int N, class F, class Op> LS_CUB void FlagHeads(F (&heads)[N], T (&in)[N], Op op) { leave(in); flagHeads(heads, in, op, false, in[0]); }
    template <int N, class F, class Op> LS_CUB void FlagHeads(F (&heads)[N], T (&in)[N], Op op, T before) { leave(in); flagHeads(heads, in, op, true, before); }
    template <int N, class F, class Op> LS_CUB void FlagTails(F (&tails)[N], T (&in)[N], Op op) { leave(in); flagTails(tails, in, op, false, in[0]); }
    template <int N, class F, class Op> LS_CUB void FlagTails(F (&tails)[N], T (&in)[N], Op op, T after) { leave(in); flagTails(tails, in, op, true, after); }
    template <int N, class F, class Op> LS_CUB void FlagHeadsAndTails(F (&heads)[N], F (&tails)[N], T (&in)[N], Op op) { leave(in); flagHeads(heads, in, op, false, in[0]); flagTails(tails, in, op, false, in[0]); }
private:
    template <int N> LS_CUB void leave(const T (&in)[N])
    {
        m_room.first.at()[BlockOf::rank()] = in[0];
        m_room.last.at()[BlockOf::rank()] = in[N - 1];
        __syncthreads();
    }
    template <int N, class F, class Op> LS_CUB void flagHeads(F (&heads)[N], T (&in)[N], Op op, bool hasBefore, T before)
    {
        const int me = BlockOf::rank();
        for (int i = 0; i < N; ++i) {
            const T previous = i > 0 ? in[i - 1] : me > 0 ? m_room.last.at()[me - 1] : before;
            heads[i] = me + i == 0 && !hasBefore ? true : differs(op, previous, in[i], me * N + i);
        }
    }
    template <int N, class F, class Op> LS_CUB void flagTails(F (&tails)[N], T (&in)[N], Op op, bool hasAfter, T after)
    {
        const int me = BlockOf::rank();
        for (int i = 0; i < N; ++i) {
            const bool isLast = me == kThreads - 1 && i == N - 1;
            const T next = i < N - 1 ? in[i + 1] : me < kThreads - 1 ? m_room.first.at()[me + 1] : after;
            tails[i] = isLast && !hasAfter ? true : differs(op, in[i], next, me * N + i + 1);
        }
    }
    TempStorage& m_room;
};

/// What exchanges of blocks and warps share: blocked (thread t has t N to t N + N - 1) to striped (t, t + threads, …).
template <class Who, int Threads, class T, int N> class Exchanger {
public:
    using TempStorage = Room<T, Threads * N>;
    LS_CUB explicit Exchanger(TempStorage& room) : m_room(room) {}
    template <class O> LS_CUB void BlockedToStriped(const T (&in)[N], O (&out)[N]) { put(in, [](int i) { return Who::rank() * N + i; }); get(out, [](int i) { return i * Threads + Who::rank(); }); }
    template <class O> LS_CUB void StripedToBlocked(const T (&in)[N], O (&out)[N]) { put(in, [](int i) { return i * Threads + Who::rank(); }); get(out, [](int i) { return Who::rank() * N + i; }); }
    template <class O, class R> LS_CUB void ScatterToBlocked(const T (&in)[N], O (&out)[N], R (&ranks)[N]) { put(in, [&](int i) { return (int)ranks[i]; }); get(out, [](int i) { return Who::rank() * N + i; }); }
    template <class O, class R> LS_CUB void ScatterToStriped(const T (&in)[N], O (&out)[N], R (&ranks)[N]) { put(in, [&](int i) { return (int)ranks[i]; }); get(out, [](int i) { return i * Threads + Who::rank(); }); }
    LS_CUB void BlockedToStriped(T (&items)[N]) { BlockedToStriped(items, items); }
    LS_CUB void StripedToBlocked(T (&items)[N]) { StripedToBlocked(items, items); }
    template <class R> LS_CUB void ScatterToBlocked(T (&items)[N], R (&ranks)[N]) { ScatterToBlocked(items, items, ranks); }
    template <class R> LS_CUB void ScatterToStriped(T (&items)[N], R (&ranks)[N]) { ScatterToStriped(items, items, ranks); }
private:
    template <class Place> LS_CUB void put(const T (&in)[N], Place place)
    {
        for (int i = 0; i < N; ++i)
            m_room.at()[place(i)] = in[i];
        Who::wait();
    }
    template <class O, class Place> LS_CUB void get(O (&out)[N], Place place)
    {
        for (int i = 0; i < N; ++i)
            out[i] = m_room.at()[place(i)];
    }
    TempStorage& m_room;
};
template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int = 0> class BlockExchange : public Exchanger<BlockOf, X * Y * Z, T, N> {
    using Base = Exchanger<BlockOf, X * Y * Z, T, N>;
public:
    using Base::Base;
    using TempStorage = typename Base::TempStorage;
    LS_CUB BlockExchange() : Base(ownStorage<TempStorage>()) {}
};
template <class T, int N, int Width = 32, int = 0> class WarpExchange : public Exchanger<LanesOf<Width>, Width, T, N> {
    using Exchanger<LanesOf<Width>, Width, T, N>::Exchanger;
};

template <class T, int X, int N, int Bins, BlockHistogramAlgorithm A = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int = 0> class BlockHistogram {
public:
    struct TempStorage {};
    LS_CUB BlockHistogram() {}
    LS_CUB explicit BlockHistogram(TempStorage&) {}
    template <class C> LS_CUB void InitHistogram(C (&bins)[Bins])
    {
        for (int bin = BlockOf::rank(); bin < Bins; bin += X * Y * Z)
            bins[bin] = 0;
    }
    template <class C> LS_CUB void Histogram(T (&items)[N], C (&bins)[Bins])
    {
        InitHistogram(bins);
        __syncthreads();
        Composite(items, bins);
    }
    template <class C> LS_CUB void Composite(T (&items)[N], C (&bins)[Bins])
    {
        for (int i = 0; i < N; ++i)
            atomicAdd(&bins[items[i]], C(1));
    }
};
// clang-format on

}  // namespace cub

#undef LS_CUB

#include "restore_macros.h"
