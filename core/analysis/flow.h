// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each thread of a block read before each of its writes to shared and global memory. Values that travel through
// variables are followed by the names that statements use; where no variables were recorded, by the order of accesses.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "core/analysis/pages.h"
#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

/// A place in a buffer. Halves of [2][n] buffers are planes of their own: scans use them in turns.
struct Place {
    uint32_t plane = 0;
    uint32_t column = 0;
};

struct Read {
    Place place;
    SiteId site;
    StepIndex step = 0;
};

struct Write {
    Place place;
    SiteId site;
    StepIndex step = 0;
    uint32_t epoch = 0;
    uint32_t thread = 0;
    bool known = false;
    std::array<uint8_t, 16> value{};
    uint32_t source = UINT32_MAX;  ///< what it was computed from: see Flow::readsOf; none when UINT32_MAX
};

struct Plane {
    BufferId buffer;
    uint32_t half = 0;
    uint64_t columns = 0;
};

/// Of one block; built by decoding it once. About 60 bytes per written lane, 8 per read and 12 per variable written.
class Flow {
public:
    static Result<Flow> of(replay::Session& session, LaunchId launch, BlockIndex block);

    [[nodiscard]] const std::vector<Plane>& planes() const { return m_planes; }
    /// In step order.
    [[nodiscard]] const std::vector<Write>& writes() const { return m_writes; }
    /// What the thread had read to compute the write, the last statement's first. At most kMostReads.
    [[nodiscard]] std::vector<Read> readsOf(const Write& write) const;
    static constexpr size_t kMostReads = 256;
    [[nodiscard]] const trace::Buffer& buffer(BufferId id) const { return m_firstPlane.at(id.value).second; }
    /// None for a buffer that is not followed, or an element outside it.
    [[nodiscard]] std::optional<Place> placeOf(BufferId buffer, uint64_t element) const;
    [[nodiscard]] uint64_t elementOf(const Place& place) const
    {
        const Plane& plane = m_planes[place.plane];
        return plane.half * plane.columns + place.column;
    }
    /// More reads than are kept: what follows is missing.
    [[nodiscard]] bool cut() const { return m_cut; }

private:
    /// Reads of one statement by one thread, and what it used besides: those of the lists below that lie between the
    /// ends of the source before it and these.
    struct Source {
        uint32_t endOfReads = 0;
        uint32_t endOfParents = 0;
    };
    /// What lanes read in one step; a block's steps are as many as have room in memory.
    struct Reading {
        uint32_t plane = 0;
        SiteId site;
        uint32_t step = 0;
        bool operator==(const Reading&) const = default;
    };
    /// As a Read.
    struct KeptRead {
        uint32_t reading = 0;  ///< index
        uint32_t column = 0;
    };
    [[nodiscard]] Read readOf(const KeptRead& kept) const
    {
        const Reading& reading = m_readings[kept.reading];
        return {{reading.plane, kept.column}, reading.site, reading.step};
    }
    friend class FlowBuilder;

    std::vector<Plane> m_planes;
    std::map<uint32_t, std::pair<size_t, trace::Buffer>> m_firstPlane;  ///< by buffer
    std::vector<Write> m_writes;
    Pages<Reading> m_readings;
    Pages<KeptRead> m_reads;
    Pages<Source> m_sources;
    Pages<uint32_t> m_parents;  ///< sources that sources used
    bool m_cut = false;
};

}  // namespace lanescope::analysis
