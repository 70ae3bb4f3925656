// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/source/source_view.h"

#include <Qsci/qscistyle.h>

#include <QContextMenuEvent>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QRegularExpression>

#include <Qsci/qscicommandset.h>
#include <Qsci/qscilexercpp.h>
#include <Qsci/qscilexerpython.h>

#include <QGuiApplication>
#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <QToolTip>

#include <QSet>

#include <algorithm>
#include <set>
#include <utility>

#include "app/gui/engine/value_format.h"
#include "app/gui/source/syntax.h"
#include "core/layout/cute_type.h"

namespace lanescope::gui {

namespace {

enum Marker : int { kBreakpoint = 1, kNextBand = 2, kNextArrow = 3, kError = 4, kWarning = 5, kDisabled = 6 };
enum Indicator : int { kReads = 8, kWrites = 9 };
constexpr int kNumberMargin = 0;
constexpr int kSymbolMargin = 1;
constexpr int kBarMargin = 2;
constexpr int kBarWidth = 32;

/// Scintilla knows points only.
QFont inPoints(QFont font)
{
    constexpr double kPointsPerInch = 72;
    font.setPointSizeF(font.pixelSize() * kPointsPerInch / QGuiApplication::primaryScreen()->logicalDotsPerInchY());
    return font;
}

/// In lines of \p columns, as annotations do not wrap by themselves.
QString wrapped(const QString& text, int columns)
{
    QStringList lines{QString()};
    for (const QString& word : text.split(u' ')) {
        if (!lines.last().isEmpty() && lines.last().size() + word.size() >= columns)
            lines << QString();
        lines.last() += (lines.last().isEmpty() ? QString() : QStringLiteral(" ")) + word;
    }
    return lines.join(u'\n');
}

/// The theme's letters and papers, and its colour for each kind of token.
void dress(QsciLexer& lexer, const Theme& theme, std::initializer_list<std::pair<TokenKind, std::vector<int>>> kinds)
{
    lexer.setDefaultPaper(theme.window);
    lexer.setDefaultColor(theme.text);
    lexer.setDefaultFont(inPoints(theme.mono(13)));
    lexer.setFont(inPoints(theme.mono(13)), -1);
    lexer.setPaper(theme.window, -1);
    lexer.setColor(theme.text, -1);
    for (const auto& [kind, styles] : kinds)
        for (const int style : styles)
            lexer.setColor(tokenColour(theme, kind), style);
}

class CudaLexer : public QsciLexerCPP {
public:
    CudaLexer(const Theme& theme, QObject* parent) : QsciLexerCPP(parent)
    {
        dress(*this, theme,
              {{TokenKind::Comment, {Comment, CommentLine, CommentDoc, CommentLineDoc}},
               {TokenKind::Keyword, {Keyword}},
               {TokenKind::Builtin, {KeywordSet2}},
               {TokenKind::Type, {GlobalClass}},
               {TokenKind::Number, {Number}},
               {TokenKind::String, {DoubleQuotedString, SingleQuotedString, RawString}},
               {TokenKind::Preprocessor, {PreProcessor}}});
    }

    [[nodiscard]] const char* keywords(int set) const override
    {
        const LanguageWords& words = wordsOf(SourceLanguage::Cuda);
        return set == 1 ? words.keywords : set == 2 ? words.builtins : set == 4 ? words.types : nullptr;
    }
};

/// Of Python and Mojo. Scintilla's has two sets of words: types stand with what is built in.
class PythonLexer : public QsciLexerPython {
public:
    PythonLexer(const Theme& theme, QObject* parent) : QsciLexerPython(parent)
    {
        dress(*this, theme,
              {{TokenKind::Comment, {Comment, CommentBlock}},
               {TokenKind::Keyword, {Keyword}},
               {TokenKind::Builtin, {HighlightedIdentifier}},
               {TokenKind::Number, {Number}},
               {TokenKind::String,
                {DoubleQuotedString, SingleQuotedString, TripleSingleQuotedString, TripleDoubleQuotedString}},
               {TokenKind::Preprocessor, {Decorator}}});
    }

