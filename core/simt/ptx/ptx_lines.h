// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .file and .loc of a PTX module as debug information of IR, with the calls that were inlined.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>

#include "core/simt/ptx/ptx_debug_info.h"
#include "core/simt/ptx/ptx_module.h"

namespace lanescope::simt {

/// What the language of a kernel calls a thread block, by who made its debug information: "block", Triton's "program".
std::string blockWordOf(const llvm::Function& function);

class PtxLines {
public:
    /// \p name: of the PTX text, which is itself the source of what has no .loc.
    PtxLines(const PtxModule& source, std::string_view text, const std::string& name, llvm::Module& module);

    [[nodiscard]] const PtxDebugInfo& debugInfo() const { return m_debugInfo; }

    /// Gives \p function its subprogram, and knows the places of \p source from now on.
    void begin(llvm::Function& function, const PtxFunction& source);
    llvm::DebugLoc locationOf(const PtxStatement& statement);
    /// The line of the function itself: where what is inlined around \p statement is called.
    llvm::DebugLoc placeInFunction(const PtxStatement& statement);
    /// Once all functions are there.
    void finish() { m_build.finalize(); }
    llvm::DIBuilder& builder() { return m_build; }
    llvm::DIFile* fileOf(uint32_t number);

private:
    using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  ///< file, line, column
    llvm::DIFile* fileAt(const std::string& path);
    llvm::DISubprogram* subprogram(const std::string& name, const std::string& linkageName, llvm::DIFile* file,
                                   uint32_t line);
    llvm::DIScope* scopeIn(llvm::DISubprogram* subprogram, llvm::DIFile* file);
    llvm::DISubprogram* inlined(const PtxPlace& place);
    std::string textAt(const std::string& label, int64_t offset) const;
    void readPlaces();
    llvm::DILocation* locationOf(const PtxPlace& place);
    /// Of a place that is told without its calls, which debug information has.
    llvm::DILocation* locationIn(const PtxPlace& place, const std::vector<const PtxInlinedCall*>& calls);
    [[nodiscard]] std::vector<const PtxInlinedCall*> callsAround(const PtxStatement& statement) const;
    llvm::DISubprogram* inlined(const std::string& name, const std::string& linkageName, llvm::DIFile* file,
                                uint32_t line);

    const PtxModule& m_source;
    llvm::Module& m_module;
    PtxDebugInfo m_debugInfo;
    const PtxSourceFunction* m_known = nullptr;  ///< what debug information says of the function
    llvm::DIBuilder m_build;
    llvm::DIFile* m_text = nullptr;  ///< the PTX itself
    llvm::DICompileUnit* m_unit = nullptr;
    std::map<std::string, llvm::DIFile*> m_files;
    std::map<std::string, std::pair<const PtxSection*, uint64_t>> m_labels;
    std::map<std::pair<std::string, llvm::DIFile*>, llvm::DISubprogram*> m_inlined;
    const PtxFunction* m_function = nullptr;
    llvm::DISubprogram* m_subprogram = nullptr;
    std::vector<llvm::DILocation*> m_locations;  ///< by place
    std::map<Key, llvm::DILocation*> m_latest;   ///< where inlined calls stand
};

}  // namespace lanescope::simt
