// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/breakpoint.h"

#include <bit>

namespace lanescope::gui {

Result<Condition> Condition::parse(const std::string& text)
{
    Condition condition;
    if (text.find_first_not_of(' ') == std::string::npos)
        return condition;
    auto expression = replay::Expression::parse(text);
    if (!expression) {
        Error error = expression.error();
        error.message += "; write for example acc > 5 && threadIdx.x == 3";
        return error;
    }
    condition.m_expression = expression.value();
    return condition;
}

bool Condition::holds(replay::BlockCursor& cursor, const trace::Catalog& catalog,
                      const std::vector<trace::Buffer>& buffers, uint32_t warp, LaneMask lanes) const
{
    if (!m_expression)
        return true;
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto value =
            m_expression->evaluate({cursor, catalog, buffers, warp, static_cast<uint32_t>(std::countr_zero(lanes))});
        if (value && value.value().isTrue())
            return true;
    }
    return false;
}

}  // namespace lanescope::gui
