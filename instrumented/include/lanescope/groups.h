// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Group types and what every group can do. Tiles and coalesced groups are sets of lanes of one warp, named by the
// mask that shuffles and votes take.
#pragma once

#include "../cuda_pipeline_primitives.h"
#include "../cuda_runtime.h"

#include "hide_macros.h"

#define LS_MEMBER inline __attribute__((device, always_inline, nodebug))

/// Waits for all threads of a cooperative launch; whoever runs the code provides it.
extern "C" __device__ __attribute__((convergent)) void __ls_grid_sync();

// clang-format off
namespace cooperative_groups {
namespace details {

LS_DEVICE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
LS_DEVICE unsigned int linearThread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
LS_DEVICE unsigned int threadsOfBlock() { return blockDim.x * blockDim.y * blockDim.z; }
LS_DEVICE unsigned long long linearBlock() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z); }
LS_DEVICE unsigned long long blocksOfGrid() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
LS_DEVICE unsigned int blockOfCluster(int axis)
{
    unsigned int x, y, z;
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
    asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(y));
    asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(z));
    return axis == 0 ? x : axis == 1 ? y : z;
}
LS_DEVICE unsigned int blocksOfCluster(int axis)
{
    unsigned int x, y, z;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(x));
    asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(y));
    asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(z));
    return axis == 0 ? x : axis == 1 ? y : z;
}
LS_DEVICE unsigned int lowMask(unsigned int count) { return count >= 32 ? 0xffffffffu : (1u << count) - 1u; }
LS_DEVICE unsigned int rankIn(unsigned int mask) { return __popc(mask & ((1u << lane()) - 1u)); }
LS_DEVICE unsigned int nthLane(unsigned int mask, unsigned int n) { return __fns(mask, 0, (int)n + 1); }

template <class T> struct Known { static constexpr bool value = false; };
#define LS_KNOWN(type) template <> struct Known<type> { static constexpr bool value = true; };
LS_KNOWN(int) LS_KNOWN(unsigned int) LS_KNOWN(long) LS_KNOWN(unsigned long) LS_KNOWN(long long)
LS_KNOWN(unsigned long long) LS_KNOWN(float) LS_KNOWN(double)
#undef LS_KNOWN

/// Any type that can be copied, word by word.
template <class T> LS_DEVICE T shuffle(unsigned int mask, const T& value, unsigned int source)
{
    if constexpr (Known<T>::value) {
        return __shfl_sync(mask, value, (int)source);
    } else {
        constexpr int kWords = (sizeof(T) + 3) / 4;
        unsigned int words[kWords] = {};
        __builtin_memcpy(words, &value, sizeof(T));
        for (int i = 0; i < kWords; ++i)
            words[i] = __shfl_sync(mask, words[i], (int)source);
        T result;
        __builtin_memcpy((void*)&result, words, sizeof(T));
        return result;
    }
}

template <class T> struct Plain { typedef T type; };
template <class T> struct Plain<T&> { typedef T type; };
template <class T> struct Plain<T&&> { typedef T type; };
template <class T> struct Plain<const T> { typedef T type; };
template <class T> struct Plain<const T&> { typedef T type; };

}  // namespace details

