// SPDX-License-Identifier: GPL-3.0-or-later
// Colours a line of CUDA C++, Python or Mojo for painters (the window's source view uses QScintilla's own lexer).
#pragma once

#include <QPainter>
#include <QString>

#include <vector>

#include "app/gui/engine/source_language.h"
#include "app/gui/theme/theme.h"

namespace lanescope::gui {

enum class TokenKind : uint8_t { Plain, Keyword, Type, Number, String, Comment, Builtin, Preprocessor };

struct Token {
    qsizetype start = 0;
    qsizetype length = 0;
    TokenKind kind = TokenKind::Plain;
};

/// Tokens of one line, in order, covering it. \p inComment: inside a /* comment; carried to the next line.
std::vector<Token> tokensOf(const QString& line, bool& inComment, SourceLanguage language);
QColor tokenColour(const Theme& theme, TokenKind kind);
/// Draws one line, vertically centred.
void drawCode(QPainter& painter, const QRectF& box, const QString& line, const Theme& theme, const QFont& font,
              SourceLanguage language);

/// Words that stand out, blank-separated, for lexers.
struct LanguageWords {
    const char* keywords;
    const char* builtins;
    const char* types;
};
const LanguageWords& wordsOf(SourceLanguage language);

}  // namespace lanescope::gui
