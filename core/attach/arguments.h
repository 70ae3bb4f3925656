// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's arguments, as its call gave them.
#pragma once

#include <optional>

#include "core/attach/cubin.h"
#include "core/attach/memory_map.h"
#include "core/trace/writer.h"

namespace lanescope::attach {

/// Fills in the launch's arguments and calls buffers after them. \p values: [parameter], where each is; null: unknown.
/// \p source: the text in which the kernel may be found. The result: what the first pointer to numbers points to.
std::optional<trace::ValueType> describeArguments(trace::Launch& launch, const CubinFunction& kernel, void** values,
                                                  const std::string& source, const Regions& regions, MemoryMap& memory,
                                                  trace::TraceWriter& writer);

}  // namespace lanescope::attach