    [[nodiscard]] const char* keywords(int set) const override
    {
        static const std::string kNames =
            std::string(wordsOf(SourceLanguage::Python).builtins) + " " + wordsOf(SourceLanguage::Python).types;
        return set == 1 ? wordsOf(SourceLanguage::Python).keywords : set == 2 ? kNames.c_str() : nullptr;
    }
};

}  // namespace

/// Reads and writes of each line by the focused block, in a margin; ignores the mouse.
class AccessBars : public QWidget {
public:
    AccessBars(SourceView* view, const Theme* theme) : QWidget(view->viewport()), m_view(view), m_theme(theme)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setStyleSheet(QStringLiteral("background: transparent"));
        connect(view->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { update(); });
    }

    void set(const SnapshotPointer& snapshot, SourceId source, const Theme* theme)
    {
        const bool isAsBefore = m_snapshot && snapshot && m_snapshot->overview == snapshot->overview &&
                                m_source == source && m_theme == theme;
        m_snapshot = snapshot;
        m_source = source;
        m_theme = theme;
        if (!isAsBefore)  // the text below would be painted, too
            update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        if (!m_snapshot)
            return;
        const uint64_t most = mostAccesses(*m_snapshot->overview);
        QPainter painter(this);
        const long height = m_view->SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, 0L);
        for (const auto& [where, count] : m_snapshot->overview->lines) {
            if (where.first != m_source.value)
                continue;
            const long position =
                m_view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<long>(where.second) - 1);
            const long top = m_view->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0UL, position);
            const double y = static_cast<double>(top) + static_cast<double>(height) / 2 - 2.5;
            const double unit = (width() - 8.0) / static_cast<double>(most);
            const double reads = static_cast<double>(count.reads) * unit;
            const double writes = static_cast<double>(count.writes) * unit;
            painter.fillRect(QRectF(2, y, reads, 5), m_theme->read);
            painter.fillRect(QRectF(2 + reads, y, writes, 5), m_theme->write);
        }
    }

private:
    SourceView* m_view;
    const Theme* m_theme;
    SnapshotPointer m_snapshot;
    SourceId m_source;
};

SourceView::SourceView(QWidget* parent) : QsciScintilla(parent), m_theme(&themeNamed({})), m_bars(nullptr)
{
    setReadOnly(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);  // else what is below is painted, too
    setUtf8(true);
    setAccessibleName(tr("Source"));
    // Ctrl+L is lecture mode's, Alt+Home the start page's, and nobody misses the others.
    for (QsciCommand::Command rare :
         {QsciCommand::LineCut, QsciCommand::LineDelete, QsciCommand::LineCopy, QsciCommand::LineTranspose,
          QsciCommand::HomeDisplay, QsciCommand::SelectionDuplicate})
        if (QsciCommand* command = standardCommands()->find(rare))
            command->setKey(0);
    setFrameShape(QFrame::NoFrame);
    setMarginType(kNumberMargin, NumberMargin);
    setMarginType(kSymbolMargin, SymbolMargin);
    setMarginWidth(kSymbolMargin, 18);
    setMarginType(kBarMargin, TextMargin);
    setMarginWidth(kBarMargin, kBarWidth);
    setMarginSensitivity(kNumberMargin, true);
    setMarginSensitivity(kSymbolMargin, true);
    setMarginMarkerMask(kSymbolMargin,
                        (1 << kNextArrow) | (1 << kBreakpoint) | (1 << kDisabled) | (1 << kError) | (1 << kWarning));
    setCaretLineVisible(false);
    setCaretWidth(0);
    setWrapMode(WrapWord);
    setWrapIndentMode(WrapIndentIndented);
    SendScintilla(SCI_SETEXTRAASCENT, 2);
    SendScintilla(SCI_SETEXTRADESCENT, 2);
    connect(this, &QsciScintilla::marginClicked, this, [this](int, int line) { toggleBreakpoint(line); });
    m_bars = new AccessBars(this, m_theme);
    setTheme(*m_theme);
}

