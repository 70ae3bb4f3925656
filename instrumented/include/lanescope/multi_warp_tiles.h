// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of 64 to 512 threads: sets of whole warps of a block. They meet at a named barrier of their own (1 for the
// first tile, up to 15), and exchange values through shared memory, one slot for each warp.
#pragma once

// clang-format off
namespace cooperative_groups {

/// What a program sets aside in shared memory for such tiles on older GPUs. From compute capability 8.0 on nothing needs it.
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory { unsigned char __ls_unused[16]; };

namespace details {

template <class T> struct WarpSlots { alignas(16) unsigned char bytes[32][(sizeof(T) + 15) / 16 * 16]; };
template <class T> LS_MEMBER WarpSlots<T>& warpSlots()
{
    __shared__ WarpSlots<T> slots;
    return slots;
}
template <class T> LS_MEMBER void putInSlot(unsigned int warp, const T& value)
{
    static_assert(sizeof(T) <= 8, "tiles of more than 32 threads exchange values of at most 8 bytes");
    __builtin_memcpy((void*)warpSlots<T>().bytes[warp], (const void*)&value, sizeof(T));
}
template <class T> LS_MEMBER T ofSlot(unsigned int warp)
{
    T value;
    __builtin_memcpy((void*)&value, (const void*)warpSlots<T>().bytes[warp], sizeof(T));
    return value;
}

template <unsigned int Size> class multi_warp_tile {
public:
    LS_MEMBER multi_warp_tile(unsigned int group, unsigned int groups) : m_group(group), m_groups(groups) {}
    LS_MEMBER void sync() const
    {
        if (m_group >= 15)  // A block has 16 barriers, and the first is __syncthreads'.
            __assert_fail("a block of at most 15 tiles of more than a warp", __FILE__, __LINE__, "thread_block_tile::sync");
        asm volatile("barrier.sync %0, %1;" : : "r"(m_group + 1), "r"(Size) : "memory");
    }
    static LS_MEMBER constexpr unsigned long long num_threads() { return Size; }
    static LS_MEMBER constexpr unsigned long long size() { return Size; }
    LS_MEMBER unsigned long long thread_rank() const { return linearThread() & (Size - 1u); }
    LS_MEMBER unsigned long long meta_group_size() const { return m_groups; }
    LS_MEMBER unsigned long long meta_group_rank() const { return m_group; }

    template <class T> LS_MEMBER typename Plain<T>::type shfl(T&& v, int rank) const
    {
        using Value = typename Plain<T>::type;
        if (thread_rank() == ((unsigned)rank & (Size - 1u)))
            putInSlot<Value>(firstWarp(), v);
        sync();
        const Value result = ofSlot<Value>(firstWarp());
        sync();
        return result;
    }
    LS_MEMBER int any(int p) const { return reduce<int>(__any_sync(0xffffffffu, p), bit_or<int>()) != 0; }
    LS_MEMBER int all(int p) const { return reduce<int>(__all_sync(0xffffffffu, p), bit_and<int>()) != 0; }

    /// Every warp's result in its slot, from which each thread combines them in the order of the warps.
    template <class Value, class Op> LS_MEMBER Value reduce(Value value, Op&& op) const
    {
        for (unsigned int offset = 16; offset > 0; offset /= 2)
            value = op(value, shuffle<Value>(0xffffffffu, value, lane() ^ offset));
        if (lane() == 0)
            putInSlot<Value>(linearThread() / 32, value);
        sync();
        Value result = ofSlot<Value>(firstWarp());
        for (unsigned int warp = 1; warp < Size / 32; ++warp)
            result = op(result, ofSlot<Value>(firstWarp() + warp));
        sync();
        return result;
    }
    template <bool Inclusive, class Value, class Op> LS_MEMBER Value scan(Value value, Op&& op) const
    {
        for (unsigned int offset = 1; offset < 32; offset *= 2) {
            const Value before = shuffle<Value>(0xffffffffu, value, lane() >= offset ? lane() - offset : lane());
            if (lane() >= offset)
                value = op(before, value);
        }
        if (lane() == 31)
            putInSlot<Value>(linearThread() / 32, value);
        sync();
        const unsigned int warps = linearThread() / 32 - firstWarp();
        Value earlier{};
        for (unsigned int warp = 0; warp < warps; ++warp)
            earlier = warp == 0 ? ofSlot<Value>(firstWarp()) : op(earlier, ofSlot<Value>(firstWarp() + warp));
        sync();
        if constexpr (Inclusive)
            return warps == 0 ? value : op(earlier, value);
        const Value before = shuffle<Value>(0xffffffffu, value, lane() == 0 ? 0 : lane() - 1);
        return lane() == 0 ? earlier : warps == 0 ? before : op(earlier, before);
    }

private:
    LS_MEMBER unsigned int firstWarp() const { return linearThread() / Size * (Size / 32); }

    unsigned int m_group, m_groups;
};

template <class Group> struct MultiWarp { static constexpr bool value = false; };

}  // namespace details

template <unsigned int Size, class Parent = void> class thread_block_tile;
#define LS_MULTI_WARP_TILE(Size)                                                                                       \
    template <class Parent> class thread_block_tile<Size, Parent> : public details::multi_warp_tile<Size> {            \
    public:                                                                                                            \
        using details::multi_warp_tile<Size>::multi_warp_tile;                                                         \
        template <class Other> LS_MEMBER thread_block_tile(const thread_block_tile<Size, Other>& tile)                 \
            : details::multi_warp_tile<Size>((unsigned)tile.meta_group_rank(), (unsigned)tile.meta_group_size()) {}    \
    };                                                                                                                 \
    template <class Parent> struct details::MultiWarp<thread_block_tile<Size, Parent>> { static constexpr bool value = true; };
LS_MULTI_WARP_TILE(64)
LS_MULTI_WARP_TILE(128)
LS_MULTI_WARP_TILE(256)
LS_MULTI_WARP_TILE(512)
#undef LS_MULTI_WARP_TILE

}  // namespace cooperative_groups
// clang-format on
