// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>

#include "app/gui/view_description.h"

namespace lanescope::gui {

namespace {

/// A focus as `render` takes it, at another step.
QString focusAt(const Snapshot& snapshot, StepIndex step)
{
    replay::Focus focus = snapshot.focus;
    focus.step = step;
    return QString::fromStdString(replay::focusText(focus));
}

}  // namespace

ExportDialog::ExportDialog(const Snapshot& snapshot, const std::optional<analysis::StepsOfBlock>& selection,
                           const QString& view, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Export steps"));
    setLayout(new QFormLayout(this));
    std::vector<std::pair<QString, QVariant>> views;
    for (const ViewDescription& known : viewDescriptions())
        if (known.traces == 1)
            views.emplace_back(tr(known.title.c_str()), QString::fromStdString(known.name));
    m_view = addChoice(tr("Show"), views);
    m_view->setCurrentIndex(std::max(0, m_view->findData(view)));

    const StepIndex here = snapshot.focus.step;
    const StepIndex last = snapshot.overview->stepCount;
    const auto range = [&](StepIndex from, StepIndex to) {
        return QVariant(QStringList{focusAt(snapshot, from), focusAt(snapshot, to)});
    };
    std::vector<std::pair<QString, QVariant>> steps;
    if (selection)
        steps.emplace_back(tr("the selected ones, %1 to %2").arg(selection->first).arg(selection->last),
                           range(selection->first, selection->last));
    steps.emplace_back(tr("from here to the end of the block"), range(here, last));
    steps.emplace_back(tr("the whole block"), range(0, last));
    for (const EpochSpan& span : snapshot.overview->epochs)
        if (span.epoch == snapshot.epoch() && snapshot.overview->epochs.size() > 1)
            steps.emplace_back(tr("this epoch"), range(span.first, span.last));
    m_steps = addChoice(tr("Steps"), steps);
    m_by = addChoice(
        tr("A picture for each"),
        {{tr("source line"), "line"}, {tr("access"), "access"}, {tr("epoch"), "epoch"}, {tr("block"), "block"}});
    m_size =
        addChoice(tr("Size"),
                  {{tr("1280 × 720"), "1280x720"}, {tr("1920 × 1080"), "1920x1080"}, {tr("3840 × 2160"), "3840x2160"}});
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Save)->setText(tr("Choose the file…"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout()->addWidget(buttons);
}

QComboBox* ExportDialog::addChoice(const QString& label, const std::vector<std::pair<QString, QVariant>>& choices)
{
    auto* box = new QComboBox(this);
    box->setAccessibleName(label);
    for (const auto& [text, value] : choices)
        box->addItem(text, value);
    static_cast<QFormLayout*>(layout())->addRow(label, box);
    return box;
}

QStringList ExportDialog::arguments() const
{
    const QStringList range = m_steps->currentData().toStringList();
    return {QStringLiteral("--view"), m_view->currentData().toString(),
            QStringLiteral("--from"), range[0],
            QStringLiteral("--to"),   range[1],
            QStringLiteral("--by"),   m_by->currentData().toString(),
            QStringLiteral("--size"), m_size->currentData().toString()};
}

}  // namespace lanescope::gui