void SourceView::dressText()
{
    QsciLexer* old = lexer();
    if (m_language == SourceLanguage::Python)
        setLexer(new PythonLexer(*m_theme, this));
    else
        setLexer(new CudaLexer(*m_theme, this));
    delete old;
}

void SourceView::setLanguage(SourceLanguage language)
{
    if (m_language == language)
        return;
    m_language = language;
    setTheme(*m_theme);
}

void SourceView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    dressText();
    setMarginsBackgroundColor(theme.window);
    setMarginsForegroundColor(theme.faint);
    setMarginsFont(inPoints(theme.mono(12)));
    fitNumbers();
    fitType();
    setSelectionBackgroundColor(mixed(theme.accent, theme.window, 0.35));
    setSelectionForegroundColor(theme.text);
    markerDefine(RightTriangle, kNextArrow);
    markerDefine(Background, kNextBand);
    markerDefine(Circle, kBreakpoint);
    setMarkerBackgroundColor(theme.accent, kNextArrow);
    setMarkerForegroundColor(theme.accent, kNextArrow);
    setMarkerBackgroundColor(mixed(theme.accent, theme.window, 0.22), kNextBand);
    setMarkerBackgroundColor(theme.error, kBreakpoint);
    setMarkerForegroundColor(theme.error, kBreakpoint);
    markerDefine(Circle, kDisabled);
    setMarkerBackgroundColor(theme.window, kDisabled);
    setMarkerForegroundColor(theme.error, kDisabled);
    for (const auto& [marker, colour] : {std::pair(kError, theme.error), std::pair(kWarning, theme.warning)}) {
        markerDefine(LeftRectangle, marker);
        setMarkerBackgroundColor(colour, marker);
        setMarkerForegroundColor(colour, marker);
    }
    indicatorDefine(DashesIndicator, kReads);
    indicatorDefine(PlainIndicator, kWrites);
    setIndicatorForegroundColor(theme.read, kReads);
    setIndicatorForegroundColor(theme.write, kWrites);
    m_bars->set(m_snapshot, m_marks.source, m_theme);
    if (isReadOnly())  // lines are as high as the theme's type
        revealNextLine();
}

void SourceView::setEditing(bool on)
{
    setReadOnly(!on);
    setCaretWidth(on ? 2 : 0);
    setCaretForegroundColor(m_theme->text);
    if (on)
        setFocus();
}

void SourceView::showDiagnostics(const QString& text)
{
    clearAnnotations();
    static const QRegularExpression message(QStringLiteral("^[^\\n]*:(\\d+):(\\d+): (?:fatal )?(error|warning): (.*)$"),
                                            QRegularExpression::MultilineOption);
    const QsciStyle style(-1, QStringLiteral("diagnostic"), m_theme->error,
                          mixed(m_theme->error, m_theme->window, 0.12), inPoints(m_theme->sans(12.5)));
    const QFontMetricsF metrics(m_theme->sans(12.5));
    const int columns = std::max(
        20, static_cast<int>((viewport()->width() - m_bars->geometry().right()) / metrics.averageCharWidth()) - 4);
    auto matches = message.globalMatch(text);
    int first = -1;
    while (matches.hasNext()) {
        const auto match = matches.next();
        const int line = match.captured(1).toInt() - 1;
        if (line < 0 || line >= lines())
            continue;
        const QString before = annotation(line);
        const QString here = wrapped(match.captured(3) + QStringLiteral(": ") + match.captured(4), columns);
        annotate(line, before.isEmpty() ? here : before + u'\n' + here, style);
        first = first < 0 ? line : first;
    }
    setAnnotationDisplay(AnnotationStandard);
    if (first >= 0)
        ensureLineVisible(first);
}

void SourceView::showText(const QString& text)
{
    m_snapshot.reset();
    m_shownCatalog = nullptr;
    m_marks = {};
    markerDeleteAll();
    setLanguage(SourceLanguage::Cuda);
    setText(text);
    fitNumbers();
    setModified(false);
    m_bars->set({}, {}, m_theme);
}

