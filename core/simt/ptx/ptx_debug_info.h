// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The DWARF of a PTX module (.section .debug_info and the like): how functions, their parameters and variables are
// called in the source, their types, and which calls were inlined where.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/StringMap.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Support/MemoryBuffer.h>

#include "core/simt/ptx/ptx_module.h"

namespace lanescope::simt {

/// A variable of the source, and where it is.
struct PtxSourceVariable {
    std::string name;
    llvm::DWARFDie type;  ///< invalid: not said
    uint32_t file = 0, line = 0;
    bool isParameter = false;
    /// From which statement to which a register or a variable of the module holds it; half-open.
    struct Place {
        uint64_t first = 0, last = UINT64_MAX;
        std::string name;
    };
    std::vector<Place> places;
};

/// A call that was inlined.
struct PtxInlinedCall {
    uint64_t first = 0, last = 0;  ///< statements; half-open
    std::string function, linkageName;
    uint32_t file = 0, line = 0;  ///< of the function
    uint32_t callFile = 0, callLine = 0, callColumn = 0;
};

struct PtxSourceFunction {
    std::string name;
    std::string signature;  ///< with the types of its parameters, as Mojo's compiler tells it; else empty
    uint32_t file = 0, line = 0;
    std::vector<PtxSourceVariable> variables;  ///< its own, parameters among them
    std::vector<PtxInlinedCall> calls;         ///< those around others come before them
};

class PtxDebugInfo {
public:
    /// Damaged debug information says less; it is no error.
    explicit PtxDebugInfo(const PtxModule& module);

    /// Null: nothing is said of the function. Statements are counted as in its body.
    [[nodiscard]] const PtxSourceFunction* find(const std::string& name) const;
    /// Who made it, "triton"; empty: it is not said.
    [[nodiscard]] const std::string& producer() const { return m_producer; }

private:
    void placeNames(const PtxModule& module);
    void assemble(const PtxModule& module);
    void readFunction(const llvm::DWARFDie& die, const std::string& name);
    void readScope(const llvm::DWARFDie& scope, PtxSourceFunction& function, int depth, bool isInlined);
    void readVariable(const llvm::DWARFDie& die, PtxSourceFunction& function);
    void readPlaces(uint64_t offset, PtxSourceVariable& variable) const;
    void readCall(const llvm::DWARFDie& die, PtxSourceFunction& function);
    [[nodiscard]] std::string nameOf(llvm::ArrayRef<uint8_t> expression) const;

    std::map<std::string, uint64_t> m_addresses;       ///< of labels, functions and variables
    std::map<uint64_t, std::string> m_namesByAddress;  ///< of variables
    std::map<std::string, uint64_t> m_begins;          ///< of functions: the address of the first statement
    uint64_t m_begin = 0;                              ///< of the function that is read
    llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> m_buffers;  ///< which the context reads
    std::unique_ptr<llvm::DWARFContext> m_context;
    std::map<std::string, PtxSourceFunction> m_functions;
    std::string m_producer;
};

}  // namespace lanescope::simt
