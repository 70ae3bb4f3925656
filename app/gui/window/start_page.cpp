// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/start_page.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QVBoxLayout>

#include "app/gui/tour/tour_library.h"

namespace lanescope::gui {

namespace {

constexpr int kSummaryRole = Qt::UserRole + 1;
constexpr int kTargetRole = Qt::UserRole + 2;   ///< a program, an exercise's name or a file
constexpr int kProgramRole = Qt::UserRole + 3;  ///< of the picture
constexpr int kTourRole = Qt::UserRole + 4;     ///< whether the picture is a tour's
constexpr int kDoneRole = Qt::UserRole + 5;

constexpr QSizeF kPicture(200, 125);  // at type scale 1, as the rest
constexpr double kTitleHeight = 18;
constexpr double kLineHeight = 17;
constexpr int kTitleLines = 2;
constexpr int kLines = 2;
constexpr double kMargin = 10;

/// A picture, a title, a line.
class CardDelegate : public QStyledItemDelegate {
public:
    CardDelegate(QListView* list, QPointer<Thumbnails>& thumbnails)
        : QStyledItemDelegate(list), m_thumbnails(thumbnails)
    {
    }

    void setTheme(const Theme& theme) { m_theme = &theme; }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        const double picture = hasPicture(index) ? kPicture.height() : 0;
        return (QSizeF(kPicture.width() + 2 * kMargin,
                       picture + kTitleLines * kTitleHeight + kLines * kLineHeight + 2.5 * kMargin) *
                m_theme->typeScale)
            .toSize();
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const double scale = m_theme->typeScale;
        const double margin = kMargin * scale;
        const QRectF card = QRectF(option.rect).adjusted(2, 2, -2, -2);
        const bool isChosen = option.state.testFlag(QStyle::State_HasFocus);
        const bool isHovered = option.state.testFlag(QStyle::State_MouseOver);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(isChosen || isHovered ? m_theme->accent : m_theme->border, isChosen ? 2 : 1));
        painter->setBrush(m_theme->raised);
        painter->drawRoundedRect(card, 6, 6);
        double y = card.top() + margin - 2;
        if (hasPicture(index)) {
            const QRectF place(card.left() + margin - 2, y, card.width() - 2 * margin + 4, kPicture.height() * scale);
            paintPicture(*painter, place, index);
            y = place.bottom();
        }
        const QRectF text(card.left() + margin, y, card.width() - 2 * margin, card.bottom() - y);
        paintText(*painter, text, index);
        painter->restore();
    }

private:
    static bool hasPicture(const QModelIndex& index) { return !index.data(kProgramRole).toString().isEmpty(); }

    void paintPicture(QPainter& painter, const QRectF& place, const QModelIndex& index) const
    {
        painter.fillRect(place, m_theme->stage);
        if (m_thumbnails == nullptr)
            return;
        const QPixmap picture = m_thumbnails->of({index.data(kProgramRole).toString(), index.data(kTourRole).toBool()});
        if (picture.isNull())
            return;
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        const QSizeF size = QSizeF(picture.size()).scaled(place.size(), Qt::KeepAspectRatio);
        painter.drawPixmap(QRectF(place.center() - QPointF(size.width(), size.height()) / 2, size), picture,
                           picture.rect());
    }

    void paintText(QPainter& painter, const QRectF& area, const QModelIndex& index) const
    {
        const double scale = m_theme->typeScale;
        const QFont bold = m_theme->sans(13, true);
        QRectF title(area.left(), area.top() + 5 * scale, area.width(), kTitleHeight * scale);
        if (index.data(kDoneRole).toBool()) {
            painter.setFont(bold);
            painter.setPen(m_theme->good);
            painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("✓"));
            title.setWidth(title.width() - 18 * scale);
        }
        painter.setPen(m_theme->text);
        const double titleBottom = paintLines(painter, index.data(Qt::DisplayRole).toString(), bold, title.topLeft(),
                                              title.width(), kTitleHeight * scale, kTitleLines);
        painter.setPen(m_theme->dim);
        // What the title leaves free is the line's.
        const double space = area.bottom() - kMargin * scale / 2 - titleBottom;
        const int lines = std::max(1, static_cast<int>(space / (kLineHeight * scale)));
        paintLines(painter, index.data(kSummaryRole).toString(), m_theme->sans(11.5), {area.left(), titleBottom},
                   area.width(), kLineHeight * scale, lines);
    }

    /// At most \p most lines, the last one elided; where the next one would begin.
    static double paintLines(QPainter& painter, const QString& text, const QFont& font, QPointF at, double width,
                             double height, int most)
    {
        painter.setFont(font);
        QTextLayout layout(text, font);
        layout.beginLayout();
        double y = at.y();
        for (int line = 1; line <= most; ++line) {
            QTextLine next = layout.createLine();
            if (!next.isValid())
                break;
            next.setLineWidth(width);
            const QString rest = text.mid(next.textStart());
            const bool isCut = line == most && next.textStart() + next.textLength() < text.size();
            painter.drawText(QRectF(at.x(), y, width, height), Qt::AlignLeft | Qt::AlignVCenter,
                             isCut ? QFontMetricsF(font).elidedText(rest, Qt::ElideRight, width)
                                   : rest.left(next.textLength()).trimmed());
            y += height;
        }
        layout.endLayout();
        return y;
    }

    const Theme* m_theme = &themeNamed({});
    QPointer<Thumbnails>& m_thumbnails;
};

