// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What untyped registers (.b32, .b64) hold, from the instructions that read and write them. It changes no result: it
// lets values, and the elements of the buffers that they come from, be shown as what they are.
#pragma once

#include <set>
#include <string>

#include "core/simt/ptx/ptx_parser.h"

namespace lanescope::simt {

/// Registers that instructions on floats use more often than others do; what is moved between registers counts for
/// both.
std::set<std::string> floatRegisters(const PtxText& text);

}  // namespace lanescope::simt
