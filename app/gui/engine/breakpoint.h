// SPDX-License-Identifier: GPL-3.0-or-later
// Conditions of breakpoints: "acc > 100 && threadIdx.x == 3". Variables are those of a lane; threadIdx, blockIdx and
// lane are known too.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::gui {

class Condition {
public:
    /// Comparisons (== != < <= > >=) of names and numbers, joined by &&. Empty text: always true.
    static Result<Condition> parse(const std::string& text);

    /// Whether some lane of \p lanes fulfils it where the cursor is. A variable without a value fulfils nothing.
    [[nodiscard]] bool holds(replay::BlockCursor& cursor, const trace::Catalog& catalog, uint32_t warp,
                             LaneMask lanes) const;
    [[nodiscard]] bool isEmpty() const { return m_terms.empty(); }

private:
    enum class Comparison : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
    struct Operand {
        std::string name;  ///< empty: the number
        double number = 0;
    };
    struct Term {
        Operand left;
        Comparison comparison = Comparison::Equal;
        Operand right;
    };

    static Operand operandOf(const std::string& word);
    static bool compares(double left, Comparison comparison, double right);

    std::vector<Term> m_terms;
};

/// Breakpoints by (source id, line), 1-based.
using Breakpoints = std::map<std::pair<uint32_t, uint32_t>, Condition>;

}  // namespace lanescope::gui
