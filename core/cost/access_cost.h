// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one access of one warp costs: wavefronts of shared memory's banks, sectors of global memory. Computed from
// addresses, not measured.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"

namespace lanescope::cost {

inline constexpr uint32_t kBanks = 32;
inline constexpr uint32_t kBankBytes = 4;
inline constexpr uint32_t kSectorBytes = 32;

/// One pass of a shared-memory request: a whole warp for accesses of up to 4 bytes per lane, a half warp for 8, a
/// quarter warp for 16 (CUDA C++ Programming Guide, "Shared Memory": 64-bit and 128-bit accesses).
struct BankPhase {
    LaneMask lanes = 0;                      ///< active lanes served in this pass
    std::array<uint8_t, kBanks> words{};     ///< distinct words wanted from each bank
    uint32_t degree = 0;                     ///< the most of them: how often the pass is repeated
    std::array<LaneMask, kBanks> wanting{};  ///< lanes that want something from each bank
};

/// What one shared-memory access of one warp costs.
struct BankCost {
    std::array<BankPhase, 4> phases;
    uint32_t phaseCount = 0;  ///< passes with any active lane: the ideal number of wavefronts
    uint32_t wavefronts = 0;  ///< sum of the passes' degrees
    uint32_t maxDegree = 0;   ///< 1: no conflict; 0: no active lane

    [[nodiscard]] uint32_t conflicts() const { return wavefronts - phaseCount; }
};

/// \p address: byte addresses in the block's shared memory, by lane. \p bytes: per lane, 1 to 16. Lanes that want the
/// same word share it (broadcast).
BankCost bankCost(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes);

/// The numbers of a BankCost.
struct BankSums {
    uint32_t wavefronts = 0;
    uint32_t idealWavefronts = 0;
    uint32_t maxDegree = 0;
};

/// As bankCost, several times as fast where each lane wants one word.
BankSums bankSums(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes);

/// What one global-memory access of one warp moves.
struct SectorCost {
    uint32_t sectors = 0;       ///< distinct 32-byte sectors touched
    uint32_t idealSectors = 0;  ///< that the same number of distinct bytes would need at best
    uint32_t distinctBytes = 0;
};

/// \p address: global byte addresses by lane (only the low 5 bits' alignment matters besides equality).
SectorCost sectorCost(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes);

}  // namespace lanescope::cost
