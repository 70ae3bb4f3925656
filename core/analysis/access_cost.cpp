// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>

#include "core/analysis/analysis.h"

namespace lanescope::analysis {

namespace {

constexpr LaneMask lanesOfPhase(uint32_t phase, uint32_t phases)
{
    const uint32_t lanes = kWarpSize / phases;
    return lanes == kWarpSize ? 0xffffffffU : ((LaneMask{1} << lanes) - 1) << (phase * lanes);
}

/// Words wanted from each bank in one pass.
BankPhase bankPhase(LaneMask lanes, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes)
{
    BankPhase phase;
    phase.lanes = lanes;
    // A bank can be asked for at most as many words as there are lanes (twice that if misaligned).
    std::array<std::array<uint64_t, 2 * kWarpSize>, kBanks> words;
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(lanes));
        const uint64_t first = address[lane] / kBankBytes;
        const uint64_t last = (address[lane] + bytes - 1) / kBankBytes;
        for (uint64_t word = first; word <= last; ++word) {
            const auto bank = static_cast<size_t>(word % kBanks);
            const auto known = words[bank].begin() + phase.words[bank];
            if (std::find(words[bank].begin(), known, word) == known)
                words[bank][phase.words[bank]++] = word;
            phase.wanting[bank] |= LaneMask{1} << lane;
        }
    }
    phase.degree = *std::max_element(phase.words.begin(), phase.words.end());
    return phase;
}

}  // namespace

BankCost bankCost(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes)
{
    BankCost cost;
    const uint32_t phases = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
    for (uint32_t p = 0; p < phases; ++p) {
        const LaneMask lanes = mask & lanesOfPhase(p, phases);
        if (lanes == 0)
            continue;
        BankPhase& phase = cost.phases[cost.phaseCount++];
        phase = bankPhase(lanes, address, std::clamp(bytes, 1U, 16U));
        cost.wavefronts += phase.degree;
        cost.maxDegree = std::max(cost.maxDegree, phase.degree);
    }
    return cost;
}

SectorCost sectorCost(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes)
{
    SectorCost cost;
    std::array<uint64_t, kWarpSize> starts;
    size_t count = 0;
    for (; mask != 0; mask &= mask - 1)
        starts[count++] = address[static_cast<size_t>(std::countr_zero(mask))];
    if (count == 0 || bytes == 0)
        return cost;
    if (!std::is_sorted(starts.begin(), starts.begin() + count))
        std::sort(starts.begin(), starts.begin() + count);
    // In ascending order the ranges overlap only with what came just before.
    uint64_t coveredEnd = starts[0];
    uint64_t nextSector = starts[0] / kSectorBytes;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t end = starts[i] + bytes;
        cost.distinctBytes += static_cast<uint32_t>(end - std::max(coveredEnd, starts[i]));
        coveredEnd = end;
        const uint64_t first = std::max(nextSector, starts[i] / kSectorBytes);
        const uint64_t last = (end - 1) / kSectorBytes;
        if (last >= first) {
            cost.sectors += static_cast<uint32_t>(last - first + 1);
            nextSector = last + 1;
        }
    }
    cost.idealSectors = (cost.distinctBytes + kSectorBytes - 1) / kSectorBytes;
    return cost;
}

}  // namespace lanescope::analysis
