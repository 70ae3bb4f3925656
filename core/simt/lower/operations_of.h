// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a basic block does beside accesses, branches, barriers and calls, by source line.
#pragma once

#include <vector>

#include <llvm/IR/BasicBlock.h>

#include "core/simt/code/program.h"
#include "core/simt/lower/site_writer.h"

namespace lanescope::simt {

/// By line and kind; each shuffle, vote, match, reduction and matrix product by itself, with its column. What the
/// source has no line for is left out.
std::vector<CountedOperations> operationsOf(const llvm::BasicBlock& block, const SiteWriter& sites);

}  // namespace lanescope::simt
