// SPDX-License-Identifier: GPL-3.0-or-later
// What everybody has to know of a view: the command and its help, the window's tabs and dialogs, tests, `./dev
// pictures`. Each view describes itself; nothing else repeats what a view is called or takes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::gui {

struct ViewSettings;

/// An option of `render` that one view has, or several. Each kind changes the settings by a value of its own type.
struct ViewOption {
    struct Number {
        using Value = double;
        Value least;  ///< the range is closed
        Value most;
        void (*choose)(ViewSettings& settings, const Value& value);
    };
    struct Count {
        using Value = uint32_t;
        Value least;
        Value most;
        void (*choose)(ViewSettings& settings, const Value& value);
    };
    struct Word {
        using Value = std::string;
        std::vector<Value> words;
        void (*choose)(ViewSettings& settings, const Value& value);
    };

    /// Any text; the view says what it makes of it.
    struct Text {
        using Value = std::string;
        void (*choose)(ViewSettings& settings, const Value& value);
    };

    std::string flag;  ///< "--pad"
    std::string help;
    std::variant<Number, Count, Word, Text> takes;
};

/// What options were given, by their flags.
using OptionValues = std::map<std::string, std::variant<double, uint32_t, std::string>>;

struct ViewDescription {
    std::string name;                   ///< as `render --view` and tours take it
    std::string title;                  ///< of its tab
    std::string help;                   ///< what it shows, in a line
    std::vector<ViewOption> options{};  ///< that it has beside those of all views
    int traces = 1;                     ///< that it shows; of two, the second is `--compare`'s
    bool countsSelection = false;       ///< counts only the steps that are selected on the timeline
};

/// All views that `render` draws, in the order of its help.
const std::vector<ViewDescription>& viewDescriptions();

}  // namespace lanescope::gui