void SourceView::setSnapshot(const SnapshotPointer& snapshot)
{
    m_snapshot = snapshot;
    if (!snapshot)
        return;
    const SourceMarks before = std::exchange(m_marks, SourceMarks::of(*snapshot));
    bool isOtherText = isEdited();
    const auto& sources = snapshot->catalog->sources;
    if (m_marks.source.value < sources.size() && !isEdited() &&
        (m_shownCatalog != snapshot->catalog.get() || before.source != m_marks.source)) {
        isOtherText = true;
        setLanguage(languageOf(sources[m_marks.source.value].path));
        // Who works at a text finds it, recorded again, as it was left.
        if (const QString recorded = QString::fromStdString(sources[m_marks.source.value].text); recorded != text())
            setText(recorded);
        fitNumbers();
        setModified(false);
        m_shownCatalog = snapshot->catalog.get();
        for (const int marker : {kBreakpoint, kDisabled})
            markerDeleteAll(marker);
        for (const auto& [place, condition] : m_breakpoints)
            if (place.first == m_marks.source.value)
                markBreakpoint(place);
    }
    if (isOtherText)
        showMarks();
    else if (m_marks != before)
        showMarksInstead(before);
    revealNextLine();
    m_bars->set(snapshot, m_marks.source, m_theme);
}

void SourceView::showMarks()
{
    for (int marker : {kNextArrow, kNextBand, kError, kWarning})
        markerDeleteAll(marker);
    for (const auto& fault : m_marks.faults)
        markerAdd(static_cast<int>(fault.line) - 1, fault.isError ? kError : kWarning);
    for (int indicator : {kReads, kWrites})
        clearIndicatorRange(0, 0, lines(), 0, indicator);
    for (const auto& mark : m_marks.underlines) {
        const int line = static_cast<int>(mark.line) - 1;
        const int column = static_cast<int>(mark.column) - 1;
        fillIndicatorRange(line, column, line, column + static_cast<int>(mark.length), mark.writes ? kWrites : kReads);
    }
    if (m_marks.nextLine == 0)
        return;
    const int line = static_cast<int>(m_marks.nextLine) - 1;
    markerAdd(line, kNextArrow);
    markerAdd(line, kNextBand);
}

/// A mark has Scintilla paint all lines again; here those are enough that have another one.
void SourceView::showMarksInstead(const SourceMarks& before)
{
    viewport()->setAttribute(Qt::WA_UpdatesDisabled);
    showMarks();
    viewport()->setAttribute(Qt::WA_UpdatesDisabled, false);
    std::set<uint32_t> lines;
    for (const SourceMarks* marks : {&before, &std::as_const(m_marks)}) {
        lines.insert(marks->nextLine);
        for (const auto& mark : marks->underlines)
            lines.insert(mark.line);
        for (const auto& fault : marks->faults)
            lines.insert(fault.line);
    }
    lines.erase(0);
    const int height = static_cast<int>(SendScintilla(SCI_TEXTHEIGHT, 0L));
    for (const uint32_t line : lines) {
        const auto index = static_cast<unsigned long>(line) - 1;
        const long position = SendScintilla(SCI_POSITIONFROMLINE, index);
        const int top = static_cast<int>(SendScintilla(SCI_POINTYFROMPOSITION, 0UL, position));
        const int rows = static_cast<int>(SendScintilla(SCI_WRAPCOUNT, index));
        viewport()->update(0, top, viewport()->width(), rows * height);
    }
}

void SourceView::revealNextLine()
{
    if (m_marks.nextLine == 0)
        return;
    const int line = static_cast<int>(m_marks.nextLine) - 1;
    // Counted as shown: a line that is wrapped takes several.
    const int row = static_cast<int>(SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line)));
    const int first = firstVisibleLine();
    const auto visible = static_cast<int>(SendScintilla(SCI_LINESONSCREEN));
    if (row < first + 2 || row > first + visible - 3)
        setFirstVisibleLine(std::max(0, row - visible / 2));
}

void SourceView::toggleBreakpoint(int line)
{
    const std::pair key(m_marks.source.value, static_cast<uint32_t>(line + 1));
    if (m_breakpoints.erase(key) == 0)
        m_breakpoints[key] = {};
    m_conditions.erase(key);
    m_disabled.erase(key);
    markBreakpoint(key);
    emit breakpointsChanged(m_breakpoints);
}

