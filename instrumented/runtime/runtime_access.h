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

/// While it lives, a thread that is in the runtime waits outside of it: others may call.
class OutsideRuntime {
public:
    OutsideRuntime();
    ~OutsideRuntime();
    OutsideRuntime(const OutsideRuntime&) = delete;
    OutsideRuntime& operator=(const OutsideRuntime&) = delete;

private:
    int m_calls;  ///< of this thread, one in the other, each of which holds the lock
};

}  // namespace lanescope::runtime
