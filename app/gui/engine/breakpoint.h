// SPDX-License-Identifier: GPL-3.0-or-later
// Where running stops: lines, with conditions such as "acc > 100 && threadIdx.x == 3", and writes of cells and
// variables.
#pragma once

#include <map>
#include <optional>
#include <set>
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

/// One element of a buffer, whoever writes it.
struct WatchedCell {
    BufferId buffer;
    uint64_t element = 0;

    friend auto operator<=>(const WatchedCell&, const WatchedCell&) = default;
};

struct Stops {
    Breakpoints lines;
    std::set<WatchedCell> cells;
    std::set<VariableId> variables;  ///< of the focused thread

    [[nodiscard]] bool isEmpty() const { return lines.empty() && cells.empty() && variables.empty(); }
};

}  // namespace lanescope::gui
