// SPDX-License-Identifier: GPL-3.0-or-later
// The left-hand dock: the gallery's programs, and the launches of the open trace.
#pragma once

#include <QWidget>

#include "app/gui/engine/snapshot.h"

class QLabel;
class QListWidget;

namespace lanescope::gui {

/// Folder with the gallery's programs: $LANESCOPE_KERNELS, or beside \p executable; empty when there is none.
QString kernelsFolder(const QString& executable);
/// All *.cu of the folder, sorted; relative to it.
QStringList galleryPrograms(const QString& folder);
/// What a newcomer sees first: a program whose name speaks of a tiled matmul, else the first.
QString openingProgram(const QString& folder);

class GalleryPanel : public QWidget {
    Q_OBJECT

public:
    explicit GalleryPanel(QWidget* parent = nullptr);

    void setFolder(const QString& folder);
    void setCatalog(const CatalogPointer& catalog);
    void setSnapshot(const SnapshotPointer& snapshot);
    QSize sizeHint() const override { return {320, 210}; }

signals:
    void programChosen(const QString& path);
    void launchChosen(lanescope::LaunchId launch);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitNote();
    QListWidget* addList(const QString& title, QLabel** titleLabel);
    void describe(const SnapshotPointer& snapshot);

    QString m_folder;
    QListWidget* m_programs;
    QListWidget* m_launches;
    QLabel* m_programsTitle = nullptr;
    QLabel* m_launchesTitle = nullptr;
    QLabel* m_note;
    CatalogPointer m_catalog;
};

}  // namespace lanescope::gui
