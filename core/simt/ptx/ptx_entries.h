// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of the entries of a PTX module once their bodies are IR: which parameters are pointers, how they are
// called, and the bounds of launches.
#pragma once

#include "core/simt/ptx/ptx_function.h"

namespace lanescope::simt {

/// What debug information calls a struct that begins with a tensor's address and has a layout of run time behind it.
inline constexpr const char* kTensorStruct = "tensor";

class PtxEntries {
public:
    PtxEntries(llvm::Module& module, PtxModuleNames& names, PtxLines& lines, PtxTypes& types)
        : m_module(module), m_context(module.getContext()), m_names(names), m_lines(lines), m_types(types)
    {
    }

    /// Addresses among the parameters become pointers; the function is another one then.
    void finish(const PtxFunction& source);

private:
    void describeParameters(llvm::Function& entry, const PtxFunction& source);
    llvm::DIType* typeOfArgument(const llvm::Argument& argument);
    llvm::DIType* structOfPointers(const llvm::Argument& argument, llvm::DIType* pointee);
    llvm::Function* replaced(llvm::Function& old, llvm::FunctionType* type);
    void noteBounds(llvm::Function& entry, const PtxFunction& source);

    llvm::Module& m_module;
    llvm::LLVMContext& m_context;
    PtxModuleNames& m_names;
    PtxLines& m_lines;
    PtxTypes& m_types;
};

}  // namespace lanescope::simt