template <class T> struct plus { LS_MEMBER T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { LS_MEMBER T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { LS_MEMBER T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { LS_MEMBER T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { LS_MEMBER T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { LS_MEMBER T operator()(T a, T b) const { return a ^ b; } };

/// What tiles and coalesced groups have in common: lanes of one warp.
class lane_group {
public:
    LS_MEMBER void sync() const { __syncwarp(m_mask); }
    LS_MEMBER unsigned long long num_threads() const { return __popc(m_mask); }
    LS_MEMBER unsigned long long size() const { return __popc(m_mask); }
    LS_MEMBER unsigned long long thread_rank() const { return details::rankIn(m_mask); }
    LS_MEMBER unsigned long long meta_group_size() const { return m_groups; }
    LS_MEMBER unsigned long long meta_group_rank() const { return m_group; }

    template <class T> LS_MEMBER typename details::Plain<T>::type shfl(T&& v, int rank) const
    {
        return details::shuffle<typename details::Plain<T>::type>(m_mask, v, details::nthLane(m_mask, (unsigned)rank % (unsigned)size()));
    }
    template <class T> LS_MEMBER typename details::Plain<T>::type shfl_down(T&& v, unsigned int delta) const
    {
        const unsigned int rank = (unsigned)thread_rank() + delta;
        return details::shuffle<typename details::Plain<T>::type>(m_mask, v, rank < size() ? details::nthLane(m_mask, rank) : details::lane());
    }
    template <class T> LS_MEMBER typename details::Plain<T>::type shfl_up(T&& v, unsigned int delta) const
    {
        const unsigned int rank = (unsigned)thread_rank();
        return details::shuffle<typename details::Plain<T>::type>(m_mask, v, rank >= delta ? details::nthLane(m_mask, rank - delta) : details::lane());
    }
    template <class T> LS_MEMBER typename details::Plain<T>::type shfl_xor(T&& v, unsigned int lanes) const
    {
        const unsigned int rank = (unsigned)thread_rank() ^ lanes;
        return details::shuffle<typename details::Plain<T>::type>(m_mask, v, rank < size() ? details::nthLane(m_mask, rank) : details::lane());
    }
    LS_MEMBER int any(int p) const { return __ballot_sync(m_mask, p) != 0; }
    LS_MEMBER int all(int p) const { return __ballot_sync(m_mask, p) == m_mask; }
    LS_MEMBER unsigned int ballot(int p) const { return packed(__ballot_sync(m_mask, p)); }
    template <class T> LS_MEMBER unsigned int match_any(T v) const { return packed(__match_any_sync(m_mask, v)); }
    template <class T> LS_MEMBER unsigned int match_all(T v, int& p) const { return packed(__match_all_sync(m_mask, v, &p)); }

    LS_MEMBER unsigned int __ls_mask() const { return m_mask; }

protected:
    LS_MEMBER lane_group(unsigned int mask, unsigned int group, unsigned int groups) : m_mask(mask), m_group(group), m_groups(groups) {}

    /// Bit i for the lane of rank i.
    LS_MEMBER unsigned int packed(unsigned int lanes) const
    {
        const unsigned int shift = (unsigned)__builtin_ctzg(m_mask, 0);
        if (((m_mask >> shift) & ((m_mask >> shift) + 1u)) == 0)
            return lanes >> shift;
        unsigned int result = 0;
        unsigned int rank = 0;
        for (unsigned int rest = m_mask; rest; rest &= rest - 1u, ++rank)
            result |= (lanes >> __builtin_ctz(rest) & 1u) << rank;
        return result;
    }

    unsigned int m_mask;
    unsigned int m_group;
    unsigned int m_groups;
};

class coalesced_group : public lane_group {
public:
    LS_MEMBER coalesced_group(unsigned int mask, unsigned int group = 0, unsigned int groups = 1) : lane_group(mask, group, groups) {}
};

class thread_block {
public:
    static LS_MEMBER void sync() { __syncthreads(); }
    static LS_MEMBER unsigned int size() { return details::threadsOfBlock(); }
    static LS_MEMBER unsigned int num_threads() { return details::threadsOfBlock(); }
    static LS_MEMBER unsigned int thread_rank() { return details::linearThread(); }
    static LS_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static LS_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static LS_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static LS_MEMBER dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    struct arrival_token {};
    LS_MEMBER arrival_token barrier_arrive() const { return {}; }
    LS_MEMBER void barrier_wait(arrival_token&&) const { __syncthreads(); }
};

class grid_group {
public:
    LS_MEMBER void sync() const { __ls_grid_sync(); }
    LS_MEMBER bool is_valid() const { return true; }
    LS_MEMBER unsigned long long size() const { return details::blocksOfGrid() * details::threadsOfBlock(); }
    LS_MEMBER unsigned long long num_threads() const { return size(); }
    LS_MEMBER unsigned long long thread_rank() const { return details::linearBlock() * details::threadsOfBlock() + details::linearThread(); }
    LS_MEMBER unsigned long long block_rank() const { return details::linearBlock(); }
    LS_MEMBER unsigned long long num_blocks() const { return details::blocksOfGrid(); }
    LS_MEMBER dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    LS_MEMBER dim3 dim_blocks() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    LS_MEMBER dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    struct arrival_token {};
    LS_MEMBER arrival_token barrier_arrive() const { return {}; }
    LS_MEMBER void barrier_wait(arrival_token&&) const { __ls_grid_sync(); }
};

class cluster_group {
public:
    struct arrival_token {};
    static LS_MEMBER void sync() { barrier_arrive(); barrier_wait(); }
    static LS_MEMBER arrival_token barrier_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); return {}; }
    static LS_MEMBER void barrier_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
    static LS_MEMBER void barrier_wait(arrival_token&&) { barrier_wait(); }
    static LS_MEMBER dim3 block_index() { return dim3(details::blockOfCluster(0), details::blockOfCluster(1), details::blockOfCluster(2)); }
    static LS_MEMBER dim3 dim_blocks() { return dim3(details::blocksOfCluster(0), details::blocksOfCluster(1), details::blocksOfCluster(2)); }
    static LS_MEMBER unsigned int block_rank() { unsigned int rank; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)); return rank; }
    static LS_MEMBER unsigned int num_blocks() { unsigned int count; asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count)); return count; }
    static LS_MEMBER dim3 thread_index()
    {
        const dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y, block.z * blockDim.z + threadIdx.z);
    }
    static LS_MEMBER dim3 dim_threads()
    {
        const dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    static LS_MEMBER unsigned int thread_rank() { return block_rank() * details::threadsOfBlock() + details::linearThread(); }
    static LS_MEMBER unsigned int num_threads() { return num_blocks() * details::threadsOfBlock(); }
    static LS_MEMBER unsigned int size() { return num_threads(); }
    static LS_MEMBER unsigned int query_shared_rank(const void* p) { unsigned int rank; asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p)); return rank; }
    template <class T> static LS_MEMBER T* map_shared_rank(T* p, int rank) { T* mapped; asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(p), "r"(rank)); return mapped; }
};

}  // namespace cooperative_groups

