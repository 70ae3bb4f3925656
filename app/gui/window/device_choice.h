// SPDX-License-Identifier: GPL-3.0-or-later
// What the next recording runs on: the simulator, or this machine's GPU where there is a driver for one.
#pragma once

#include <QObject>
#include <QString>

class QAction;
class QMenu;

namespace lanescope::gui {

class DeviceChoice : public QObject {
    Q_OBJECT

public:
    /// Fills \p menu, which must outlive this.
    explicit DeviceChoice(QMenu& menu, QObject* parent = nullptr);

    /// As `lanescope record --device` takes it: "simulator" or "cuda".
    [[nodiscard]] QString device() const;
    [[nodiscard]] QAction* simulator() const { return m_simulator; }
    [[nodiscard]] QAction* gpu() const { return m_gpu; }

private:
    void lookForDriver();

    QAction* m_simulator;
    QAction* m_gpu;
};

}  // namespace lanescope::gui
