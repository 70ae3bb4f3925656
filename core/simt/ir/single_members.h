// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs that are one number or pointer (__half, iterators, handles). Unoptimised code copies and passes them as bytes
// in memory; as what they are, they are loads and stores like any others.
#pragma once

#include <llvm/IR/Module.h>

namespace lanescope::simt {

/// Copies of one become a load and a store of its member, functions that are only called by name take the member in
/// place of a copy in memory, and a variable whose address goes nowhere is one of its member's type: a register, which
/// is recorded as other variables are.
void unwrapSingleMembers(llvm::Module& module);

}  // namespace lanescope::simt
