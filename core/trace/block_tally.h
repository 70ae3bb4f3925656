// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block's events come to, kept in the trace so that nobody has to decode them for a sum: accesses as runs whose
// addresses advance evenly, sums of those that do not, and what kinds of steps come when.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/cost/access_cost.h"
#include "core/trace/byte_stream.h"
#include "core/trace/model.h"

namespace lanescope::trace {

/// Executions one after the other, of one site by one warp in one buffer, each lane's offset advancing by the same
/// number of bytes from one to the next.
struct AccessRun {
    BufferId buffer;
    LaneMask mask = 0;
    uint32_t bytes = 0;                        ///< per lane, 1 to 16
    std::array<uint32_t, kWarpSize> offset{};  ///< of the first execution, in bytes; 0 for inactive lanes
    uint32_t advance = 0;                      ///< modulo 2^32
    uint32_t count = 1;                        ///< executions
    uint64_t times = 1;                        ///< how often such a run came

    friend bool operator==(const AccessRun&, const AccessRun&) = default;
};

/// The run whose first execution is at \p first.
AccessRun asAccessRun(BufferId buffer, LaneMask mask, uint32_t bytes, const EvenOffsets& first, uint32_t advance,
                      uint32_t count, uint64_t times);

/// Byte addresses of the run's lanes \p shift bytes behind its first execution, in a buffer that begins at \p base.
std::array<uint64_t, kWarpSize> addressesOf(const AccessRun& run, uint64_t base, uint32_t shift);

/// Calls \p visit(shift, count) for the executions of a run whose places differ modulo \p unit bytes, a power of two:
/// \p shift is one's distance from the first execution in bytes, \p count how many are like it. Until it returns false.
template <typename Visit>
void eachPlace(const AccessRun& run, uint64_t unit, const Visit& visit)
{
    const uint64_t period = unit / std::gcd(run.advance % unit, unit);
    for (uint64_t i = 0; i < std::min<uint64_t>(period, run.count); ++i)
        if (!visit(static_cast<uint32_t>(i) * run.advance,
                   uint64_t{run.count / period} + (i < run.count % period ? 1 : 0)))
            return;
}

/// As eachPlace, for places that differ in what an access costs.
template <typename Visit>
void eachCost(const AccessRun& run, Space space, const Visit& visit)
{
    // Banks turn with what moves all lanes by whole words.
    eachPlace(run, space == Space::Global ? cost::kSectorBytes : cost::kBankBytes, [&](uint32_t shift, uint64_t count) {
        visit(shift, count);
        return true;
    });
}

/// What accesses in one space come to that are in no run.
struct AccessSums {
    Space space = Space::Global;
    uint64_t requests = 0;      ///< executions with at least one active lane
    uint64_t laneAccesses = 0;  ///< active lanes of them
    uint64_t laneBytes = 0;
    uint64_t sectors = 0;  ///< Global only, as is idealSectors
    uint64_t idealSectors = 0;
    uint64_t wavefronts = 0;  ///< Shared only, as are the next two
    uint64_t idealWavefronts = 0;
    uint32_t maxDegree = 0;

    friend bool operator==(const AccessSums&, const AccessSums&) = default;
};

/// Executions of one site by one warp; there may be several of the same site and warp.
struct SiteTally {
    SiteId site;
    uint16_t warp = 0;
    uint64_t executions = 0;      ///< in no run: all of a branch or barrier, those in `rest` of an access
    uint64_t lanes = 0;           ///< active in them; Branch only
    uint64_t divergent = 0;       ///< Branch only: those in which the lanes went both ways
    std::vector<AccessRun> runs;  ///< accesses only
    std::vector<AccessSums> rest;

    friend bool operator==(const SiteTally&, const SiteTally&) = default;
};

/// Some consecutive steps of a block.
struct StepKinds {
    uint16_t kinds = 0;     ///< 1 << SiteKind of each step's
    bool diverged = false;  ///< some warp ran one of them, other than Exit, with fewer lanes than it has

    friend bool operator==(const StepKinds&, const StepKinds&) = default;
};

struct BlockTally {
    BlockIndex block;
    std::vector<SiteTally> sites;
    uint64_t stepsEach = 1;
    std::vector<StepKinds> kinds;  ///< each of stepsEach steps, the last of what is left

    /// Whether the runs have the address of every access in \p space.
    [[nodiscard]] bool hasEveryPlace(Space space) const;
    /// Whether the runs can be of a block of so many steps: else what goes through them might take for ever.
    [[nodiscard]] bool isOf(StepIndex steps) const;

    friend bool operator==(const BlockTally&, const BlockTally&) = default;
};

/// Sites of all blocks of a stream that are told by what another block did: so few bytes say so much that what goes
/// through it must have an end.
inline constexpr size_t kMostExpandedSites = 1 << 25;

/// Reads tallies of one launch, one after the other, from what TallyCollector wrote.
class TallyDecoder {
public:
    /// Alone: as traces of before schema 5 have them. Moved: a block's accesses may be told by those of another.
    /// Advancing: of schema 6, runs that are not evenly spaced have more executions than one, too.
    enum class Form { Alone, Moved, Advancing };
    /// \p sites, \p buffers, \p warps: how many there are.
    TallyDecoder(std::span<const uint8_t> bytes, Form form, size_t sites, size_t buffers, uint32_t warps);
    /// The next block's; false at the end, and where it is damaged. Asked for with the same \p tally, it allocates
    /// little.
    bool next(BlockTally& tally);
    /// What is wrong; empty when nothing is.
    [[nodiscard]] const std::string& failure() const { return m_failure; }

private:
    SiteTally& nextSite(BlockTally& tally);
    bool readGroup(BlockTally& tally);
    bool readGroupRow(BlockTally& tally);
    bool readSites(BlockTally& tally);
    bool readMoves(BlockTally& tally, uint64_t sites);
    bool readSite(SiteTally& tally);
    void readAccessed(AccessRun& run);
    bool readEven(AccessRun& run);
    bool readUneven(AccessRun& run);
    EvenOffsets readEvenOffsets();
    bool check(const AccessRun& run);
    bool readSums(AccessSums& sums);
    bool readKinds(BlockTally& tally);
    bool readOwnKinds();
    uint64_t number(uint64_t most, const char* what);
    bool fail(const std::string& what);

    /// An access of a group of runs.
    struct Member {
        SiteId site;
        size_t place = 0;
        uint32_t offset = 0;
        uint32_t bytes = 0;
    };

    ByteReader m_from;
    size_t m_used = 0;  ///< sites of the block that is read
    std::vector<Member> m_members;
    std::vector<SiteTally> m_reference;  ///< of the last block that was told by itself
    size_t m_expanded = 0;
    Form m_form;
    size_t m_sites;
    size_t m_buffers;
    uint32_t m_warps;
    std::vector<StepKinds> m_kinds;  ///< of the last block, as is m_stepsEach; 0: there was none
    uint64_t m_stepsEach = 0;
    std::string m_failure;
};

}  // namespace lanescope::trace
