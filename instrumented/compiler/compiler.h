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

/// An executable; an object file, which carries its device code (core/base/device_image.h) in the section of fat
/// binaries and registers it when it is loaded; or that image alone, for cuModuleLoad.
enum class Product { Program, Object, Image };

struct CompileRequest {
    std::string source;                           ///< the .cu file, as the user wrote it
    std::vector<std::string> includeDirectories;  ///< -I; a toolkit's comes after ours
    std::vector<std::string> systemDirectories;   ///< -isystem, likewise
    /// Folders and files of headers whose device code is stepped into although they are a library's.
    std::vector<std::string> stepInto;
    std::vector<std::string> definitions;  ///< -D, "NAME" or "NAME=VALUE"
    bool asCompiled = false;               ///< device code optimised (-O2) instead of -O0
    Device device = Device::Simulator;     ///< Gpu: with code for both, and meant for a GPU
    std::string output;                    ///< where to put the product; empty: it stays in the cache
    /// A CUDA toolkit's folder, whose headers are read where we have none of their name, or clang can read them
    /// (toolkit_headers.h); empty: none.
    std::string toolkit;
    Product product = Product::Program;
    /// Of an object: its device code may refer to that of other objects (nvcc's -rdc=true).
    bool relocatable = false;
    std::string standard;                    ///< "gnu++20"; empty: C++17, and C++20 where that fails
    std::vector<std::string> preprocessing;  ///< further flags of both sides: "-UNAME", "-include", "FILE"
    bool fusesMultiplyAdds = true;           ///< of the device side
    bool flushesSubnormals = false;          ///< of the device side's floats
    std::vector<std::string> hostFlags;      ///< of the host side alone: "-march=native"
};

struct CompiledProgram {
    std::string path;                       ///< of the product, absolute
    std::string messages;                   ///< clang's warnings, also those of an earlier, cached compilation
    std::vector<std::string> dependencies;  ///< of an object: the files that it was made from
    bool fromCache = false;
};

/// Compiles, or finds the result of an earlier compilation of the same text, includes, flags and tools. Safe to call
/// from several processes at once. Errors: NotFound (no such source, no clang: names the package), BadInput (does
/// not compile: `where` is empty and the message is clang's own text, file:line:col lines), Unsupported (it includes
/// an NVIDIA library that we have not), Io.
Result<CompiledProgram> compile(const CompileRequest& request, const Installation& installation);

}  // namespace lanescope::compiler
