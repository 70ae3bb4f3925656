// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which clang is used and the command lines it is given.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "instrumented/compiler/compiler.h"

namespace lanescope::compiler {

/// A clang 19, and what tells this one from another.
struct Clang {
    std::string program;   ///< path
    std::string identity;  ///< changes when the program does
};

/// LANESCOPE_CLANG, else clang++-19, else a clang++ of version 19, from PATH. The error names the package.
Result<Clang> findClang();

/// Changes when the file does.
std::string identityOf(const std::string& program);

/// Whether \p folder holds a toolkit's headers: ours, which describe the runtime that there is, come before those.
bool isToolkitsHeaders(const std::string& folder);

/// Folders of \p request's headers that are libraries', not the program's: absolute, of -I and -isystem, without those
/// that the program itself lies in, and toolkits'. None for code that is optimised as a whole.
std::vector<std::string> libraryFolders(const CompileRequest& request);
/// Of the request and of LANESCOPE_STEP_INTO, absolute: headers there are the program's own.
std::vector<std::string> steppedInto(const CompileRequest& request);

/// Flags that decide what both compilations see; part of the cache's key.
std::vector<std::string> sharedFlags(const CompileRequest& request, const Installation& installation);

/// cuda_runtime.h as clang keeps it once it is parsed, for each side; empty: it is read as text.
struct HeaderImages {
    std::string device;
    std::string host;
};

/// What makes a compilation take a program that the plain command lines do not.
struct Variant {
    std::string standard;  ///< "gnu++20"; empty: clang's own, C++17, as nvcc's
    /// Files that clang reads in place of others: the other one, and its stand-in.
    std::vector<std::pair<std::string, std::string>> standIns;
    HeaderImages images;
    std::string firstHeaders;  ///< a folder of headers that come before ours; empty: none
    /// The device code is left as the source has it, with no pass of LLVM's: optimiseLibraries() comes next.
    bool isBeforePasses = false;
};

/// Device side: \p output is nvptx64 bitcode, its dependencies go to output + ".d".
std::vector<std::string> deviceCommand(const Clang& clang, const CompileRequest& request,
                                       const Installation& installation, const Variant& variant,
                                       const std::string& output);

/// Host side: an object that registers an embedded placeholder; the linker adds the device code itself, so that both
/// sides compile at the same time.
std::vector<std::string> hostCommand(const Clang& clang, const CompileRequest& request,
                                     const Installation& installation, const Variant& variant,
                                     const std::string& placeholder, const std::string& output);

/// Makes the image of \p header (cuda_runtime.h, and what may be in it beside) that deviceCommand() and hostCommand()
/// take for a program with the same flags and \p variant; its dependencies go to output + ".d".
std::vector<std::string> deviceImageCommand(const Clang& clang, const CompileRequest& request,
                                            const Installation& installation, const Variant& variant,
                                            const std::string& header, const std::string& output);
std::vector<std::string> hostImageCommand(const Clang& clang, const CompileRequest& request,
                                          const Installation& installation, const Variant& variant,
                                          const std::string& header, const std::string& output);

/// cuda_runtime.h with its folder: a file of that name in the current one must not come first.
std::string runtimeHeader(const Installation& installation);

/// What the host side's preprocessor makes of the program; \p more: "-E", "-M", where to.
std::vector<std::string> preprocessCommand(const Clang& clang, const CompileRequest& request,
                                           const Installation& installation, const std::vector<std::string>& more);

/// What the linker is to see before all other libraries where Lanescope itself, and the installation's runtime with it,
/// is sanitized; else nothing.
std::vector<std::string> sanitizerFlags(const Installation& installation);
/// "NAME=VALUE" for programs: where Lanescope itself is sanitized and the installation's runtime is another build's
/// (LANESCOPE_LIBRARY), they get this build's instead; else nothing.
std::vector<std::string> runtimeEnvironment(const Installation& installation);
/// What a linker is told so that a program or library finds the runtime, now and when it is run.
std::vector<std::string> runtimeFlags(const Installation& installation);

/// Links host.o, device.bc, device.ptx and program.info of the working directory into "program".
std::vector<std::string> linkCommand(const Clang& clang, const Installation& installation);

}  // namespace lanescope::compiler