#include "multi_warp_tiles.h"

namespace cooperative_groups {

template <unsigned int Size, class Parent> class thread_block_tile : public lane_group {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles of 1 to 32 threads, or of 64, 128, 256, 512");

public:
    LS_MEMBER thread_block_tile(unsigned int group, unsigned int groups)
        : lane_group(details::lowMask(Size) << (details::lane() & ~(Size - 1u)), group, groups) {}
    template <class Other>
    LS_MEMBER thread_block_tile(const thread_block_tile<Size, Other>& tile)
        : thread_block_tile((unsigned)tile.meta_group_rank(), (unsigned)tile.meta_group_size()) {}
    static LS_MEMBER constexpr unsigned long long num_threads() { return Size; }
    static LS_MEMBER constexpr unsigned long long size() { return Size; }
    LS_MEMBER unsigned long long thread_rank() const { return details::lane() & (Size - 1u); }
    template <class T> LS_MEMBER typename details::Plain<T>::type shfl(T&& v, int rank) const
    {
        return details::shuffle<typename details::Plain<T>::type>(m_mask, v, first() + ((unsigned)rank & (Size - 1u)));
    }
    template <class T> LS_MEMBER typename details::Plain<T>::type shfl_down(T&& v, unsigned int delta) const
    {
        const unsigned int rank = (unsigned)thread_rank() + delta;
        return details::shuffle<typename details::Plain<T>::type>(m_mask, v, rank < Size ? first() + rank : details::lane());
    }
    template <class T> LS_MEMBER typename details::Plain<T>::type shfl_up(T&& v, unsigned int delta) const
    {
        const unsigned int rank = (unsigned)thread_rank();
        return details::shuffle<typename details::Plain<T>::type>(m_mask, v, rank >= delta ? details::lane() - delta : details::lane());
    }
    template <class T> LS_MEMBER typename details::Plain<T>::type shfl_xor(T&& v, unsigned int lanes) const
    {
        return details::shuffle<typename details::Plain<T>::type>(m_mask, v, first() + (((unsigned)thread_rank() ^ lanes) & (Size - 1u)));
    }

private:
    LS_MEMBER unsigned int first() const { return details::lane() & ~(Size - 1u); }
};

/// Any group, as functions take it that do not care which.
class thread_group {
public:
    LS_MEMBER thread_group(const thread_block&) : m_kind(Block), m_mask(0), m_group(0), m_groups(1) {}
    LS_MEMBER thread_group(const grid_group&) : m_kind(Grid), m_mask(0), m_group(0), m_groups(1) {}
    LS_MEMBER thread_group(const lane_group& g) : m_kind(Lanes), m_mask(g.__ls_mask()), m_group((unsigned)g.meta_group_rank()), m_groups((unsigned)g.meta_group_size()) {}
    LS_MEMBER void sync() const
    {
        if (m_kind == Block)
            __syncthreads();
        else if (m_kind == Grid)
            __ls_grid_sync();
        else
            __syncwarp(m_mask);
    }
    LS_MEMBER unsigned long long size() const { return m_kind == Block ? thread_block::size() : m_kind == Grid ? grid_group().size() : __popc(m_mask); }
    LS_MEMBER unsigned long long num_threads() const { return size(); }
    LS_MEMBER unsigned long long thread_rank() const { return m_kind == Block ? thread_block::thread_rank() : m_kind == Grid ? grid_group().thread_rank() : details::rankIn(m_mask); }
    LS_MEMBER bool is_valid() const { return true; }
    template <class T> LS_MEMBER T shfl(T v, unsigned int rank) const { return lanes().shfl(v, (int)rank); }
    template <class T> LS_MEMBER T shfl_down(T v, unsigned int delta) const { return lanes().shfl_down(v, delta); }
    template <class T> LS_MEMBER T shfl_up(T v, unsigned int delta) const { return lanes().shfl_up(v, delta); }
    LS_MEMBER coalesced_group lanes() const { return coalesced_group(m_mask, m_group, m_groups); }

private:
    enum Kind { Block, Grid, Lanes } m_kind;
    unsigned int m_mask, m_group, m_groups;
};

LS_DEVICE thread_block this_thread_block() { return thread_block(); }
template <unsigned int MaxBlockSize> LS_DEVICE thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) { return thread_block(); }
LS_DEVICE grid_group this_grid() { return grid_group(); }
LS_DEVICE thread_block_tile<1> this_thread() { return thread_block_tile<1>(details::linearThread(), details::threadsOfBlock()); }
LS_DEVICE cluster_group this_cluster() { return cluster_group(); }
LS_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <class Group> LS_DEVICE void sync(const Group& group) { group.sync(); }
template <class Group> LS_DEVICE void synchronize(const Group& group) { group.sync(); }
template <class Group> LS_DEVICE unsigned long long thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> LS_DEVICE unsigned long long group_size(const Group& group) { return group.size(); }

