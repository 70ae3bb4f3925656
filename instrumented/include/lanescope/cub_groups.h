// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's collectives of blocks and warps. Part of the headers in cub/. Results are CUB's; the ways to them are the plain
// ones: through an array of shared memory, one element per thread.
#pragma once

#include <type_traits>

#include "../cub/version.cuh"
#include "../cuda_bf16.h"
#include "../cuda_fp16.h"
#include "thrust_iterators.h"

#include "hide_macros.h"

#define LS_CUB __device__ __attribute__((always_inline, nodebug))

namespace cub {

// clang-format off
struct NullType {};

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

/// What sorts of keys want to know of a type: its bits as an unsigned number, and one that is ordered as the values are.
template <class T> struct Traits {
    static constexpr bool kIsFloat = std::is_floating_point_v<T> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
    static constexpr Category CATEGORY = kIsFloat ? FLOATING_POINT
                                         : !std::is_integral_v<T> ? NOT_A_NUMBER
                                         : std::is_signed_v<T> ? SIGNED_INTEGER : UNSIGNED_INTEGER;
    static constexpr bool PRIMITIVE = CATEGORY != NOT_A_NUMBER;
    static constexpr bool NULL_TYPE = std::is_same_v<T, NullType>;
    using UnsignedBits = std::conditional_t<sizeof(T) == 1, unsigned char,
        std::conditional_t<sizeof(T) == 2, unsigned short, std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>>>;
    static constexpr UnsignedBits HIGH_BIT = UnsignedBits(UnsignedBits(1) << (8 * sizeof(UnsignedBits) - 1));
    static LS_INLINE UnsignedBits TwiddleIn(UnsignedBits key)
    {
        if (CATEGORY == FLOATING_POINT)
            return UnsignedBits(key ^ (key & HIGH_BIT ? UnsignedBits(-1) : HIGH_BIT));
        return UnsignedBits(CATEGORY == SIGNED_INTEGER ? key ^ HIGH_BIT : key);
    }
    static LS_INLINE UnsignedBits TwiddleOut(UnsignedBits key)
    {
        if (CATEGORY == FLOATING_POINT)
            return UnsignedBits(key ^ (key & HIGH_BIT ? HIGH_BIT : UnsignedBits(-1)));
        return UnsignedBits(CATEGORY == SIGNED_INTEGER ? key ^ HIGH_BIT : key);
    }
};
template <class T> using NumericTraits = Traits<T>;
struct Sum { template <class A, class B> LS_INLINE auto operator()(const A& a, const B& b) const { return a + b; } };
struct Max { template <class A, class B> LS_INLINE auto operator()(const A& a, const B& b) const { return a < b ? b : a; } };
struct Min { template <class A, class B> LS_INLINE auto operator()(const A& a, const B& b) const { return b < a ? b : a; } };
struct Equality { template <class A, class B> LS_INLINE bool operator()(const A& a, const B& b) const { return a == b; } };
template <class K, class V> struct KeyValuePair { K key; V value; };
struct ArgMax { template <class P> LS_INLINE P operator()(const P& a, const P& b) const { return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a; } };
struct ArgMin { template <class P> LS_INLINE P operator()(const P& a, const P& b) const { return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a; } };

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };

LS_CUB inline unsigned LaneId() { return __nvvm_read_ptx_sreg_laneid(); }
LS_CUB inline int RowMajorTid(int, int, int) { return (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x); }

/// Uninitialised shared memory for \p count elements. Storage that a program does not hand over is the block's own.
template <class T, int count> struct Room {
    __align__(16) char bytes[count * sizeof(T)];
    LS_CUB T* at() { return reinterpret_cast<T*>(bytes); }
};
template <class Storage> LS_CUB Storage& ownStorage() { __shared__ Storage storage; return storage; }

/// How threads of a block and lanes of a (part of a) warp wait for one another, and which of how many one is.
struct BlockOf {
    static LS_CUB void wait() { __syncthreads(); }
    static LS_CUB int rank() { return RowMajorTid(0, 0, 0); }
};
template <int Width> struct LanesOf {
    static LS_CUB void wait() { __syncwarp(__activemask()); }
    static LS_CUB int rank() { return (int)LaneId() % Width; }
};

