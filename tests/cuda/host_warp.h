// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp on the host: what device code asks of the hardware, for 32 lanes that take turns. Each lane has a stack of
// its own and runs until it needs the others.
#pragma once

#include <cstdint>
#include <functional>

namespace lanescope::cuda {

/// Which warp of which grid runs: one row of blocks, each of whole warps in one row.
struct HostPlace {
    uint32_t block = 0;
    uint32_t blocks = 1;
    uint32_t warp = 0;
    uint32_t warps = 1;
    uint64_t sharedFirst = 0;  ///< addresses of shared memory, half-open; local memory is the same here
    uint64_t sharedEnd = 0;
};

/// Runs \p lane(number) for the lanes of \p mask as one warp. Not reentrant, one thread. False when lanes are left that
/// wait for each other in vain: on a GPU they hang.
[[nodiscard]] bool runWarp(uint32_t mask, const std::function<void(uint32_t)>& lane, const HostPlace& place = {});

}  // namespace lanescope::cuda

extern "C" {
int __nvvm_read_ptx_sreg_laneid();
int __nvvm_read_ptx_sreg_lanemask_lt();
int __nvvm_read_ptx_sreg_smid();
int __nvvm_activemask();
int __nvvm_vote_ballot_sync(uint32_t mask, bool predicate);
bool __nvvm_vote_all_sync(uint32_t mask, bool predicate);
int __nvvm_shfl_sync_idx_i32(uint32_t mask, int value, int lane, int clamp);
void __nvvm_bar_warp_sync(uint32_t mask);
bool __nvvm_isspacep_shared(const void* pointer);
bool __nvvm_isspacep_local(const void* pointer);
int __nvvm_read_ptx_sreg_ctaid_x();
int __nvvm_read_ptx_sreg_ctaid_y();
int __nvvm_read_ptx_sreg_ctaid_z();
int __nvvm_read_ptx_sreg_nctaid_x();
int __nvvm_read_ptx_sreg_nctaid_y();
int __nvvm_read_ptx_sreg_nctaid_z();
int __nvvm_read_ptx_sreg_tid_x();
int __nvvm_read_ptx_sreg_tid_y();
int __nvvm_read_ptx_sreg_tid_z();
int __nvvm_read_ptx_sreg_ntid_x();
int __nvvm_read_ptx_sreg_ntid_y();
int __nvvm_read_ptx_sreg_ntid_z();
}

namespace lanescope::cuda {

// Warps run one after the other.
inline void fenceDevice() {}
inline void fenceBlock() {}
inline void fenceSystem() {}
inline void blockBarrier() {}
inline void sleepNanoseconds(uint32_t) {}
const char* sharedAt(uint32_t offset);
inline const char* localAt(uint32_t offset)
{
    return sharedAt(offset);
}
/// Later at each call.
inline uint64_t clock64()
{
    static uint64_t now = 0;
    return ++now;
}

}  // namespace lanescope::cuda
