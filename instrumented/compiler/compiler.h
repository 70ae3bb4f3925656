// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an unmodified .cu file to a host program that carries its device code as bitcode and is linked to the
// Lanescope runtime. Drives clang 19 as a child process. Read this header first.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "instrumented/compiler/installation.h"

namespace lanescope::compiler {

enum class Device { Simulator, Gpu };

struct CompileRequest {
    std::string source;                           ///< the .cu file, as the user wrote it
    std::vector<std::string> includeDirectories;  ///< -I
    std::vector<std::string> definitions;         ///< -D, "NAME" or "NAME=VALUE"
    bool asCompiled = false;                      ///< device code optimised (-O2) instead of -O0
    Device device = Device::Simulator;            ///< Gpu: with code for both, and meant for a GPU
    std::string output;                           ///< where to put the executable; empty: it stays in the cache
    /// A CUDA toolkit's folder, whose headers are read where we have none of their name, or clang can read them
    /// (toolkit_headers.h); empty: none.
    std::string toolkit;
};

struct CompiledProgram {
    std::string executable;  ///< absolute path
    std::string messages;    ///< clang's warnings, also those of an earlier, cached compilation
    bool fromCache = false;
};

/// Compiles, or finds the result of an earlier compilation of the same text, includes, flags and tools. Safe to call
/// from several processes at once. Errors: NotFound (no such source, no clang: names the package), BadInput (does
/// not compile: `where` is empty and the message is clang's own text, file:line:col lines), Unsupported (it includes
/// an NVIDIA library that we have not), Io.
Result<CompiledProgram> compile(const CompileRequest& request, const Installation& installation);

}  // namespace lanescope::compiler
