// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code of a process: what was linked into the program, and what it loads while it runs (cuModuleLoadData).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/module.h"

namespace lanescope::runtime {

/// Code for the device, which becomes a module on first use.
struct DeviceCode {
    enum class Kind { Bitcode, Ptx };

    std::string name;  ///< what errors call it: "module2.ptx"
    Kind kind = Kind::Bitcode;
    std::vector<std::byte> bytes;  ///< Ptx: text, without the 0 at its end
    /// Bitcode of a program's files that is one module: then this is all, and bytes are none (nvcc's -rdc=true).
    std::vector<std::vector<std::byte>> parts;
    bool hasManagedVariables = false;
    bool isPrograms = false;  ///< compiled by Lanescope into the program: without it nothing can run
    std::unique_ptr<device::Module> module;
    std::optional<Error> problem;  ///< why it cannot be loaded; said when it is wanted
    bool failed = false;           ///< could not be loaded, which has been said
};

}  // namespace lanescope::runtime