Result<void> SourceView::setBreakpoint(uint32_t line, const QString& condition)
{
    auto parsed = Condition::parse(condition.toStdString());
    if (!parsed)
        return parsed.error();
    const std::pair key(m_marks.source.value, line);
    m_breakpoints[key] = parsed.value();
    m_conditions[key] = condition;
    markBreakpoint(key);
    emit breakpointsChanged(m_breakpoints);
    return {};
}

void SourceView::askForCondition(int line)
{
    const std::pair key(m_marks.source.value, static_cast<uint32_t>(line + 1));
    QString text = m_conditions[key];
    QString hint = tr("Stop at line %1 when some lane has, for example: acc > 100 && threadIdx.x == 3").arg(line + 1);
    bool again = true;
    while (again) {
        hint.replace(u'&', QStringLiteral("&&"));  // a label takes one for the mark of a key
        text = QInputDialog::getText(this, tr("Breakpoint"), hint, QLineEdit::Normal, text, &again);
        if (!again)
            return;
        const auto set = setBreakpoint(key.second, text);
        if (set)
            return;
        hint = QString::fromStdString(set.error().text());
    }
}

void SourceView::removeBreakpoint(std::pair<uint32_t, uint32_t> line)
{
    if (m_breakpoints.erase(line) == 0)
        return;
    m_conditions.erase(line);
    m_disabled.erase(line);
    markBreakpoint(line);
    emit breakpointsChanged(m_breakpoints);
}

/// A dot beside the line; a ring where it is disabled, nothing where there is none.
void SourceView::markBreakpoint(std::pair<uint32_t, uint32_t> line)
{
    if (line.first != m_marks.source.value)
        return;
    const int index = static_cast<int>(line.second) - 1;
    for (const int marker : {kBreakpoint, kDisabled})
        markerDelete(index, marker);
    if (m_breakpoints.contains(line))
        markerAdd(index, m_disabled.contains(line) ? kDisabled : kBreakpoint);
}

void SourceView::enableBreakpoint(std::pair<uint32_t, uint32_t> line, bool on)
{
    if (!m_breakpoints.contains(line))
        return;
    if (on)
        m_disabled.erase(line);
    else
        m_disabled.insert(line);
    markBreakpoint(line);
    emit breakpointsChanged(m_breakpoints);
}

Breakpoints SourceView::enabledBreakpoints() const
{
    Breakpoints enabled = m_breakpoints;
    for (const auto& line : m_disabled)
        enabled.erase(line);
    return enabled;
}

/// Of several with one name the one in scope, else the last.
const VariableView* SourceView::variableNamed(const QString& word) const
{
    if (!m_snapshot || word.isEmpty())
        return nullptr;
    const VariableView* found = nullptr;
    for (const VariableView& view : m_snapshot->variables)
        if (m_snapshot->catalog->variables[view.id.value].name == word.toStdString() &&
            (found == nullptr || view.inScope || !found->inScope))
            found = &view;
    return found;
}

