// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a program may launch kernels that begin before the one in front of them has ended.
#pragma once

namespace lanescope::runtime {

/// Whether anything that is loaded calls cudaLaunchKernelExC, or uses the driver: only they can ask for such a launch
/// outside graphs. A kernel has to be watched as one that another may overlap long before that one is launched.
bool mayLaunchDependents();

}  // namespace lanescope::runtime
