// SPDX-License-Identifier: GPL-3.0-or-later
// The step in words: what the focused thread did, and what the warp's access cost.
#pragma once

#include <QString>
#include <QStringList>

#include "app/gui/engine/snapshot.h"

namespace lanescope::gui {

struct CaptionPart {
    enum class Tone : uint8_t { Plain, Read, Write, Fault, Dim };
    QString text;
    Tone tone = Tone::Plain;
};

/// "Thread (2,1) " · "reads a[4][5] = 41" · " and " · "writes a_shared[1][2] = 41" · "." …
std::vector<CaptionPart> captionOf(const Snapshot& snapshot);
/// "9 lanes · a: 9 cells, 2 sectors · a_shared: no bank conflict"; empty where nothing was accessed.
QString costOf(const Snapshot& snapshot);
/// Both as plain text.
QString captionText(const Snapshot& snapshot);

/// 32 B sectors that the lanes of an access touch, and the fewest that could hold as many different bytes.
struct SectorCount {
    int sectors = 0;
    int ideal = 0;
};
SectorCount sectorsOf(const trace::Event& event, const trace::Buffer& buffer, uint32_t bytes);
/// Most different words in one of the 32 four-byte banks (accesses up to 4 bytes a lane); 1 = no conflict.
int conflictDegree(const trace::Event& event, const trace::Buffer& buffer);

}  // namespace lanescope::gui