/// Every thread leaves its value; the first folds the first \p valid of them, in order.
template <class Who, int Threads, class T> struct Folder {
    using TempStorage = Room<T, Threads>;
    template <class Op> static LS_CUB T fold(TempStorage& room, const T& value, Op op, int valid)
    {
        T* parts = room.at();
        parts[Who::rank()] = value;
        Who::wait();
        T sum = value;
        for (int width = 1; width < Threads; width *= 2) {
            const int me = Who::rank(), other = me + width;
            T mine = parts[me];
            if (me % (2 * width) == 0 && other < Threads && other < valid)
                mine = op(mine, parts[other]);
            Who::wait();
            parts[me] = mine;
            Who::wait();
            sum = mine;
        }
        return sum;
    }
    /// Of all up to this thread; \p before: of all before it (of the first: undefined).
    template <class Op> static LS_CUB T scan(TempStorage& room, const T& value, Op op, T& before, T& all)
    {
        T* parts = room.at();
        const int me = Who::rank();
        T mine = value;
        parts[me] = mine;
        Who::wait();
        for (int width = 1; width < Threads; width *= 2) {
            if (me >= width)
                mine = op(parts[me - width], mine);
            Who::wait();
            parts[me] = mine;
            Who::wait();
        }
        before = parts[me > 0 ? me - 1 : 0];
        all = parts[Threads - 1];
        return mine;
    }
};

template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0> class BlockReduce {
    using F = Folder<BlockOf, X * Y * Z, T>;
public:
    using TempStorage = typename F::TempStorage;
    LS_CUB BlockReduce() : m_room(ownStorage<TempStorage>()) {}
    LS_CUB explicit BlockReduce(TempStorage& room) : m_room(room) {}
    template <class Op> LS_CUB T Reduce(T value, Op op) { return F::fold(m_room, value, op, X * Y * Z); }
    template <class Op> LS_CUB T Reduce(T value, Op op, int valid) { return F::fold(m_room, value, op, valid); }
    template <int N, class Op> LS_CUB T Reduce(T (&values)[N], Op op)
    {
        T own = values[0];
        for (int i = 1; i < N; ++i)
            own = op(own, values[i]);
        return Reduce(own, op);
    }
    LS_CUB T Sum(T value) { return Reduce(value, cub::Sum()); }
    LS_CUB T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
    template <int N> LS_CUB T Sum(T (&values)[N]) { return Reduce(values, cub::Sum()); }
private:
    TempStorage& m_room;
};

/// What scans of blocks and warps share.
template <class Who, int Threads, class T> class Scanner {
    using F = Folder<Who, Threads, T>;
public:
    using TempStorage = typename F::TempStorage;
    LS_CUB explicit Scanner(TempStorage& room) : m_room(room) {}
    template <class Op> LS_CUB void InclusiveScan(T in, T& out, Op op) { T all; InclusiveScan(in, out, op, all); }
    template <class Op> LS_CUB void InclusiveScan(T in, T& out, Op op, T& all) { T before; out = F::scan(m_room, in, op, before, all); }
    template <class Op> LS_CUB void ExclusiveScan(T in, T& out, T init, Op op) { T all; ExclusiveScan(in, out, init, op, all); }
    template <class Op> LS_CUB void ExclusiveScan(T in, T& out, T init, Op op, T& all)
    {
        T before;
        F::scan(m_room, in, op, before, all);
        out = Who::rank() == 0 ? init : T(op(init, before));
    }
    template <class Op> LS_CUB void ExclusiveScan(T in, T& out, Op op) { T all; T before; F::scan(m_room, in, op, before, all); out = before; }
    LS_CUB void InclusiveSum(T in, T& out) { InclusiveScan(in, out, Sum()); }
    LS_CUB void InclusiveSum(T in, T& out, T& all) { InclusiveScan(in, out, Sum(), all); }
    LS_CUB void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(0), Sum()); }
    LS_CUB void ExclusiveSum(T in, T& out, T& all) { ExclusiveScan(in, out, T(0), Sum(), all); }
    template <int N, class Op> LS_CUB void InclusiveScan(T (&in)[N], T (&out)[N], Op op) { T all; InclusiveScan(in, out, op, all); }
    template <int N, class Op> LS_CUB void InclusiveScan(T (&in)[N], T (&out)[N], Op op, T& all)
    {
        T own = in[0], before;
        for (int i = 1; i < N; ++i)
            own = op(own, in[i]);
        F::scan(m_room, own, op, before, all);
        bool any = Who::rank() > 0;
        for (int i = 0; i < N; ++i) {
            before = any ? T(op(before, in[i])) : in[i];
            out[i] = before;
            any = true;
        }
    }
    template <int N, class Op> LS_CUB void ExclusiveScan(T (&in)[N], T (&out)[N], T init, Op op) { T all; ExclusiveScan(in, out, init, op, all); }
    template <int N, class Op> LS_CUB void ExclusiveScan(T (&in)[N], T (&out)[N], T init, Op op, T& all)
    {
        T own = in[0], before;
        for (int i = 1; i < N; ++i)
            own = op(own, in[i]);
        F::scan(m_room, own, op, before, all);
        before = Who::rank() > 0 ? T(op(init, before)) : init;
        for (int i = 0; i < N; ++i) {
            const T value = in[i];
            out[i] = before;
            before = op(before, value);
        }
    }
    template <int N> LS_CUB void InclusiveSum(T (&in)[N], T (&out)[N]) { InclusiveScan(in, out, Sum()); }
    template <int N> LS_CUB void InclusiveSum(T (&in)[N], T (&out)[N], T& all) { InclusiveScan(in, out, Sum(), all); }
    template <int N> LS_CUB void ExclusiveSum(T (&in)[N], T (&out)[N]) { ExclusiveScan(in, out, T(0), Sum()); }
    template <int N> LS_CUB void ExclusiveSum(T (&in)[N], T (&out)[N], T& all) { ExclusiveScan(in, out, T(0), Sum(), all); }
