// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/exercise_panel.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include "app/gui/window/wrapping_row.h"

namespace lanescope::gui {

namespace {

constexpr int kCheckRole = Qt::UserRole + 1;

/// Rows as high as their text at the width of the view.
class WrappingDelegate : public QStyledItemDelegate {
public:
    explicit WrappingDelegate(QTreeView* view) : QStyledItemDelegate(view), m_view(view) {}

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        constexpr int kPadding = 16;  // left and right of the text, and what a style leaves free beside it
        constexpr int kSpace = 8;
        const int indent = m_view->indentation() * (index.parent().isValid() ? 1 : 0);
        const int width = std::max(40, m_view->viewport()->width() - indent - 2 * kPadding);
        const QRect text =
            QFontMetrics(option.font)
                .boundingRect(QRect(0, 0, width, 10'000), Qt::TextWordWrap, index.data(Qt::DisplayRole).toString());
        return {width, text.height() + kSpace};
    }

private:
    const QTreeView* m_view;
};

/// Code between backticks in the type of code.
QString htmlOf(const std::string& prose)
{
    const QStringList parts = QString::fromStdString(prose).toHtmlEscaped().split(u'`');
    QString html;
    for (qsizetype i = 0; i < parts.size(); ++i)
        html += i % 2 == 1 ? QStringLiteral("<span style=\"font-family:'JetBrains Mono'\">%1</span>").arg(parts[i])
                           : parts[i];
    return html.replace(u'\n', QLatin1String("<br><br>"));
}

QPushButton* buttonFor(const QString& text, QAction* action, QWidget* parent)
{
    auto* button = new QPushButton(text, parent);
    button->setAccessibleName(action->text());
    button->setToolTip(action->toolTip());
    button->setFocusPolicy(Qt::TabFocus);
    button->setEnabled(action->isEnabled());
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    QObject::connect(action, &QAction::enabledChanged, button, &QPushButton::setEnabled);
    return button;
}

}  // namespace

ExercisePanel::ExercisePanel(const std::vector<std::pair<QString, QAction*>>& buttons, QWidget* parent)
    : QWidget(parent), m_model(new QStandardItemModel(this)), m_verdict(new QTreeView(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(9, 4, 8, 6);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setAccessibleName(tr("What is wanted"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = new QWidget(scroll);
    auto* texts = new QVBoxLayout(page);
    texts->setContentsMargins(0, 0, 4, 0);
    m_title = addLabel("tourTitle", page);
    m_text = addLabel("exerciseText", page);
    m_hints = addLabel("exerciseHints", page);
    m_solution = addLabel("exerciseSolution", page);
    m_solution->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_solution->setWordWrap(false);
    for (QLabel* label : {m_title, m_text, m_hints, m_solution})
        texts->addWidget(label);
    texts->addStretch(1);
    scroll->setWidget(page);
    // What was asked for stands at the end, where it may not be seen otherwise.
    connect(scroll->verticalScrollBar(), &QScrollBar::rangeChanged, this, [this, scroll](int, int end) {
        if (!m_hints->isHidden() || !m_solution->isHidden())
            scroll->verticalScrollBar()->setValue(end);
    });
    column->addWidget(scroll, 3);
    auto* row = new WrappingRow(nullptr);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    for (const auto& [text, action] : buttons)
        row->addWidget(buttonFor(text, action, this));
    column->addLayout(row);
    m_state = addLabel("sectionTitle", this);
    column->addWidget(m_state);
    m_verdict->setModel(m_model);
    m_verdict->setAccessibleName(tr("Verdict"));
    m_verdict->setHeaderHidden(true);
    m_verdict->setWordWrap(true);
    m_verdict->setRootIsDecorated(false);
    m_verdict->setItemDelegate(new WrappingDelegate(m_verdict));
    m_verdict->setTextElideMode(Qt::ElideNone);
    m_verdict->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_verdict->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_verdict->setUniformRowHeights(false);
    column->addWidget(m_verdict, 2);
    connect(m_verdict, &QTreeView::clicked, this, &ExercisePanel::choose);
    connect(m_verdict, &QTreeView::activated, this, &ExercisePanel::choose);
    clearVerdict();
}

QLabel* ExercisePanel::addLabel(const char* objectName, QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QLatin1String(objectName));
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    return label;
}

void ExercisePanel::setExercise(const exercise::Exercise& exercise)
{
    m_exercise = exercise;
    m_title->setText(QString::fromStdString(exercise.title).toHtmlEscaped());
    m_text->setText(htmlOf(exercise.text));
    setAccessibleDescription(QString::fromStdString(exercise.text));
    showHints(0);
    showSolution({});
    clearVerdict();
}

QString ExercisePanel::text() const
{
    QStringList shown;
    for (const QLabel* label : {m_title, m_text, m_hints, m_solution, m_state})
        if (!label->isHidden())
            shown << label->text();
    return shown.join(u'\n');
}

void ExercisePanel::showHints(size_t count)
{
    QString html;
    for (size_t i = 0; i < std::min(count, m_exercise.hints.size()); ++i)
        html += QStringLiteral("<p><b>%1</b> %2</p>").arg(tr("Hint %1.").arg(i + 1), htmlOf(m_exercise.hints[i]));
    m_hints->setText(html);
    m_hints->setVisible(count > 0);
}

void ExercisePanel::showSolution(const QString& code)
{
    m_solution->setText(QStringLiteral("<b>%1</b><pre style=\"font-family:'JetBrains Mono'\">%2</pre>")
                            .arg(tr("One solution"), code.toHtmlEscaped()));
    m_solution->setVisible(!code.isEmpty());
}

void ExercisePanel::clearVerdict()
{
    m_checks.clear();
    m_model->clear();
    m_state->setText(tr("Not checked yet: Ctrl+Enter runs the tests"));
    m_verdict->setVisible(false);
}

void ExercisePanel::setVerdict(const ExerciseVerdict& verdict)
{
    clearVerdict();
    m_state->setText(verdict.solved ? tr("Solved ✓") : tr("Not yet"));
    for (const ExerciseTest& test : verdict.tests) {
        const QString mark = !test.ran ? QStringLiteral("–") : test.passed ? QStringLiteral("✓") : QStringLiteral("✗");
        auto* row = new QStandardItem(mark + u' ' + (test.ran ? test.title : tr("%1, not run").arg(test.title)));
        for (const ExerciseCheck& check : test.checks) {
            const bool leads = !check.trace.isEmpty() && !check.focus.isEmpty();
            auto* item = new QStandardItem((check.passed ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) +
                                           check.message + (leads ? QStringLiteral("  →") : QString()));
            item->setData(static_cast<int>(m_checks.size()), kCheckRole);
            item->setToolTip(leads ? tr("Shows the step") : QString());
            m_checks.push_back(check);
            row->appendRow(item);
        }
        m_model->appendRow(row);
    }
    m_verdict->setVisible(true);
    m_verdict->expandAll();
}

void ExercisePanel::choose(const QModelIndex& index)
{
    const QVariant number = index.data(kCheckRole);
    if (!number.isValid())
        return;
    const ExerciseCheck& check = m_checks[number.toUInt()];
    if (!check.trace.isEmpty())
        emit checkChosen(check);
}

/// Rows are as high as their wrapped text at this width.
void ExercisePanel::resizeEvent(QResizeEvent*)
{
    m_verdict->doItemsLayout();
}

}  // namespace lanescope::gui
