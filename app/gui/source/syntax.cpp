// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/source/syntax.h"

#include <QFontMetricsF>
#include <QSet>
#include <QStringList>

#include <optional>

#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {

QSet<QString> wordSet(const char* words)
{
    const QStringList list = QString::fromLatin1(words).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return {list.begin(), list.end()};
}

constexpr LanguageWords kCuda{
    "__global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ __forceinline__ "
    "alignas break case catch class const constexpr continue default delete do else enum explicit extern false "
    "for friend goto if inline namespace new nullptr operator private protected public register reinterpret_cast "
    "return sizeof static static_assert static_cast struct switch template this throw true try typedef typename "
    "union using virtual volatile while",
    "threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __shfl_sync __shfl_down_sync "
    "__shfl_up_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync __popc atomicAdd atomicSub atomicExch "
    "atomicMin atomicMax atomicCAS atomicAnd atomicOr atomicXor cudaMalloc cudaMemcpy cudaFree cudaMemset "
    "cudaDeviceSynchronize cudaGetLastError",
    "void bool char short int long float double signed unsigned size_t half float2 float3 float4 "
    "int2 int3 int4 uint2 uint3 uint4 dim3 int8_t int16_t int32_t int64_t uint8_t uint16_t "
    "uint32_t uint64_t auto"};

/// Python's, and Mojo's, which has more.
constexpr LanguageWords kPython{
    "False None True and as assert break class continue def del elif else except finally for from global if import in "
    "is lambda nonlocal not or pass raise return try while with yield "
    "alias comptime deinit fn imm mut out raises ref rebind struct trait var",
    "thread_idx block_idx block_dim grid_dim global_idx lane_id barrier stack_allocation threadIdx blockIdx blockDim "
    "gridDim syncthreads tl triton cuda cupy range len print min max",
    "int float bool str list dict tuple Int Bool String List Float16 Float32 Float64 Int8 Int16 Int32 Int64 UInt8 "
    "UInt16 UInt32 UInt64 Scalar SIMD DType Pointer UnsafePointer LayoutTensor TileTensor constexpr"};

TokenKind wordKind(const QString& word, SourceLanguage language)
{
    struct Sets {
        QSet<QString> keywords, builtins, types;
    };
    static const auto setsOf = [](SourceLanguage of) {
        const LanguageWords& words = wordsOf(of);
        return Sets{wordSet(words.keywords), wordSet(words.builtins), wordSet(words.types)};
    };
    static const Sets kSets[] = {setsOf(SourceLanguage::Cuda), setsOf(SourceLanguage::Python)};
    const Sets& sets = kSets[static_cast<size_t>(language)];
    if (sets.types.contains(word))
        return TokenKind::Type;
    if (sets.builtins.contains(word))
        return TokenKind::Builtin;
    return sets.keywords.contains(word) ? TokenKind::Keyword : TokenKind::Plain;
}

bool isWordPart(QChar c)
{
    return c.isLetterOrNumber() || c == QLatin1Char('_');
}

qsizetype endOfComment(const QString& line, qsizetype from, bool& inComment)
{
    const qsizetype end = line.indexOf(QLatin1String("*/"), from);
    inComment = end < 0;
    return end < 0 ? line.size() : end + 2;
}

qsizetype endOfQuoted(const QString& line, qsizetype from)
{
    qsizetype at = from + 1;
    while (at < line.size() && line[at] != line[from])
        at += line[at] == QLatin1Char('\\') ? 2 : 1;
    return std::min(at + 1, line.size());
}

