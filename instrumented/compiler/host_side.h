// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's side of a program, compiled. It is the same however device code is compiled, so the cache has it by
// itself.
#pragma once

#include <string>
#include <vector>

#include "instrumented/compiler/cache.h"
#include "instrumented/compiler/clang.h"
#include "instrumented/compiler/compiler.h"

namespace lanescope::compiler {

/// What of the working directory decides what is compiled: debug information names files from where it and they part.
std::string workingPlace(const CompileRequest& request);

/// Of one request in the folder where it is compiled: host.o, host.o.d (what it was made from) and host.txt (what clang
/// said).
class HostSide {
public:
    HostSide(const Cache& cache, const Clang& clang, const CompileRequest& request, const Installation& installation,
             const Variant& variant, std::string folder);

    /// What clang is to be called with.
    [[nodiscard]] const std::vector<std::string>& command() const { return m_command; }
    /// Takes it from the cache, when it is there.
    [[nodiscard]] bool take() const;
    /// Leaves a copy of what clang has made in the cache, if that can be; it is only asked for speed.
    void keep() const;

private:
    const Cache& m_cache;
    std::string m_folder;
    std::vector<std::string> m_command;
    std::string m_key;
};

}  // namespace lanescope::compiler
