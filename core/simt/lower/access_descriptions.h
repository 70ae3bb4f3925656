// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an access says of itself to those who record and judge it.
#pragma once

#include <map>
#include <tuple>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/lower/access_analysis.h"
#include "core/simt/lower/function_context.h"
#include "core/simt/lower/shape_checks.h"

namespace lanescope::simt {

/// Adds the sites of accesses.
class AccessDescriptions {
public:
    AccessDescriptions(FunctionContext& context, ShapeChecks& shapes)
        : m_builder(context.builder), m_sites(context.sites), m_shapes(shapes)
    {
    }

    /// Gives \p info, of an access of \p type by \p instr, its site and how strong it is; shapes of addresses that were
    /// kept for it get its name.
    void describe(MemoryInfo& info, const llvm::Instruction& instr, const llvm::Value* pointer, trace::SiteKind kind,
                  llvm::Type* type);

private:
    ProgramBuilder& m_builder;
    SiteWriter& m_sites;
    ShapeChecks& m_shapes;
    StrongLoads m_strongLoads;
    /// By place in the source (copies of an instruction share theirs), kind, type.
    std::map<std::tuple<const llvm::DILocation*, trace::SiteKind, llvm::Type*>, uint32_t> m_firstSites;
};

}  // namespace lanescope::simt