private:
    TempStorage& m_room;
};

template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0> class BlockScan : public Scanner<BlockOf, X * Y * Z, T> {
    using Base = Scanner<BlockOf, X * Y * Z, T>;
public:
    using Base::Base;
    using TempStorage = typename Base::TempStorage;
    LS_CUB BlockScan() : Base(ownStorage<TempStorage>()) {}
};
template <class T, int Width = 32, int = 0> class WarpScan : public Scanner<LanesOf<Width>, Width, T> {
    using Scanner<LanesOf<Width>, Width, T>::Scanner;
};
template <class T, int Width = 32, int = 0> class WarpReduce {
    using F = Folder<LanesOf<Width>, Width, T>;
public:
    using TempStorage = typename F::TempStorage;
    LS_CUB explicit WarpReduce(TempStorage& room) : m_room(room) {}
    template <class Op> LS_CUB T Reduce(T value, Op op) { return F::fold(m_room, value, op, Width); }
    template <class Op> LS_CUB T Reduce(T value, Op op, int valid) { return F::fold(m_room, value, op, valid); }
    LS_CUB T Sum(T value) { return Reduce(value, cub::Sum()); }
    LS_CUB T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
private:
    TempStorage& m_room;
};

/// Thread t has elements t N to t N + N - 1, or (striped) t, t + threads, …
template <class T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0> class BlockLoad {
public:
    struct TempStorage {};
    LS_CUB BlockLoad() {}
    LS_CUB explicit BlockLoad(TempStorage&) {}
    template <class I> LS_CUB void Load(I from, T (&items)[N]) { Load(from, items, X * Y * Z * N); }
    template <class I> LS_CUB void Load(I from, T (&items)[N], int valid)
    {
        for (int i = 0; i < N; ++i)
            if (index(i) < valid)
                items[i] = from[index(i)];
    }
    template <class I, class D> LS_CUB void Load(I from, T (&items)[N], int valid, D otherwise)
    {
        for (int i = 0; i < N; ++i)
            items[i] = otherwise;
        Load(from, items, valid);
    }
private:
    static LS_CUB int index(int i) { return A == BLOCK_LOAD_STRIPED ? BlockOf::rank() + i * X * Y * Z : BlockOf::rank() * N + i; }
};
template <class T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0> class BlockStore {
public:
    struct TempStorage {};
    LS_CUB BlockStore() {}
    LS_CUB explicit BlockStore(TempStorage&) {}
    template <class O> LS_CUB void Store(O to, T (&items)[N]) { Store(to, items, X * Y * Z * N); }
    template <class O> LS_CUB void Store(O to, T (&items)[N], int valid)
    {
        for (int i = 0; i < N; ++i)
            if (index(i) < valid)
                to[index(i)] = items[i];
    }
private:
    static LS_CUB int index(int i) { return A == BLOCK_STORE_STRIPED ? BlockOf::rank() + i * X * Y * Z : BlockOf::rank() * N + i; }
};

// clang-format on

}  // namespace cub

#undef LS_CUB

#include "restore_macros.h"
