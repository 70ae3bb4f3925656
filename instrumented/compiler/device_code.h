// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA C++ without a host side, compiled while a program runs, as NVRTC does.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "instrumented/compiler/installation.h"

namespace lanescope::compiler {

struct DeviceCodeRequest {
    std::string text;
    std::string name;                                          ///< of the file, as messages and traces call it
    std::vector<std::pair<std::string, std::string>> headers;  ///< in memory: what #include calls them, and their text
    std::vector<std::string> includeDirectories;
    std::vector<std::string> definitions;
    std::string standard;                      ///< "gnu++17"; empty: clang's own
    bool functionsAreDevices = false;          ///< those without an execution space
    bool isToBeLinked = false;                 ///< with other PTX: as PTX, too
    std::vector<std::string> nameExpressions;  ///< "kernel<float>": instantiated, and their mangled names are wanted
};

struct DeviceCode {
    std::string bitcode;
    std::string ptx;  ///< where it is to be linked
    std::string messages;
    std::vector<std::string> mangledNames;  ///< one per name expression
};

/// Compiles in a folder of the cache, where the source stays for those who look at a trace. Errors as of compile().
Result<DeviceCode> compileDeviceCode(const DeviceCodeRequest& request, const Installation& installation);

}  // namespace lanescope::compiler
