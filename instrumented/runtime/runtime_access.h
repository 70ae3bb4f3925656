// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whose turn it is to touch memory that host and device share: the program's or ours.
#pragma once

namespace lanescope::runtime {

/// While it lives, control is in the runtime, which may touch all memory; else pages that work under way touches are
/// protected (work_order.h). Nests. Used under the runtime's lock.
class RuntimeAccess {
public:
    RuntimeAccess();
    ~RuntimeAccess();
    RuntimeAccess(const RuntimeAccess&) = delete;
    RuntimeAccess& operator=(const RuntimeAccess&) = delete;
};

}  // namespace lanescope::runtime
