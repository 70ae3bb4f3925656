// SPDX-License-Identifier: GPL-3.0-or-later
// Asks what a sequence of steps is to show: view, steps, size. The file is asked for afterwards.
#pragma once

#include <QDialog>

#include "app/gui/engine/snapshot.h"
#include "core/analysis/analysis.h"

class QComboBox;

namespace lanescope::gui {

class ExportDialog : public QDialog {
    Q_OBJECT

public:
    /// \p view: that is chosen at first, by its name in `render`.
    ExportDialog(const Snapshot& snapshot, const std::optional<analysis::StepsOfBlock>& selection, const QString& view,
                 QWidget* parent = nullptr);

    /// Of `lanescope render`: --view, --from, --to, --by, --size.
    [[nodiscard]] QStringList arguments() const;

private:
    QComboBox* addChoice(const QString& label, const std::vector<std::pair<QString, QVariant>>& choices);

    QComboBox* m_view;
    QComboBox* m_steps;
    QComboBox* m_by;
    QComboBox* m_size;
};

}  // namespace lanescope::gui
