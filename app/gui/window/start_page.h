// SPDX-License-Identifier: GPL-3.0-or-later
// What there is to begin with: guided tours, exercises, files opened lately; each a picture and a line.
#pragma once

#include <QPointer>
#include <QScrollArea>

#include "app/gui/theme/theme.h"
#include "app/gui/window/exercise_desk.h"
#include "app/gui/window/thumbnails.h"

class QLabel;
class QListView;
class QPushButton;
class QStandardItemModel;

namespace lanescope::gui {

/// A tour in the list.
struct TourEntry {
    QString title;
    QString summary;
    QString program;  ///< path
};

/// The tours that come with Lanescope and whose programs are in \p gallery, in the order of the programs.
std::vector<TourEntry> toursThrough(const QString& gallery);

class StartPage : public QScrollArea {
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);

    /// \p thumbnails must outlive it.
    void setThumbnails(Thumbnails& thumbnails);
    void setTheme(const Theme& theme);
    void fill(const std::vector<TourEntry>& tours, const std::vector<ExerciseEntry>& exercises,
              const QStringList& recent);
    /// In order: tours, exercises, files.
    [[nodiscard]] const std::vector<QListView*>& lists() const { return m_lists; }

signals:
    void tourChosen(const QString& program);
    void exerciseChosen(const QString& name);
    void fileChosen(const QString& path);
    void closeWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QListView* addList(const QString& title);
    void fitLists();
    void reveal(const QListView& list);

    QPointer<Thumbnails> m_thumbnails;  ///< of the window, which lets go of them before its children
    std::vector<QLabel*> m_titles;
    std::vector<QListView*> m_lists;
    std::vector<QPushButton*> m_jumps;
};

}  // namespace lanescope::gui
