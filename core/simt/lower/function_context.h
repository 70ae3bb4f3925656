// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all share that lower instructions of one function.
#pragma once

#include <vector>

#include "core/simt/lower/code_writer.h"
#include "core/simt/lower/function_analysis.h"
#include "core/simt/lower/operation_writer.h"
#include "core/simt/lower/program_builder.h"
#include "core/simt/lower/register_pool.h"
#include "core/simt/lower/site_writer.h"
#include "core/simt/lower/value_map.h"

namespace lanescope::simt {

/// The function as it was read, and what it is written with. Who is made from a context keeps references to what it
/// uses of it.
struct FunctionContext {
    FunctionContext(ProgramBuilder& builder, llvm::Function& function, bool isKernel,
                    const std::vector<Parts>& parameters);

    ProgramBuilder& builder;
    const FunctionAnalysis analysis;
    CodeWriter code;
    RegisterPool registers;
    OperationWriter operations;
    ValueMap values;
    SiteWriter sites;
};

}  // namespace lanescope::simt
