// SPDX-License-Identifier: GPL-3.0-or-later
// The one focus that every view sets and every view follows, with Back and Forward.
#pragma once

#include <QObject>

#include "app/gui/engine/engine.h"

namespace lanescope::gui {

/// What a focus consists of above a step, from the inside outwards.
enum class Level : uint8_t { Lane, Warp, Block, Launch };

class FocusController : public QObject {
    Q_OBJECT

public:
    explicit FocusController(Engine& engine, QObject* parent = nullptr);

    [[nodiscard]] const SnapshotPointer& snapshot() const { return m_snapshot; }
    [[nodiscard]] bool canGoBack() const { return !m_back.empty(); }
    [[nodiscard]] bool canGoForward() const { return !m_forward.empty(); }
    /// The focus as text that `lanescope view --at` takes; empty before the first snapshot.
    [[nodiscard]] QString text() const;

public slots:
    /// A jump: goes into the history.
    void go(const lanescope::replay::Focus& focus);
    void goToText(const QString& text);
    void goToStop(const lanescope::tour::Stop& stop);
    void goToStep(lanescope::StepIndex step);
    void goToThread(lanescope::Dim3 thread);
    void goToBlock(lanescope::Dim3 block);
    void selectCell(lanescope::BufferId buffer, uint64_t element);
    /// As goToStep without a history entry: for dragging and playing.
    void scrubTo(lanescope::StepIndex step);
    /// To the first side of the finding that comes next by launch, block and step; after the last one to the first.
    /// Advice counts only where nothing else was found.
    void goToFinding(lanescope::gui::Direction direction);
    void step(lanescope::gui::StepUnit unit, lanescope::gui::Direction direction);
    void runToLine(lanescope::SourceId source, uint32_t line, lanescope::gui::Direction direction);
    void stepVariable(lanescope::VariableId variable, lanescope::gui::Direction direction);
    /// To another lane of the warp, warp of the block, block of the grid or launch: the next there is in that
    /// direction, as linear numbers go.
    void goToNext(lanescope::gui::Level level, lanescope::gui::Direction direction);
    void back();
    void forward();

signals:
    void snapshotChanged(lanescope::gui::SnapshotPointer snapshot);
    void historyChanged();
    /// A key led nowhere; \p why: for a person.
    void refused(const QString& why);

private:
    void receive(const SnapshotPointer& snapshot);
    void remember();
    void clear();
    [[nodiscard]] const replay::Focus& pending() const { return m_pending; }
    void travel(std::vector<replay::Focus>& from, std::vector<replay::Focus>& to);

    Engine& m_engine;
    SnapshotPointer m_snapshot;
    replay::Focus m_pending;  ///< where we asked to go last; what a click changes a part of
    uint64_t m_pendingTag = 0;
    std::vector<replay::Focus> m_back;
    std::vector<replay::Focus> m_forward;
};

}  // namespace lanescope::gui
