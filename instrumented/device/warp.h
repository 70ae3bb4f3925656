// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lanes of a warp tell each other. For device code compiled as plain C++.
#pragma once

#include <stdint.h>

// On the host, where tests run the same code, memory has one address space.
#ifdef __NVPTX__
#define LS_GLOBAL __attribute__((address_space(1)))
#define LS_CONSTANT __attribute__((address_space(4), visibility("default")))
#define LS_SHARED __attribute__((address_space(3)))
#define LS_LOCAL __attribute__((address_space(5)))
#define LS_CONVERGENT convergent,
#else  // the host's stand-ins for the builtins below are included before
#define LS_GLOBAL
#define LS_CONSTANT
#define LS_SHARED
#define LS_CONVERGENT
#endif
#define LS_INLINE inline __attribute__((always_inline))
#define LS_APART __attribute__((LS_CONVERGENT noinline))
#define LS_EXPORT extern "C" __attribute__((LS_CONVERGENT used, visibility("default")))

namespace lanescope::cuda {

LS_INLINE uint32_t lowest(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

LS_INLINE uint32_t countOf(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

LS_INLINE uint32_t laneId()
{
    return (uint32_t)__nvvm_read_ptx_sreg_laneid();
}

LS_INLINE uint32_t activeLanes()
{
    return (uint32_t)__nvvm_activemask();
}

LS_INLINE uint32_t ballot(uint32_t mask, bool predicate)
{
    return (uint32_t)__nvvm_vote_ballot_sync(mask, predicate);
}

LS_INLINE uint32_t shuffle32(uint32_t mask, uint32_t value, uint32_t lane)
{
    return (uint32_t)__nvvm_shfl_sync_idx_i32(mask, (int)value, (int)lane, 31);
}

LS_INLINE bool all(uint32_t mask, bool predicate)
{
    return __nvvm_vote_all_sync(mask, predicate);
}

LS_INLINE uint64_t shuffle64(uint32_t mask, uint64_t value, uint32_t lane)
{
    return (uint64_t)shuffle32(mask, (uint32_t)(value >> 32), lane) << 32 | shuffle32(mask, (uint32_t)value, lane);
}

LS_INLINE void atomicMax(LS_GLOBAL uint64_t* at, uint64_t value)
{
#ifdef __NVPTX__
    __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
#else
    *at = *at > value ? *at : value;
#endif
}

LS_INLINE uint32_t linearBlock()
{
    const auto x = (uint32_t)__nvvm_read_ptx_sreg_ctaid_x(), y = (uint32_t)__nvvm_read_ptx_sreg_ctaid_y(),
               z = (uint32_t)__nvvm_read_ptx_sreg_ctaid_z();
    const auto wide = (uint32_t)__nvvm_read_ptx_sreg_nctaid_x(), high = (uint32_t)__nvvm_read_ptx_sreg_nctaid_y();
    return x + wide * (y + high * z);
}

LS_INLINE uint32_t linearThread()
{
    const auto x = (uint32_t)__nvvm_read_ptx_sreg_tid_x(), y = (uint32_t)__nvvm_read_ptx_sreg_tid_y(),
               z = (uint32_t)__nvvm_read_ptx_sreg_tid_z();
    const auto wide = (uint32_t)__nvvm_read_ptx_sreg_ntid_x(), high = (uint32_t)__nvvm_read_ptx_sreg_ntid_y();
    return x + wide * (y + high * z);
}

/// The lanes go on together. After every branch of a helper that only some take: what is called from a place where the
/// program's lanes run together must leave them so.
LS_INLINE void meet(uint32_t mask)
{
    __nvvm_bar_warp_sync(mask);
}

#ifdef __NVPTX__
LS_INLINE void fenceDevice()
{
    __nvvm_membar_gl();
}
LS_INLINE void fenceBlock()
{
    __nvvm_membar_cta();
}
LS_INLINE void fenceSystem()
{
    __nvvm_membar_sys();
}
LS_INLINE void blockBarrier()
{
    __syncthreads();
}
LS_INLINE uint64_t clock64()
{
    return (uint64_t)__nvvm_read_ptx_sreg_clock64();
}
LS_INLINE void sleepNanoseconds(uint32_t time)
{
    __nvvm_nanosleep(time);
}
/// What lies at an offset in the block's window of shared memory, or in the thread's of local memory.
LS_INLINE const char* sharedAt(uint32_t offset)
{
    return (const char*)(LS_SHARED const char*)(uint64_t)offset;
}
LS_INLINE const char* localAt(uint32_t offset)
{
    return (const char*)(LS_LOCAL const char*)(uint64_t)offset;
}
#endif

/// memcpy and memset in the largest pieces that every lane still has: piece(offset, bytes).
template <typename Piece>
LS_INLINE void forPieces(uint64_t length, Piece piece)
{
    for (uint64_t done = 0; done < length;) {
        const uint32_t mask = activeLanes();
        uint32_t bytes = 16;
        while (bytes > 1 && !all(mask, length - done >= bytes))
            bytes /= 2;
        piece(done, bytes);
        done += bytes;
    }
}

LS_INLINE uint64_t readBytes(const unsigned char* from, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes && i < 8; ++i)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

LS_INLINE void writeBytes(unsigned char* to, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes && i < 8; ++i)
        to[i] = (unsigned char)(value >> (8 * i));
}

}  // namespace lanescope::cuda
