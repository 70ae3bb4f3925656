// SPDX-License-Identifier: GPL-3.0-or-later
// Steps as one HTML file that any browser shows offline: forwards and backwards, in every theme, on narrow screens too.
#pragma once

#include <QHash>
#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "app/gui/export/picture.h"

namespace lanescope::gui {

/// What is said of a step beside its picture.
struct StepWords {
    QString place;    ///< "block (1,1), step 19 of 72"
    QString caption;  ///< what was done
    QString source;   ///< path of the file that `line` is in
    int line = 0;     ///< that is next, 1-based; 0: none
};

/// Colours of the page around the pictures, as CSS takes them.
struct PageColours {
    QString background;
    QString raised;
    QString border;
    QString text;
    QString dim;
    QString accent;
};

class StepsPage {
public:
    /// \p firstTheme: with which the page opens.
    StepsPage(QString title, QString firstTheme);
    /// \p text: of a source that steps name.
    void addSource(const QString& path, const QString& text);
    void addStep(const StepWords& words);
    /// One picture for each step, in their order. The widest set that a screen has room for is shown.
    void addPictures(const QString& theme, const PageColours& colours, QSize size,
                     const std::vector<Drawing>& pictures);
    /// Errors: file not writable.
    [[nodiscard]] Result<void> write(const QString& path) const;

private:
    QJsonArray partsOf(const QByteArray& svg);

    QString m_title;
    QString m_firstTheme;
    QJsonArray m_steps;
    QJsonObject m_sources;
    QJsonArray m_sets;
    QHash<QByteArray, int> m_known;  ///< pieces of pictures, by their text
    QJsonArray m_parts;              ///< the same, by their numbers
};

}  // namespace lanescope::gui
