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
    std::vector<std::unique_ptr<device::Module>> modules;  ///< by device; null: not loaded there
    std::optional<uint32_t> onlyOn;  ///< the device of the context that it was loaded in; none: it is every device's
    std::optional<Error> problem;    ///< why it cannot be loaded; said when it is wanted
    bool failed = false;             ///< could not be loaded, which has been said

    [[nodiscard]] device::Module* moduleOn(uint32_t device) const
    {
        return device < modules.size() ? modules[device].get() : nullptr;
    }
};

}  // namespace lanescope::runtime