template <unsigned int Size> LS_DEVICE thread_block_tile<Size, thread_block> tiled_partition(const thread_block&)
{
    return thread_block_tile<Size, thread_block>(details::linearThread() / Size, (details::threadsOfBlock() + Size - 1) / Size);
}
template <unsigned int Size, unsigned int Outer, class Parent>
LS_DEVICE thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(const thread_block_tile<Outer, Parent>& tile)
{
    return thread_block_tile<Size, thread_block_tile<Outer, Parent>>((unsigned)tile.thread_rank() / Size, Outer / Size);
}
template <unsigned int Size> LS_DEVICE coalesced_group tiled_partition(const coalesced_group& group)
{
    const unsigned int rank = (unsigned)group.thread_rank(), first = rank / Size * Size;
    unsigned int mask = 0, at = 0;
    for (unsigned int rest = group.__ls_mask(); rest; rest &= rest - 1u, ++at)
        if (at >= first && at < first + Size)
            mask |= rest & (0u - rest);
    return coalesced_group(mask, rank / Size, ((unsigned)group.size() + Size - 1) / Size);
}
LS_DEVICE thread_group tiled_partition(const thread_block&, unsigned int size)
{
    const unsigned int mask = details::lowMask(size) << (details::lane() & ~(size - 1u));
    return thread_group(coalesced_group(mask, details::linearThread() / size, (details::threadsOfBlock() + size - 1) / size));
}
LS_DEVICE coalesced_group tiled_partition(const coalesced_group& group, unsigned int size)
{
    const unsigned int rank = (unsigned)group.thread_rank(), first = rank / size * size;
    unsigned int mask = 0, at = 0;
    for (unsigned int rest = group.__ls_mask(); rest; rest &= rest - 1u, ++at)
        if (at >= first && at < first + size)
            mask |= rest & (0u - rest);
    return coalesced_group(mask, rank / size, ((unsigned)group.size() + size - 1) / size);
}
LS_DEVICE thread_group tiled_partition(const thread_group& group, unsigned int size)
{
    if (group.size() > 32 || group.lanes().__ls_mask() == 0)
        return tiled_partition(thread_block(), size);
    return thread_group(tiled_partition(group.lanes(), size));
}
template <class Group> LS_DEVICE coalesced_group labeled_partition(const Group& group, unsigned int label)
{
    const unsigned int same = __match_any_sync(group.__ls_mask(), label);
    // Groups are ranked by their first lane.
    const unsigned int leaders = __ballot_sync(group.__ls_mask(), (same & ((1u << details::lane()) - 1u)) == 0);
    return coalesced_group(same, __popc(leaders & ((same & (0u - same)) - 1u)), __popc(leaders));
}
template <class Group> LS_DEVICE coalesced_group binary_partition(const Group& group, bool side)
{
    const unsigned int yes = __ballot_sync(group.__ls_mask(), side);
    return coalesced_group(side ? yes : group.__ls_mask() & ~yes, side ? 0 : 1, 2);
}

