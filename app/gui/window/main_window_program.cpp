// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: what the user gives a program and finds again with it: shapes of its buffers, watches.
#include <QFileInfo>
#include <QInputDialog>
#include <QSettings>

#include "app/gui/inspector/inspector_widget.h"
#include "app/gui/timeline/timeline_widget.h"
#include "app/gui/views/view_widget.h"
#include "app/gui/window/banner.h"
#include "app/gui/window/main_window.h"

namespace lanescope::gui {

namespace {

QString programOf(const trace::Catalog& catalog)
{
    return QFileInfo(QString::fromStdString(catalog.session.program)).fileName();
}

/// Group of the settings that holds a program's shapes.
QString groupOf(const trace::Catalog& catalog)
{
    return QStringLiteral("shapes/") + programOf(catalog);
}

QString watchesKeyOf(const trace::Catalog& catalog)
{
    return QStringLiteral("watches/") + programOf(catalog);
}

/// Of what the user calls the roles of warps.
QString rolesKeyOf(const trace::Catalog& catalog)
{
    return QStringLiteral("roles/") + programOf(catalog);
}

std::map<std::string, std::string> roleNamesOf(const trace::Catalog& catalog)
{
    std::map<std::string, std::string> names;
    const QVariantMap kept = QSettings().value(rolesKeyOf(catalog)).toMap();
    for (const auto& [role, name] : kept.asKeyValueRange())
        names[role.toStdString()] = name.toString().toStdString();
    return names;
}

std::vector<std::string> textsOf(const QStringList& watches)
{
    std::vector<std::string> texts;
    for (const QString& watch : watches)
        texts.push_back(watch.toStdString());
    return texts;
}

}  // namespace

void MainWindow::restoreShapes(const trace::Catalog& catalog)
{
    QSettings settings;
    settings.beginGroup(groupOf(catalog));
    std::map<std::string, ShapeChoice> shapes;
    for (const trace::Buffer& buffer : catalog.buffers) {
        const QString text = settings.value(QString::fromStdString(buffer.name)).toString();
        if (text.isEmpty())
            continue;
        if (const auto choice = ShapeChoice::parse(text, 0))
            shapes[buffer.name] = choice.value();
    }
    if (shapes == m_options.shapes)
        return;
    m_options.shapes = shapes;
    m_engine.setOptions(m_options);
}

void MainWindow::restoreWatches(const trace::Catalog& catalog)
{
    const QStringList watches = QSettings().value(watchesKeyOf(catalog)).toStringList();
    m_views.inspector->setWatches(watches);
    if (m_options.watches == textsOf(watches))
        return;
    m_options.watches = textsOf(watches);
    m_engine.setOptions(m_options);
}

void MainWindow::restoreRoles(const trace::Catalog& catalog)
{
    for (ViewWidget* analysis : m_views.analyses)
        analysis->setRoleNames(roleNamesOf(catalog));
}

/// An empty name gives the role the one back that says what it does.
void MainWindow::renameRole(const std::string& role)
{
    const SnapshotPointer& snapshot = m_focus.snapshot();
    if (!snapshot)
        return;
    std::map<std::string, std::string> names = roleNamesOf(*snapshot->catalog);
    const auto given = names.find(role);
    const std::string& before = given == names.end() ? role : given->second;
    bool accepted = false;
    const QString name = QInputDialog::getText(this, tr("Name of the role"),
                                               tr("Warps that do “%1” are called").arg(QString::fromStdString(role)),
                                               QLineEdit::Normal, QString::fromStdString(before), &accepted)
                             .trimmed();
    if (!accepted)
        return;
    QVariantMap kept = QSettings().value(rolesKeyOf(*snapshot->catalog)).toMap();
    if (name.isEmpty() || name == QString::fromStdString(role))
        kept.remove(QString::fromStdString(role));
    else
        kept[QString::fromStdString(role)] = name;
    QSettings().setValue(rolesKeyOf(*snapshot->catalog), kept);
    restoreRoles(*snapshot->catalog);
    // A selection is called as its role was.
    if (auto selection = m_views.timeline->selection(); selection && selection->role == before) {
        selection->role = name.isEmpty() ? role : name.toStdString();
        m_views.timeline->select(selection);
    }
}

void MainWindow::watch(const QStringList& watches)
{
    m_views.inspector->setWatches(watches);
    m_options.watches = textsOf(watches);
    m_engine.setOptions(m_options);
    if (const SnapshotPointer& snapshot = m_focus.snapshot())
        QSettings().setValue(watchesKeyOf(*snapshot->catalog), watches);
}

Result<void> MainWindow::reshape(size_t index, const QString& text)
{
    const SnapshotPointer& snapshot = m_focus.snapshot();
    if (!snapshot || index >= snapshot->buffers.size())
        return Error{Error::Code::NotFound, "no such buffer", {}};
    const BufferView& view = snapshot->buffers[index];
    QSettings settings;
    settings.beginGroup(groupOf(*snapshot->catalog));
    const QString name = QString::fromStdString(view.buffer.name);
    if (text.trimmed().isEmpty()) {
        m_options.shapes.erase(view.buffer.name);
        settings.remove(name);
    } else {
        const auto choice = ShapeChoice::parse(text, view.shape.elements);
        if (!choice)
            return choice.error();
        m_options.shapes[view.buffer.name] = choice.value();
        settings.setValue(name, choice.value().text());
    }
    m_engine.setOptions(m_options);
    return {};
}

void MainWindow::askForShape(size_t index)
{
    const BufferView& view = m_focus.snapshot()->buffers[index];
    const auto chosen = m_options.shapes.find(view.buffer.name);
    QString text =
        chosen != m_options.shapes.end()
            ? chosen->second.text()
            : ShapeChoice{view.shape.hasSlices() ? view.shape.elements / view.shape.rowLength() : view.shape.rows,
                          view.shape.rowLength(), view.shape.columnMajor}
                  .text();
    QString hint = tr("Rows x columns of %1 (%2 elements); \"columns\" after it for column-major order.\n"
                      "Empty: as it was recorded.")
                       .arg(QString::fromStdString(view.buffer.name))
                       .arg(view.shape.elements);
    bool again = true;
    while (again) {
        text = QInputDialog::getText(this, tr("Shape of a buffer"), hint, QLineEdit::Normal, text, &again);
        if (!again)
            return;
        const auto reshaped = reshape(index, text);
        if (reshaped)
            return;
        hint = QString::fromStdString(reshaped.error().text());
    }
}

void MainWindow::askForChosenShape()
{
    const SnapshotPointer& snapshot = m_focus.snapshot();
    if (!snapshot || snapshot->buffers.empty())
        return;
    const auto chosen = snapshot->focus.buffer ? snapshot->indexOf(*snapshot->focus.buffer) : std::nullopt;
    if (chosen)
        return askForShape(*chosen);
    m_views.banner->show(Banner::Kind::Info, tr("Click a cell of the buffer first, or right-click the buffer."));
}

}  // namespace lanescope::gui
