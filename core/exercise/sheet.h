// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file that a learner gets: the exercise's program with the hole in it, between two marks.
#pragma once

#include <optional>
#include <string>

#include "core/exercise/exercise.h"

namespace lanescope::exercise {

class Sheet {
public:
    /// \p program: text of the exercise's program. Its first comment, which may tell the answer, makes way for the
    /// exercise's title. Error BadInput where the program has no such hole.
    static Result<Sheet> of(const Exercise& exercise, const std::string& program);

    /// The whole file with \p code in the hole.
    [[nodiscard]] std::string with(const std::string& code) const;
    /// As it is begun.
    [[nodiscard]] std::string start() const { return with(m_start); }
    /// The exercise's own, else what the program has in the hole.
    [[nodiscard]] const std::string& solution() const { return m_solution; }
    /// The code in the hole of \p file. Error BadInput names the first line outside the hole that was changed.
    [[nodiscard]] Result<std::string> codeOf(const std::string& file) const;

private:
    std::string m_before;  ///< with the first mark
    std::string m_after;   ///< from the last mark on
    std::string m_start;
    std::string m_solution;
};

/// The exercise that \p file is an answer to, by its marks; none where there are none.
std::optional<std::string> exerciseNamedIn(const std::string& file);

/// Lines of the hole of \p file: [first, last], 1-based, between the marks; last < first where it is empty.
struct HoleLines {
    uint32_t first = 0;
    uint32_t last = 0;
};
std::optional<HoleLines> holeLinesOf(const std::string& file);

}  // namespace lanescope::exercise
