// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the shared arrays of a PTX module are called, and what is in them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/simt/ptx/ptx_function.h"

namespace lanescope::simt {

class PtxArrays {
public:
    PtxArrays(llvm::Module& module, PtxLines& lines, PtxTypes& types) : m_module(module), m_lines(lines), m_types(types)
    {
    }

    /// Once all \p functions are IR.
    void describe(const std::vector<const PtxFunction*>& functions);

private:
    static constexpr uint64_t kAnySize = 0;
    void match(const PtxFunction& function);
    std::optional<uint64_t> sharedBytesOf(const PtxSourceVariable& variable);
    void describeByAccesses(llvm::GlobalVariable& global, const llvm::Function& user);
    [[nodiscard]] const PtxSourceVariable* sourceVariableOf(const llvm::GlobalVariable& global,
                                                            const std::string& function) const;

    llvm::Module& m_module;
    PtxLines& m_lines;
    PtxTypes& m_types;
    std::map<std::string, const PtxSourceVariable*> m_arrays;  ///< what shared arrays stand for
};

}  // namespace lanescope::simt