// ---- reduce ----

template <unsigned int Size, class Parent, class T, class Op>
LS_DEVICE typename details::Plain<T>::type reduce(const thread_block_tile<Size, Parent>& tile, T&& value, Op&& op)
{
    typename details::Plain<T>::type result = value;
    if constexpr (Size > 32) {
        return tile.template reduce<typename details::Plain<T>::type>(result, op);
    } else {
        for (unsigned int offset = Size / 2; offset > 0; offset /= 2)
            result = op(result, tile.shfl_xor(result, offset));
        return result;
    }
}
template <class T, class Op>
LS_DEVICE typename details::Plain<T>::type reduce(const coalesced_group& group, T&& value, Op&& op)
{
    typename details::Plain<T>::type result = value;
    const unsigned int size = (unsigned)group.size(), rank = (unsigned)group.thread_rank();
    for (unsigned int offset = 1; offset < size; offset *= 2) {
        const auto other = group.shfl_down(result, offset);
        if (rank + offset < size)
            result = op(result, other);
    }
    return group.shfl(result, 0);
}
template <class T, class V, class Op> LS_DEVICE void reduce_store_async(const coalesced_group& group, T* to, V&& value, Op&& op)
{
    const auto result = reduce(group, value, op);
    if (group.thread_rank() == 0)
        *to = result;
}
template <class Group, class Atomic, class V, class Op>
LS_DEVICE void reduce_update_async(const Group& group, Atomic& to, V&& value, Op&&)
{
    const auto result = reduce(group, value, plus<typename details::Plain<V>::type>());
    if (group.thread_rank() == 0)
        to.fetch_add(result);
}

// ---- scan ----

