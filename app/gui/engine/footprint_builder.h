// SPDX-License-Identifier: GPL-3.0-or-later
// Which cells of each buffer a block touches in each epoch, as bounding boxes: the tiles of any kernel.
#pragma once

#include "app/gui/engine/snapshot.h"

namespace lanescope::gui {

class FootprintBuilder {
public:
    explicit FootprintBuilder(replay::Session& session) : m_session(session) {}

    /// Footprints of the block in all its epochs when it is small, else of the epochs within two of \p epoch.
    /// Cost: decodes the events of those epochs that were not looked at before, at most 60,000 of each.
    Result<Footprints> of(const BlockOverview& overview, const std::vector<BufferView>& buffers, uint32_t epoch);
    void forget() { m_epochs.clear(); }

private:
    using EpochFootprints = std::vector<Footprint>;

    Result<void> build(const BlockOverview& overview, const std::vector<BufferView>& buffers,
                       std::span<const EpochSpan* const> spans);

    replay::Session& m_session;
    LaunchId m_launch;
    BlockIndex m_block;
    std::map<uint32_t, EpochFootprints> m_epochs;  ///< of this block, looked at so far
    Footprints m_last;
    std::pair<uint32_t, uint32_t> m_lastRange;  ///< first and last epoch of m_last
};

}  // namespace lanescope::gui
