// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each thread of a block read before each of its writes to shared and global memory. Values that travel through
// registers are followed by the order of accesses alone.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

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
    size_t firstRead = 0;
    size_t reads = 0;
};

struct Plane {
    BufferId buffer;
    uint32_t half = 0;
    uint64_t columns = 0;
};

/// What a thread read since it last went on to something new.
struct Pending {
    std::vector<Read> reads;
    std::optional<uint32_t> wroteInEpoch;
};

/// Of one block; built by decoding it once. About 100 bytes per written lane and 32 per read.
class Flow {
public:
    static Result<Flow> of(replay::Session& session, LaunchId launch, BlockIndex block);

    [[nodiscard]] const std::vector<Plane>& planes() const { return m_planes; }
    /// In step order.
    [[nodiscard]] const std::vector<Write>& writes() const { return m_writes; }
    [[nodiscard]] const std::vector<Read>& reads() const { return m_reads; }
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
    explicit Flow(const std::vector<trace::Buffer>& buffers);
    bool add(StepIndex step, uint32_t epoch, const trace::Event& event);
    void addRead(uint32_t thread, uint32_t epoch, const Read& read);
    void addWrite(uint32_t thread, uint32_t epoch, StepIndex step, const trace::Event& event, int lane, Place place);

    std::vector<Plane> m_planes;
    std::map<uint32_t, std::pair<size_t, trace::Buffer>> m_firstPlane;  ///< by buffer
    std::map<uint32_t, Pending> m_pending;                              ///< by thread
    std::vector<Write> m_writes;
    std::vector<Read> m_reads;
    bool m_cut = false;
};

}  // namespace lanescope::analysis
