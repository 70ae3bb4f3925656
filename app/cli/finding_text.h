// SPDX-License-Identifier: GPL-3.0-or-later
// Findings for people, in the manner of a compiler's messages: place and message, the source line with the expression
// marked, the other side, why, and what to do.
#pragma once

#include <string>
#include <vector>

#include "core/findings/findings_of.h"

namespace lanescope::cli {

enum class Colours { Off, On };

/// On for a terminal that wants them (NO_COLOR, TERM=dumb).
Colours coloursOfStdout();

/// Findings of one catalog.
struct TextPart {
    const trace::Catalog* catalog = nullptr;
    std::vector<findings::ToldFinding> told;
    std::string where = {};  ///< "in ranks 0, 2 of 4": whose they are; may be empty
};

/// \p result: what else is to be said of all of them.
std::string findingsText(const std::vector<TextPart>& parts, const findings::Findings& result, Colours colours);

/// The columns [first, last) of \p line, 0-based, that \p expression takes up there around \p column (1-based); one
/// column when it is not found. Public for tests.
struct Underline {
    size_t first = 0;
    size_t last = 0;
    size_t caret = 0;
};
Underline underlineOf(const std::string& line, uint32_t column, const std::string& expression);

}  // namespace lanescope::cli
