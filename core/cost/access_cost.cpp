// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cost/access_cost.h"

#include <algorithm>
#include <bit>

namespace lanescope::cost {

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

/// A set of as many numbers as a warp has lanes.
class LaneSet {
public:
    /// Whether it was not there.
    bool insert(uint64_t value)
    {
        constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
        for (size_t at = value * kGolden >> kShift;; at = (at + 1) % kPlaces) {
            if ((m_used >> at & 1) == 0) {
                m_used |= uint64_t{1} << at;
                m_values[at] = value;
                return true;
            }
            if (m_values[at] == value)
                return false;
        }
    }

private:
    static constexpr size_t kPlaces = 64;
    static constexpr unsigned kShift = 58;

    uint64_t m_used = 0;
    std::array<uint64_t, kPlaces> m_values;
};

}  // namespace

BankSums bankSums(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes)
{
    LaneSet words;
    std::array<uint8_t, kBanks> wanted{};
    uint32_t degree = 0;
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
        const uint64_t first = address[static_cast<size_t>(std::countr_zero(rest))];
        const uint64_t word = first / kBankBytes;
        if (bytes > kBankBytes || (first + bytes - 1) / kBankBytes != word) {
            const BankCost cost = bankCost(mask, address, bytes);
            return {cost.wavefronts, cost.phaseCount, cost.maxDegree};
        }
        if (words.insert(word))
            degree = std::max<uint32_t>(degree, ++wanted[word % kBanks]);
    }
    return {degree, mask != 0 ? 1U : 0U, degree};
}

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

namespace {

/// Where no lane's bytes cross a sector and those of two are the same or apart. Zero sectors: it is not so.
SectorCost apartCost(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes)
{
    SectorCost cost;
    LaneSet starts;
    LaneSet sectors;
    for (; mask != 0; mask &= mask - 1) {
        const uint64_t start = address[static_cast<size_t>(std::countr_zero(mask))];
        if (start % bytes != 0)
            return {};
        if (!starts.insert(start))
            continue;
        cost.distinctBytes += bytes;
        cost.sectors += sectors.insert(start / kSectorBytes) ? 1 : 0;
    }
    cost.idealSectors = (cost.distinctBytes + kSectorBytes - 1) / kSectorBytes;
    return cost;
}

}  // namespace

SectorCost sectorCost(LaneMask mask, const std::array<uint64_t, kWarpSize>& address, uint32_t bytes)
{
    SectorCost cost;
    std::array<uint64_t, kWarpSize> starts;
    size_t count = 0;
    const LaneMask all = mask;
    for (; mask != 0; mask &= mask - 1)
        starts[count++] = address[static_cast<size_t>(std::countr_zero(mask))];
    if (count == 0 || bytes == 0)
        return cost;
    const bool isSorted = std::is_sorted(starts.begin(), starts.begin() + count);
    if (!isSorted && std::has_single_bit(bytes) && bytes <= kSectorBytes)
        if (const SectorCost apart = apartCost(all, address, bytes); apart.sectors != 0)
            return apart;
    if (!isSorted)
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

}  // namespace lanescope::cost
