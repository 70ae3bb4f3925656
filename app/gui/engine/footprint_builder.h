// SPDX-License-Identifier: GPL-3.0-or-later
// Which cells of each buffer a block touches in each epoch, as bounding boxes: the tiles of any kernel.
#pragma once

#include "app/gui/engine/snapshot.h"

namespace lanescope::gui {

class FootprintBuilder {
public:
    explicit FootprintBuilder(replay::Session& session) : m_session(session) {}

    /// Footprints of the block in all its epochs when it is small, else of the epochs within two of \p epoch.
    /// Cost: decodes the events of those epochs once; kept until the block or the window of epochs changes.
    Result<Footprints> of(const BlockOverview& overview, const std::vector<BufferView>& buffers, uint32_t epoch);
    void forget() { m_last.reset(); }

private:
    struct Range {
        StepIndex first = 0;
        StepIndex last = 0;
    };
    [[nodiscard]] static Range rangeFor(const BlockOverview& overview, uint32_t epoch);
    Result<Footprints> build(const BlockOverview& overview, const std::vector<BufferView>& buffers, Range range);

    replay::Session& m_session;
    Footprints m_last;
    LaunchId m_launch;
    BlockIndex m_block;
    Range m_range;
};

}  // namespace lanescope::gui
