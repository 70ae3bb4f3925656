// SPDX-License-Identifier: GPL-3.0-or-later
// nvcc's command line.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope::cli {

struct NvccOptions {
    enum class Phase {
        Link,
        Compile,
        DeviceCode,
        Preprocess,
        Dependencies,
        DeviceLink,
        Archive,
        Version,
        Help,
        Toolkit
    };

    Phase phase = Phase::Link;
    std::vector<std::string> inputs;  ///< sources, objects and libraries, in their order
    std::string output;
    std::string outputDirectory;  ///< -odir: of objects that -o does not name
    std::string language;         ///< -x: "cu", "c" or "c++"; empty: by the name's ending
    std::string standard;         ///< "c++20"
    std::string codeEnding;       ///< of Phase::DeviceCode's product: "ptx", "cubin", "fatbin"
    std::string optimisation;     ///< of host sources: "3"
    bool debug = false;
    bool relocatable = false;
    bool shared = false;
    bool asCompiled = false;
    bool fusesMultiplyAdds = true;   ///< -fmad
    bool flushesSubnormals = false;  ///< -ftz
    std::vector<std::string> includeDirectories;
    std::vector<std::string> systemDirectories;
    std::vector<std::string> preprocessing;  ///< "-DNAME=VALUE", "-UNAME", "-include", "FILE", in their order
    std::vector<std::string> libraryDirectories;
    std::vector<std::string> libraries;  ///< without "-l"
    std::vector<std::string> hostFlags;  ///< for the host's compiler, at compiling and at linking
    std::vector<std::string> linkerFlags;
    std::vector<std::string> archiverFlags;
    std::string hostCompiler;  ///< -ccbin; empty: g++
    bool writesDependencies = false;
    bool omitsSystemHeaders = false;
    bool addsPhonyTargets = false;
    std::string dependencyFile;    ///< -MF
    std::string dependencyTarget;  ///< -MT
    bool isDryRun = false;
    bool isVerbose = false;
    bool runs = false;  ///< -run: what was linked
    std::vector<std::string> runArguments;
    std::string unsupported;  ///< what an option's value asks for and cannot be done
};

/// \p words: what stands behind the command, without what the environment adds. Response files are read. Error BadInput
/// names an unknown option, or one without its value; Unsupported one that asks for what cannot be made; NotFound or Io
/// a response file.
Result<NvccOptions> parseNvcc(const std::vector<std::string>& words);

/// What `lanescope nvcc --help` says.
std::string nvccHelp();

}  // namespace lanescope::cli
