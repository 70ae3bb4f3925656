// SPDX-License-Identifier: GPL-3.0-or-later
// Which lines of a source belong to one statement, so that a read on one line and the write that begins on
// the line above are shown as one step of the program.
#pragma once

#include <string_view>
#include <vector>

#include <cstdint>

#include "app/gui/engine/source_language.h"

namespace lanescope::gui {

/// Built once per source by looking at line endings and brackets; knows comments, strings and preprocessor
/// lines, no more of a language.
class StatementMap {
public:
    explicit StatementMap(std::string_view text, SourceLanguage language = SourceLanguage::Cuda);

    /// First line (1-based) of the statement that \p line belongs to; \p line itself when out of range.
    [[nodiscard]] uint32_t firstLine(uint32_t line) const;
    /// Last line of that statement.
    [[nodiscard]] uint32_t lastLine(uint32_t line) const;

private:
    std::vector<uint32_t> m_first;  ///< [line - 1]
};

}  // namespace lanescope::gui