namespace {

/// "-3 to 27" of numbers, "3 values" of others; empty where all lanes have the same.
QString rangeText(const Snapshot& snapshot, const VariableView& view, const trace::Variable& variable)
{
    std::map<double, QString> values;
    QSet<QString> texts;
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        if (((view.image.written & snapshot.focusedWarp().launched) >> lane & 1) != 0) {
            const void* bytes = view.image.value[lane].data();
            texts.insert(variableText(snapshot, variable, bytes));
            values[numberOf(variable.type, bytes)] = variableText(snapshot, variable, bytes);
        }
    if (texts.size() < 2)
        return {};
    return values.size() == static_cast<size_t>(texts.size())
               ? SourceView::tr("%1 to %2").arg(values.begin()->second, values.rbegin()->second)
               : SourceView::tr("%1 values").arg(texts.size());
}

/// The offsets that a layout gives, as a small table, coloured by the place in its row of 32 banks' words; the first of
/// them where they are many.
QString gridOf(const layout::CuteLayout& layout, const Theme& theme)
{
    constexpr int64_t kMost = 16;
    if (!layout.rows())
        return {};
    const int64_t rows = std::min(kMost, *layout.rows()), cols = std::min(kMost, *layout.cols());
    const QColor hues[] = {theme.read, theme.write, theme.good, theme.atomic};
    QString table = QStringLiteral("<table cellspacing='1' cellpadding='2'>");
    for (int64_t row = 0; row < rows; ++row) {
        table += QStringLiteral("<tr>");
        for (int64_t col = 0; col < cols; ++col) {
            const QColor colour = mixed(hues[col * 4 / std::max<int64_t>(cols, 1) % 4], theme.stage, 0.4);
            table += QStringLiteral("<td align='right' bgcolor='%1'><font color='%2'>%3</font></td>")
                         .arg(colour.name(), theme.text.name())
                         .arg(layout.at(row, col));
        }
        table += cols < *layout.cols() ? QStringLiteral("<td>…</td></tr>") : QStringLiteral("</tr>");
    }
    if (rows < *layout.rows())
        table += QStringLiteral("<tr><td>…</td></tr>");
    return table + QStringLiteral("</table>");
}

}  // namespace

/// Of one of CuTe's layouts or tensors: what its type says of it, with a picture.
QString SourceView::layoutOf(const QString& word) const
{
    if (!m_snapshot || word.isEmpty())
        return {};
    for (const BufferView& view : m_snapshot->buffers)
        if (view.buffer.space == trace::Space::Local && view.buffer.name == word.toStdString())
            if (const auto layout = layout::cuteLayoutOf(view.buffer.element.name))
                return QStringLiteral("<p><b>%1</b>: %2</p>%3")
                    .arg(word.toHtmlEscaped(), QString::fromStdString(layout->text()).toHtmlEscaped(),
                         gridOf(*layout, *m_theme));
    return {};
}

QString SourceView::valueOf(const QString& word) const
{
    const VariableView* view = variableNamed(word);
    if (view == nullptr)
        return layoutOf(word);
    const trace::Variable& variable = m_snapshot->catalog->variables[view->id.value];
    const auto lane = static_cast<size_t>(m_snapshot->lane);
    const QString thread = positionText(m_snapshot->focus.thread, m_snapshot->launch().block);
    if (((view->image.written >> lane) & 1) == 0)
        return tr("%1: not set yet in thread %2").arg(word, thread);
    QString text = tr("%1 = %2 in thread %3")
                       .arg(word, variableText(*m_snapshot, variable, view->image.value[lane].data()), thread);
    if (const QString range = rangeText(*m_snapshot, *view, variable); !range.isEmpty())
        text += tr("; %1 in the warp").arg(range);
    return view->inScope ? text : text + tr(" (out of scope)");
}

void SourceView::showValueAt(QPoint point, QPoint onScreen)
{
    const QString text = valueOf(wordAtPoint(point));
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(onScreen, text, viewport());
}

bool SourceView::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QsciScintilla::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    showValueAt(help->pos(), help->globalPos());
    return true;
}

uint32_t SourceView::chosenLine() const
{
    int line = 0;
    int column = 0;
    getCursorPosition(&line, &column);
    return !hasFocus() && m_marks.nextLine > 0 ? m_marks.nextLine : static_cast<uint32_t>(line) + 1;
}

bool SourceView::find(const QString& text, Direction direction)
{
    const bool forward = direction == Direction::Forward;
    int line = 0;
    int column = 0;
    int lastLine = 0;
    int lastColumn = 0;
    getSelection(&line, &column, &lastLine, &lastColumn);
    if (line < 0)
        getCursorPosition(&line, &column);
    // Who still types stays at the place found so far, where that goes on as it should.
    const bool isTyping = text.size() > selectedText().size() && text.startsWith(selectedText(), Qt::CaseInsensitive);
    const bool after = forward && lastLine >= 0 && !isTyping;
    const bool found =
        findFirst(text, false, false, false, true, forward, after ? lastLine : line, after ? lastColumn : column, true);
    if (!found)
        setSelection(line, column, line, column);
    return found;
}

