// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code of libraries, out of the way of who steps through a program: inlined into the program's own functions and
// optimised, while the program's own lines keep their variables, accesses and branches as at -O0.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

namespace lanescope::instrument {

/// Whose a file is.
class FileOwners {
public:
    /// \p libraries: folders of headers that are no part of the program, absolute; \p own: folders and files that are,
    /// wherever they lie; \p ours: the folder of Lanescope's.
    FileOwners(const llvm::Module& module, std::vector<std::string> libraries, std::vector<std::string> own,
               std::string ours);

    /// A library's: it lies in one of the folders, or neither below the program's folder nor below the working one.
    /// What defines kernels below these two is the program's wherever it lies.
    [[nodiscard]] bool isLibrary(const llvm::DIFile& file) const;
    /// False for what has no debug information.
    [[nodiscard]] bool isLibrary(const llvm::Function& function) const;

private:
    std::vector<std::string> m_libraries;
    std::vector<std::string> m_own;
    std::string m_ours;
    std::set<std::string> m_program;  ///< its folder, and the working one
    std::set<std::string> m_withKernels;
};

/// \p module: as clang makes it at -O0, before any pass of LLVM's.
void optimiseLibraries(llvm::Module& module, const FileOwners& owners);

}  // namespace lanescope::instrument
