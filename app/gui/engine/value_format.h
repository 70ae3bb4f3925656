// SPDX-License-Identifier: GPL-3.0-or-later
// Values as short text: whole in panels, cut to a number of characters in cells.
#pragma once

#include <QString>

#include "app/gui/engine/snapshot.h"

namespace lanescope::gui {

/// The whole value, as replay::valueText.
QString valueText(const trace::ValueType& type, const void* bytes);
/// The value in at most \p columns characters: fewer digits, then 61k, then an exponent.
QString shortValueText(const trace::ValueType& type, const void* bytes, int columns);
/// The value as a number, for heat images; 0 for what is none.
double numberOf(const trace::ValueType& type, const void* bytes);
/// The value of an event's lane; "?" when not known.
QString eventValueText(const Snapshot& snapshot, const StatementEvent& event, int lane);
/// A variable of one lane; a pointer as the buffer it points into ("a", "a + 12").
QString variableText(const Snapshot& snapshot, const trace::Variable& variable, const void* bytes);
/// With its function where others' functions have variables of that name, as inlined ones and their callers do: "sum ·
/// dot".
QString variableName(const Snapshot& snapshot, const trace::Variable& variable);
/// "(2,1)" or "(2,1,3)": as many parts as the extent has.
QString positionText(Dim3 position, Dim3 extent);
/// "block (2,1)", in the word of the launch's language for it.
QString blockText(Dim3 block, const trace::Launch& launch);
/// Position of a linear thread index of the focused launch.
QString threadText(const Snapshot& snapshot, uint64_t thread);
/// With commas between thousands: "1,042,822,146".
QString countText(uint64_t count);
/// How many steps the block has: "600", or "the first 33,554,432 of 1,042,822,146" where no more are shown.
QString stepsText(const BlockOverview& overview);
/// Line \p line (from 1 on) of a source of the catalog, without the blanks around it.
QString codeText(const trace::Catalog& catalog, uint32_t source, uint32_t line);

}  // namespace lanescope::gui
