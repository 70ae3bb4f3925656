// SPDX-License-Identifier: GPL-3.0-or-later
// What each kind of finding means: for the text output, and as rules in SARIF.
#pragma once

#include <string>

namespace lanescope::cli {

struct FindingGuide {
    const char* kind;
    const char* severity;  ///< usual one: "error", "warning" or "advice"
    const char* title;     ///< a few words
    const char* why;       ///< one sentence: why it is a defect
    const char* help;      ///< one sentence: what to do; "" when the message itself says it
};

/// Of a kind of the command's contract; a guide without texts for others.
const FindingGuide& guideTo(const std::string& kind);

}  // namespace lanescope::cli