void SourceView::reveal(uint32_t line)
{
    setCursorPosition(static_cast<int>(line) - 1, 0);
    ensureLineVisible(static_cast<int>(line) - 1);
}

void SourceView::putCursor(uint32_t line)
{
    const int index = static_cast<int>(line) - 1;
    setCursorPosition(index, 0);
    const auto row = static_cast<int>(SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(index)));
    setFirstVisibleLine(std::max(0, row - static_cast<int>(SendScintilla(SCI_LINESONSCREEN)) / 2));
}

void SourceView::contextMenuEvent(QContextMenuEvent* event)
{
    const int line = lineAt(event->pos());
    if (line < 0)
        return;
    QMenu menu(this);
    MenuPlace place;
    if (const VariableView* variable = variableNamed(wordAtPoint(event->pos())))
        place.variable = variable->id;
    emit menuWanted(&menu, place);
    if (!menu.isEmpty())
        menu.addSeparator();
    menu.addAction(tr("Toggle breakpoint"), this, [this, line] { toggleBreakpoint(line); });
    menu.addAction(tr("Breakpoint with condition…"), this, [this, line] { askForCondition(line); });
    const auto number = static_cast<uint32_t>(line) + 1;
    menu.addAction(tr("Run to this line"), this,
                   [this, number] { emit runToLineWanted(m_marks.source, number, Direction::Forward); });
    menu.addAction(tr("Run back to this line"), this,
                   [this, number] { emit runToLineWanted(m_marks.source, number, Direction::Backward); });
    menu.exec(event->globalPos());
}

/// Who reads steps with the editor's keys: they are the window's until one edits.
bool SourceView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && isReadOnly()) {
        event->ignore();
        return false;
    }
    return QsciScintilla::event(event);
}

void SourceView::keyPressEvent(QKeyEvent* event)
{
    if (!isReadOnly() || event->matches(QKeySequence::Copy))
        return QsciScintilla::keyPressEvent(event);
    event->ignore();
}

void SourceView::toggleBreakpointAtCursor()
{
    toggleBreakpoint(static_cast<int>(chosenLine()) - 1);
}

/// As wide as the last line's number, so that the code has the room.
void SourceView::fitNumbers()
{
    setMarginWidth(kNumberMargin, QString(QString::number(std::max(100, lines())).size() + 1, u'0'));
    placeBars();
}

/// Where code of a usual width would be wrapped all over, its type is a little smaller, and what goes on in the next
/// line is hardly indented.
void SourceView::fitType()
{
    constexpr int kFewColumns = 41;
    constexpr int kSmallest = -3;
    constexpr unsigned long kPlain = 0;  // style
    constexpr int kUsualIndent = 4, kLeastIndent = 2, kAsTabs = 0;
    const auto columns = [this] {
        const std::string letters(kFewColumns, '0');  // many of them: the width is in whole pixels
        const auto wide = std::max(1L, SendScintilla(SCI_TEXTWIDTH, kPlain, letters.c_str()));
        const int margins = marginWidth(kNumberMargin) + marginWidth(kSymbolMargin) + marginWidth(kBarMargin);
        return kFewColumns * (width() - margins) / wide;
    };
    int zoom = 0;
    for (zoomTo(zoom); columns() < kFewColumns && zoom > kSmallest;)
        zoomTo(--zoom);
    setIndentationWidth(!isReadOnly() ? kAsTabs : zoom < 0 ? kLeastIndent : kUsualIndent);
}

void SourceView::resizeEvent(QResizeEvent* event)
{
    QsciScintilla::resizeEvent(event);
    fitType();
    const auto line = std::max(1, static_cast<int>(SendScintilla(SCI_TEXTHEIGHT, 0L)));
    setViewportMargins(0, 0, 0, height() % line);  // no half line at the end
    placeBars();
    if (isReadOnly())  // who edits is elsewhere
        revealNextLine();
}

void SourceView::placeBars()
{
    if (m_bars != nullptr)
        m_bars->setGeometry(marginWidth(kNumberMargin) + marginWidth(kSymbolMargin), 0, kBarWidth,
                            viewport()->height());
}

}  // namespace lanescope::gui
