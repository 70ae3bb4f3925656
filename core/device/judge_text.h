// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What findings of all kinds have in common: cells in words, the occurrences worth showing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/device/instances.h"
#include "core/device/judge.h"

namespace lanescope::device {

/// "a[3][1]" of a flat element index; an index past the end keeps the outermost one growing.
std::string cellText(const trace::Buffer& buffer, uint64_t index);
/// Byte offset in a slot; those in its upper half come from negative indexes.
int64_t signedOffset(uint64_t address);
/// Flat element index; negative before the buffer.
int64_t cellOf(uint64_t address, const trace::Buffer& buffer);
bool sameLine(const trace::Site& a, const trace::Site& b);
/// Flat element index of an address.
using CellOfAddress = std::function<int64_t(uint64_t)>;
/// That in \p buffer; null where there is none.
CellOfAddress cellsOf(const JudgeContext::Place& place);
/// Adds the smallest and the typical occurrence, where they are not the first one, with their cells if \p cellOfAddress
/// is there. \p twoSides: each access of the finding is a side; otherwise all are of one thread.
void addInstances(trace::Finding& finding, const Instances& instances, const CellOfAddress& cellOfAddress,
                  bool twoSides, const JudgeContext& context);

}  // namespace lanescope::device
