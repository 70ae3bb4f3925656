// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's core libraries (CCCL: Thrust, CUB and libcu++) that are on this machine: who has them gets them, ours are
// for those who have not.
#pragma once

#include <set>
#include <string>

#include "instrumented/compiler/compiler.h"

namespace lanescope::compiler {

/// The include folder of the CCCL that \p request is to be compiled with instead of ours; empty: none. In this order:
/// what its include folders have (a whole CCCL, or a toolkit), LANESCOPE_CCCL (a folder, or "none"), pip's
/// nvidia-cuda-cccl in an active environment, Debian's packages, pip's for the python3 in PATH and for the user. None
/// where an include folder has a part of one, which the others must fit, or where the request names a toolkit.
std::string findCccl(const CompileRequest& request);

/// Whether \p folder holds a CCCL, or parts of it.
bool holdsPartOfCccl(const std::string& folder);

/// Which CCCL a program was compiled with, to be told: "CCCL 2.8.2 of /usr/include", "Lanescope's own"; several are
/// parted by commas; empty when it uses none. \p files: all that was read; \p ours: the folder of our headers.
std::string ccclIn(const std::set<std::string>& files, const std::string& ours);

}  // namespace lanescope::compiler
