// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/function_context.h"

namespace lanescope::simt {

namespace {

/// A list of what a function that may call itself keeps, begun with its parameters; null for others.
SpillList* newSpills(ProgramBuilder& builder, llvm::Function& function, const std::vector<Parts>& parameters)
{
    if (!builder.isRecursive(function))
        return nullptr;
    SpillList& spills = builder.program().spills.emplace_back();
    for (size_t i = 0; i < parameters.size(); ++i) {
        const std::vector<Leaf> all =
            leavesOf(builder.layout(), function.getArg(static_cast<unsigned>(i))->getType(), nullptr);
        for (size_t part = 0; part < parameters[i].size(); ++part)
            spills.registers.emplace_back(parameters[i][part].reg, isWide(all[part].lane));
    }
    return &spills;
}

}  // namespace

FunctionContext::FunctionContext(ProgramBuilder& programBuilder, llvm::Function& function, bool isKernel,
                                 const std::vector<Parts>& parameters)
    : builder(programBuilder),
      analysis(function, isKernel, programBuilder.isRecursive(function), programBuilder.purpose()),
      code(programBuilder.program()),
      registers(programBuilder.registers(), newSpills(programBuilder, function, parameters)),
      operations(code, registers, programBuilder.handlers()),
      values(programBuilder, analysis, registers, operations, parameters), sites(programBuilder, function)
{
}

}  // namespace lanescope::simt