CardDelegate* delegateOf(const QListView& list)
{
    return static_cast<CardDelegate*>(list.itemDelegate());
}

QStandardItemModel* modelOf(const QListView& list)
{
    return static_cast<QStandardItemModel*>(list.model());
}

QStandardItem* addCard(const QListView& list, const QString& title, const QString& summary, const QString& target)
{
    auto* item = new QStandardItem(title);
    item->setData(summary, kSummaryRole);
    item->setData(target, kTargetRole);
    item->setData(summary, Qt::AccessibleDescriptionRole);
    item->setToolTip(title + u'\n' + summary);
    item->setEditable(false);
    modelOf(list)->appendRow(item);
    return item;
}

/// The buttons that lead to the lists.
QPushButton* jumpButton(const QString& title, QListView* list, QWidget* parent)
{
    auto* button = new QPushButton(title, parent);
    button->setObjectName(QStringLiteral("pill"));
    button->setFocusPolicy(Qt::TabFocus);
    QObject::connect(button, &QPushButton::clicked, list, [list] { list->setFocus(); });
    return button;
}

QString firstSentence(const std::string& caption)
{
    QString text = QString::fromStdString(caption).section(u'\n', 0, 0);
    text.remove(u'`');
    const qsizetype end = text.indexOf(QLatin1String(". "));
    return end < 0 ? text : text.left(end + 1);
}

}  // namespace

std::vector<TourEntry> toursThrough(const QString& gallery)
{
    std::vector<TourEntry> all;
    QStringList paths;
    QDirIterator files(QStringLiteral(":/lanescope/tours"), {QStringLiteral("*.tour")}, QDir::Files);
    while (files.hasNext())
        paths << files.next();
    paths.sort();
    for (const QString& path : paths) {
        const auto tour = readTour(path);
        if (!tour)
            continue;
        const QString program = QDir(gallery).filePath(QString::fromStdString(tour.value().program));
        if (QFile::exists(program))
            all.push_back({QString::fromStdString(tour.value().title),
                           firstSentence(tour.value().stops.front().caption), program});
    }
    return all;
}

StartPage::StartPage(QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Start page"));
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(24, 12, 24, 24);
    column->setSpacing(2);
    setWidget(page);
    connect(addList(tr("Guided tours")), &QListView::activated, this,
            [this](const QModelIndex& index) { emit tourChosen(index.data(kTargetRole).toString()); });
    connect(addList(tr("Exercises")), &QListView::activated, this,
            [this](const QModelIndex& index) { emit exerciseChosen(index.data(kTargetRole).toString()); });
    connect(addList(tr("Opened lately")), &QListView::activated, this,
            [this](const QModelIndex& index) { emit fileChosen(index.data(kTargetRole).toString()); });
    column->addStretch(1);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    for (size_t i = 0; i < m_lists.size(); ++i) {
        m_jumps.push_back(jumpButton(m_titles[i]->text(), m_lists[i], page));
        row->addWidget(m_jumps.back());
    }
    row->addStretch(1);
    column->insertLayout(0, row);
}

