// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/gallery_panel.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "app/gui/theme/whole_cells.h"
#include "core/findings/told_once.h"

namespace lanescope::gui {

namespace {

QString extentText(Dim3 extent)
{
    if (extent.z > 1)
        return QStringLiteral("(%1,%2,%3)").arg(extent.x).arg(extent.y).arg(extent.z);
    return extent.y > 1 ? QStringLiteral("(%1,%2)").arg(extent.x).arg(extent.y) : QString::number(extent.x);
}

QString counted(uint64_t count, const QString& noun)
{
    return count == 1 ? QStringLiteral("1 ") + noun : QStringLiteral("%1 %2s").arg(count).arg(noun);
}

bool hasSeveralDevices(const trace::Catalog& catalog)
{
    return std::ranges::any_of(catalog.launches, [](const trace::Launch& launch) { return launch.device > 0; });
}

QString launchText(const trace::Launch& launch, bool severalDevices)
{
    const QString text =
        QStringLiteral("%1  %2<<<%3, %4>>>")
            .arg(launch.id.value)
            .arg(QString::fromStdString(launch.kernel), extentText(launch.grid), extentText(launch.block));
    return severalDevices ? QCoreApplication::translate("GalleryPanel", "%1  device %2").arg(text).arg(launch.device)
                          : text;
}

}  // namespace

QString kernelsFolder(const QString& executable)
{
    const QString chosen = qEnvironmentVariable("LANESCOPE_KERNELS");
    if (!chosen.isEmpty())
        return QDir(chosen).exists() ? chosen : QString();
    const QDir beside = QFileInfo(executable).dir();
    for (const char* place : {"../../../kernels", "../share/lanescope/kernels"})
        if (const QString folder = beside.filePath(QString::fromLatin1(place)); QDir(folder).exists())
            return QDir(folder).canonicalPath();
    return {};
}

QStringList galleryPrograms(const QString& folder)
{
    QStringList programs;
    if (folder.isEmpty())
        return programs;
    QDirIterator files(folder, {QStringLiteral("*.cu")}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext())
        programs << QDir(folder).relativeFilePath(files.next());
    programs.sort();
    return programs;
}

QString openingProgram(const QString& folder)
{
    const QStringList programs = galleryPrograms(folder);
    for (const QString& program : programs)
        if (program.contains(QLatin1String("matmul_tiled")) || program.contains(QLatin1String("matmul/tiled")))
            return QDir(folder).filePath(program);
    return programs.isEmpty() ? QString() : QDir(folder).filePath(programs.front());
}

GalleryPanel::GalleryPanel(QWidget* parent) : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 0, 8, 4);
    column->setSpacing(0);
    m_launches = addList(tr("Launches"), &m_launchesTitle);
    m_note = new QLabel(this);
    m_note->setProperty("class", QStringLiteral("note"));
    m_note->setContentsMargins(4, 2, 4, 2);
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    m_programs = addList(tr("Gallery"), &m_programsTitle);
    m_programs->setMinimumHeight(56);  // two of them are seen, whatever the note above takes
    connect(m_programs, &QListWidget::itemActivated, this,
            [this](QListWidgetItem* item) { emit programChosen(QDir(m_folder).filePath(item->text())); });
    connect(m_launches, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { emit launchChosen(LaunchId(item->data(Qt::UserRole).toUInt())); });
    setFolder({});
}

QListWidget* GalleryPanel::addList(const QString& title, QLabel** titleLabel)
{
    *titleLabel = new QLabel(title, this);
    (*titleLabel)->setObjectName(QStringLiteral("sectionTitle"));
    auto* list = new QListWidget(this);
    list->setAccessibleName(title);
    list->setUniformItemSizes(true);
    list->setItemDelegate(new WholeCellsDelegate(list));
    layout()->addWidget(*titleLabel);
    layout()->addWidget(list);
    return list;
}

void GalleryPanel::setFolder(const QString& folder)
{
    m_folder = folder;
    m_programs->clear();
    m_programs->addItems(galleryPrograms(folder));
    m_programs->setToolTip(tr("Double-click records the program and shows it"));
    m_programs->setVisible(m_programs->count() > 0);
    m_programsTitle->setVisible(m_programs->count() > 0);
}

void GalleryPanel::setCatalog(const CatalogPointer& catalog)
{
    m_catalog = catalog;
    const int current = m_launches->currentRow();
    m_launches->clear();
    const bool severalDevices = hasSeveralDevices(*catalog);
    for (const trace::Launch& launch : catalog->launches) {
        auto* item = new QListWidgetItem(launchText(launch, severalDevices), m_launches);
        item->setData(Qt::UserRole, launch.id.value);
    }
    constexpr int kMostRows = 5;
    const int rows = std::clamp(m_launches->count(), 1, kMostRows);
    m_launches->setFixedHeight(rows * std::max(24, m_launches->sizeHintForRow(0)) + 6);
    m_launches->setCurrentRow(std::clamp(current, 0, std::max(0, m_launches->count() - 1)));
    describe({});
}

void GalleryPanel::setSnapshot(const SnapshotPointer& snapshot)
{
    m_launches->setCurrentRow(static_cast<int>(snapshot->focus.launch.value));
    describe(snapshot);
}

/// A wrapped label is squeezed by its neighbours unless it insists on its height.
void GalleryPanel::fitNote()
{
    m_note->setFixedHeight(std::max(0, m_note->heightForWidth(std::max(1, m_note->width()))));
    setMinimumHeight(layout()->minimumSize().height());  // else the dock squeezes it
}

void GalleryPanel::resizeEvent(QResizeEvent*)
{
    m_note->setFixedWidth(width() - layout()->contentsMargins().left() - layout()->contentsMargins().right());
    fitNote();
}

void GalleryPanel::describe(const SnapshotPointer& snapshot)
{
    const trace::SessionInfo& session = m_catalog ? m_catalog->session : trace::SessionInfo();
    QStringList parts{QFileInfo(QString::fromStdString(session.program)).fileName(),
                      QString::fromStdString(session.device), QString::fromStdString(session.mode)};
    if (snapshot) {
        const trace::Launch& launch = snapshot->launch();
        const uint64_t blocks = launch.grid.count();
        parts << (snapshot->blocksReadable < blocks ? tr("%1 of %2 blocks").arg(snapshot->blocksReadable).arg(blocks)
                                                    : counted(blocks, tr("block")));
        parts << tr("%1 threads").arg(blocks * launch.threadsPerBlock());
        if (launch.eventsDropped + launch.blocksDropped > 0)
            parts << tr("%1 blocks dropped").arg(launch.blocksDropped);
    }
    if (m_catalog && !session.variablesRecorded)
        parts << tr("no variables");
    if (m_catalog)
        parts << counted(findings::toldOnce(m_catalog->findings).size(), tr("finding"));
    // Lines break between the parts only, and not after the hyphen of "-O0".
    for (QString& part : parts)
        part.replace(QLatin1Char(' '), QChar::Nbsp).replace(QLatin1Char('-'), QChar(0x2011));
    const QString text = m_catalog ? parts.join(QStringLiteral(" · ")) : tr("Nothing is open.");
    if (text == m_note->text())
        return;
    m_note->setText(text);
    fitNote();
}

}  // namespace lanescope::gui
