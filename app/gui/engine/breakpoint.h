// SPDX-License-Identifier: GPL-3.0-or-later
// Conditions of breakpoints: "acc > 100 && threadIdx.x == 3".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/replay/expression.h"

namespace lanescope::gui {

class Condition {
public:
    /// An expression of replay::Expression. Empty text: always true.
    static Result<Condition> parse(const std::string& text);

    /// Whether some lane of \p lanes fulfils it where the cursor is. A lane without a value does not.
    [[nodiscard]] bool holds(replay::BlockCursor& cursor, const trace::Catalog& catalog,
                             const std::vector<trace::Buffer>& buffers, uint32_t warp, LaneMask lanes) const;
    [[nodiscard]] bool isEmpty() const { return !m_expression; }

private:
    std::optional<replay::Expression> m_expression;
};

/// Breakpoints by (source id, line), 1-based.
using Breakpoints = std::map<std::pair<uint32_t, uint32_t>, Condition>;

}  // namespace lanescope::gui