QListView* StartPage::addList(const QString& title)
{
    auto* label = new QLabel(title, widget());
    label->setObjectName(QStringLiteral("sectionTitle"));
    auto* list = new QListView(widget());
    list->setModel(new QStandardItemModel(list));
    list->setItemDelegate(new CardDelegate(list, m_thumbnails));
    list->setViewMode(QListView::IconMode);
    list->setResizeMode(QListView::Adjust);
    list->setMovement(QListView::Static);
    list->setUniformItemSizes(true);
    list->setSpacing(4);
    list->setMouseTracking(true);
    list->setAccessibleName(title);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // One click opens, as Enter does.
    connect(list, &QListView::clicked, list, &QListView::activated);
    connect(list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this, list] { reveal(*list); });
    list->installEventFilter(this);
    widget()->layout()->addWidget(label);
    widget()->layout()->addWidget(list);
    m_titles.push_back(label);
    m_lists.push_back(list);
    return list;
}

void StartPage::setThumbnails(Thumbnails& thumbnails)
{
    m_thumbnails = &thumbnails;
    connect(m_thumbnails, &Thumbnails::ready, this, [this] {
        for (QListView* list : m_lists)
            list->viewport()->update();
    });
}

void StartPage::setTheme(const Theme& theme)
{
    for (QListView* list : m_lists) {
        delegateOf(*list)->setTheme(theme);
        list->doItemsLayout();
    }
    fitLists();
}

void StartPage::fill(const std::vector<TourEntry>& tours, const std::vector<ExerciseEntry>& exercises,
                     const QStringList& recent)
{
    for (QListView* list : m_lists)
        modelOf(*list)->clear();
    for (const TourEntry& tour : tours) {
        QStandardItem* item = addCard(*m_lists[0], tour.title, tour.summary, tour.program);
        item->setData(tour.program, kProgramRole);
        item->setData(true, kTourRole);
    }
    for (const ExerciseEntry& exercise : exercises) {
        QStandardItem* item = addCard(*m_lists[1], exercise.title, exercise.summary, exercise.name);
        item->setData(exercise.program, kProgramRole);
        item->setData(exercise.isSolved, kDoneRole);
        if (exercise.isSolved)
            item->setToolTip(item->toolTip() + tr("\nSolved"));
    }
    for (const QString& path : recent)
        addCard(*m_lists[2], QFileInfo(path).fileName(), QDir::toNativeSeparators(QFileInfo(path).path()), path);
    for (size_t i = 0; i < m_lists.size(); ++i) {
        const bool hasItems = modelOf(*m_lists[i])->rowCount() > 0;
        m_titles[i]->setVisible(hasItems);
        m_lists[i]->setVisible(hasItems);
        m_jumps[i]->setVisible(hasItems);
        if (hasItems)
            m_lists[i]->setCurrentIndex(modelOf(*m_lists[i])->index(0, 0));
    }
    verticalScrollBar()->setValue(0);
    fitLists();
}

/// Each as high as its cards are: the page scrolls, not they.
void StartPage::fitLists()
{
    for (QListView* list : m_lists) {
        const int count = modelOf(*list)->rowCount();
        if (count == 0)
            continue;
        const QSize card = delegateOf(*list)->sizeHint({}, modelOf(*list)->index(0, 0));
        const int space = list->spacing();
        const int width = viewport()->width() - 48;  // of the page's margins
        const int columns = std::max(1, (width - space) / (card.width() + space));
        const int rows = (count + columns - 1) / columns;
        list->setFixedHeight(rows * (card.height() + space) + 2 * space + 2);
    }
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    fitLists();
}

/// The card that the keyboard is at.
void StartPage::reveal(const QListView& list)
{
    const QRect card = list.visualRect(list.currentIndex());
    const QPoint centre = list.viewport()->mapTo(widget(), card.center());
    constexpr int kAround = 40;  // its list's title, too
    ensureVisible(centre.x(), centre.y(), card.width() / 2, card.height() / 2 + kAround);
}

bool StartPage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn)
        if (const auto* list = qobject_cast<QListView*>(watched))
            reveal(*list);
    return QScrollArea::eventFilter(watched, event);
}

void StartPage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        emit closeWanted();
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        event->accept();  // the list has opened the card
    else
        QScrollArea::keyPressEvent(event);
}

void StartPage::showEvent(QShowEvent* event)
{
    QScrollArea::showEvent(event);
    fitLists();
    if (m_thumbnails != nullptr)
        m_thumbnails->setRunning(true);
}

void StartPage::hideEvent(QHideEvent* event)
{
    QScrollArea::hideEvent(event);
    if (m_thumbnails != nullptr)
        m_thumbnails->setRunning(false);
}

}  // namespace lanescope::gui
