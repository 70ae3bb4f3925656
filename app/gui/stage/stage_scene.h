// SPDX-License-Identifier: GPL-3.0-or-later
// What the stage shows of a snapshot: panels, the cells and threads in play, the arrows between them. No
// rectangles and no colours yet.
#pragma once

#include <QStringList>

#include <set>

#include "app/gui/engine/snapshot.h"
#include "app/gui/stage/stage_layout.h"
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

enum class Overlay : uint8_t { Tiles, Mapping, Halo, Banks, Heat, Age, Race, Bounds };
using Overlays = std::set<Overlay>;

/// Names as the command takes them; unknown ones give an Error that names the known ones.
Result<Overlays> overlaysNamed(const std::vector<std::string>& names);

enum class MarkKind : uint8_t { Read, Write, Atomic };

/// A cell that the statement touched.
struct CellMark {
    Cell cell;
    MarkKind kind = MarkKind::Read;
    bool focused = false;  ///< by the focused lane
};

struct Link {
    size_t buffer = 0;  ///< panel index
    Cell cell;
    Cell thread;
    MarkKind kind = MarkKind::Read;
    bool focused = false;
    int track = 0;  ///< number of the access within the statement
};

enum class LaneState : uint8_t { Resting, Active, Idle, Exited };

struct PanelTexts {
    QString title;
    QString subtitle;
    QString note;       ///< what happens in it now
    QString shortNote;  ///< the same in less room; may be empty
    bool noteIsWrite = false;
};

/// A cell beside a buffer: padding that a guard keeps threads out of, or where an access missed the buffer.
struct GhostCell {
    Cell cell;  ///< outside the panel's rows and columns
    QString text;
    bool isFault = false;
    bool isFocused = false;  ///< missed by the focused lane, just now
};

/// The access lies outside the buffer, or outside a dimension of it.
[[nodiscard]] bool isOutside(const trace::Finding& finding);

/// The panels that fill the stage; empty: all.
struct StageCamera {
    std::vector<BufferId> buffers;
    bool threads = false;
    bool blocks = false;

    [[nodiscard]] bool isEmpty() const { return buffers.empty() && !threads && !blocks; }
};

struct StageScene {
    SnapshotPointer snapshot;
    std::vector<PanelSpec> specs;
    std::vector<PanelTexts> texts;               ///< [panel]
    std::vector<std::vector<CellMark>> marks;    ///< [panel]
    std::vector<std::vector<GhostCell>> ghosts;  ///< [panel]; empty before leaveRoom
    std::vector<Link> links;                     ///< the focused lane's last
    std::vector<LensTarget> targets;             ///< [panel] what a lens shows of it
    std::vector<LaneState> lanes;                ///< [linear thread of the block]
    std::vector<uint16_t> warps;                 ///< ascending; the others' threads fade; empty: all are the same
    std::optional<size_t> threadsPanel;
    std::optional<size_t> gridPanel;

    static StageScene of(const SnapshotPointer& snapshot, const Theme& theme);
    /// Takes the other panels away, with the arrows that end in them.
    void keepOnly(const StageCamera& camera);
    /// Finds the cells beside the buffers that \p overlays show, and widens the panels for them.
    void leaveRoom(const Overlays& overlays);
    /// The panels' places, lenses turned to what happens.
    [[nodiscard]] StageLayout layout(QSizeF size, const Theme& theme) const;
    [[nodiscard]] std::optional<size_t> panelOf(BufferId buffer) const;
    /// The threads panel's cell of a linear thread index, and back.
    [[nodiscard]] Cell threadCell(uint64_t thread) const;
    [[nodiscard]] std::optional<uint64_t> threadAt(Cell cell) const;
    [[nodiscard]] Cell blockCell(Dim3 block) const;
    /// The last block for a cell that is none's.
    [[nodiscard]] Dim3 blockAt(Cell cell) const;

private:
    [[nodiscard]] const PanelSpec* slicedGrid() const;
};

}  // namespace lanescope::gui
