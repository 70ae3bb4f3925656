// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several PTX modules as one.
#pragma once

#include <string>
#include <vector>

namespace lanescope::driver {

/// One text of all \p modules: the first one's header lines (.version, .target, .address_size), then what the modules
/// say. Their files (.file, .loc) are numbered anew; what debug sections say of files is right for the first one only.
std::string linkPtx(const std::vector<std::string>& modules);

}  // namespace lanescope::driver