/// What only one language has: comments, directives. None: something else begins here.
std::optional<Token> markAt(const QString& line, qsizetype at, bool& inComment, SourceLanguage language)
{
    const QStringView rest = QStringView(line).mid(at);
    if (language == SourceLanguage::Python) {
        if (line[at] == QLatin1Char('#'))
            return Token{at, line.size() - at, TokenKind::Comment};
        return line[at] == QLatin1Char('@') && rest.trimmed().size() == line.trimmed().size()
                   ? std::optional(Token{at, line.size() - at, TokenKind::Preprocessor})
                   : std::nullopt;
    }
    if (inComment)
        return Token{at, endOfComment(line, at, inComment) - at, TokenKind::Comment};
    if (rest.startsWith(QLatin1String("//")))
        return Token{at, line.size() - at, TokenKind::Comment};
    if (rest.startsWith(QLatin1String("/*")))
        return Token{at, endOfComment(line, at + 2, inComment) - at, TokenKind::Comment};
    return line[at] == QLatin1Char('#') ? std::optional(Token{at, line.size() - at, TokenKind::Preprocessor})
                                        : std::nullopt;
}

Token tokenAt(const QString& line, qsizetype at, bool& inComment, SourceLanguage language)
{
    if (const std::optional<Token> mark = markAt(line, at, inComment, language))
        return *mark;
    if (line[at] == QLatin1Char('"') || line[at] == QLatin1Char('\''))
        return {at, endOfQuoted(line, at) - at, TokenKind::String};
    qsizetype end = at;
    if (line[at].isDigit()) {
        while (end < line.size() && (isWordPart(line[end]) || line[end] == QLatin1Char('.')))
            ++end;
        return {at, end - at, TokenKind::Number};
    }
    if (isWordPart(line[at])) {
        while (end < line.size() && isWordPart(line[end]))
            ++end;
        return {at, end - at, wordKind(line.mid(at, end - at), language)};
    }
    return {at, 1, TokenKind::Plain};
}

}  // namespace

const LanguageWords& wordsOf(SourceLanguage language)
{
    return language == SourceLanguage::Python ? kPython : kCuda;
}

std::vector<Token> tokensOf(const QString& line, bool& inComment, SourceLanguage language)
{
    std::vector<Token> tokens;
    for (qsizetype at = 0; at < line.size();) {
        const Token token = tokenAt(line, at, inComment, language);
        if (!tokens.empty() && tokens.back().kind == TokenKind::Plain && token.kind == TokenKind::Plain)
            tokens.back().length += token.length;
        else
            tokens.push_back(token);
        at = token.start + token.length;
    }
    return tokens;
}

QColor tokenColour(const Theme& theme, TokenKind kind)
{
    switch (kind) {
    case TokenKind::Keyword:
        return theme.dark ? QColor("#cc9bd0") : QColor("#8a3f78");
    case TokenKind::Type:
        return theme.dark ? QColor("#6fc3b0") : QColor("#00715a");
    case TokenKind::Builtin:
        return theme.dark ? QColor("#7cc0ec") : QColor("#00629b");
    case TokenKind::Number:
        return theme.dark ? QColor("#e0b060") : QColor("#8f5b00");
    case TokenKind::String:
        return theme.dark ? QColor("#b5c98a") : QColor("#55701c");
    case TokenKind::Comment:
        return theme.dark ? QColor("#7d8896") : QColor("#6d7786");
    case TokenKind::Preprocessor:
        return theme.dim;
    case TokenKind::Plain:
        break;
    }
    return theme.text;
}

void drawCode(QPainter& painter, const QRectF& box, const QString& line, const Theme& theme, const QFont& font,
              SourceLanguage language)
{
    const QFontMetricsF metrics(font);
    const double y = box.center().y() + metrics.capHeight() / 2;
    const double advance = metrics.horizontalAdvance(QLatin1Char('0'));
    bool inComment = false;
    painter.setFont(font);
    for (const Token& token : tokensOf(line, inComment, language)) {
        painter.setPen(tokenColour(theme, token.kind));
        drawTextLine(painter, QPointF(box.left() + advance * static_cast<double>(token.start), y),
                     line.mid(token.start, token.length));
    }
}

}  // namespace lanescope::gui