template <class Group, class T, class Op>
LS_DEVICE typename details::Plain<T>::type inclusive_scan(const Group& group, T&& value, Op&& op)
{
    typename details::Plain<T>::type result = value;
    if constexpr (details::MultiWarp<Group>::value) {
        return group.template scan<true, typename details::Plain<T>::type>(result, op);
    } else {
        const unsigned int size = (unsigned)group.size(), rank = (unsigned)group.thread_rank();
        for (unsigned int offset = 1; offset < size; offset *= 2) {
            const auto before = group.shfl_up(result, offset);
            if (rank >= offset)
                result = op(before, result);
        }
        return result;
    }
}
template <class Group, class T> LS_DEVICE typename details::Plain<T>::type inclusive_scan(const Group& group, T&& value)
{
    return inclusive_scan(group, value, plus<typename details::Plain<T>::type>());
}
template <class Group, class T, class Op>
LS_DEVICE typename details::Plain<T>::type exclusive_scan(const Group& group, T&& value, Op&& op)
{
    if constexpr (details::MultiWarp<Group>::value) {
        return group.template scan<false, typename details::Plain<T>::type>(value, op);
    } else {
        const auto all = inclusive_scan(group, value, op);
        const auto before = group.shfl_up(all, 1);
        return group.thread_rank() == 0 ? typename details::Plain<T>::type{} : before;
    }
}
template <class Group, class T> LS_DEVICE typename details::Plain<T>::type exclusive_scan(const Group& group, T&& value)
{
    return exclusive_scan(group, value, plus<typename details::Plain<T>::type>());
}

// ---- invoke_one ----

template <class Group, class F, class... Args> LS_DEVICE void invoke_one(const Group& group, F&& f, Args&&... args)
{
    if (group.thread_rank() == 0)
        f(static_cast<Args&&>(args)...);
}
template <class Group, class F, class... Args> LS_DEVICE auto invoke_one_broadcast(const Group& group, F&& f, Args&&... args)
{
    decltype(f(static_cast<Args&&>(args)...)) result{};
    if (group.thread_rank() == 0)
        result = f(static_cast<Args&&>(args)...);
    return group.shfl(result, 0);
}

// ---- memcpy_async ----

/// From global to shared memory in words: asynchronous, one batch a call. Anything else is copied at once.
template <class Group, class T> LS_DEVICE void __ls_copy(const Group& group, T* to, const T* from, size_t count)
{
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) {
        if (__isShared(to) && __isGlobal(from) && (((size_t)to | (size_t)from) & (sizeof(T) - 1)) == 0) {
            for (size_t i = group.thread_rank(); i < count; i += group.size())
                __pipeline_memcpy_async(to + i, from + i, sizeof(T));
            __pipeline_commit();
            return;
        }
    }
    for (size_t i = group.thread_rank(); i < count; i += group.size())
        to[i] = from[i];
}
/// \p shape: bytes, or cuda::aligned_size_t of them.
template <class Group, class T, class Shape> LS_DEVICE void memcpy_async(const Group& group, T* to, const T* from, const Shape& shape)
{
    const size_t bytes = (size_t)shape;
    if constexpr (sizeof(T) == 1) {
        if ((((size_t)to | (size_t)from | bytes) & 3) == 0)
            return __ls_copy(group, (unsigned int*)to, (const unsigned int*)from, bytes / 4);
    }
    __ls_copy(group, to, from, bytes / sizeof(T));
}
template <class Group, class Shape> LS_DEVICE void memcpy_async(const Group& group, void* to, const void* from, const Shape& shape)
{
    memcpy_async(group, (char*)to, (const char*)from, shape);
}
template <class Group, class T, class ToLayout, class FromLayout>
LS_DEVICE void memcpy_async(const Group& group, T* to, const ToLayout& toLayout, const T* from, const FromLayout& fromLayout)
{
    const size_t a = (size_t)toLayout, b = (size_t)fromLayout;
    __ls_copy(group, to, from, a < b ? a : b);
}
template <class Group> LS_DEVICE void wait(const Group& group) { __pipeline_wait_prior(0); group.sync(); }
template <unsigned int Prior, class Group> LS_DEVICE void wait_prior(const Group& group) { __pipeline_wait_prior(Prior); group.sync(); }

}  // namespace cooperative_groups
// clang-format on

#include "restore_macros.h"
