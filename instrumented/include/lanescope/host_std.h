// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuda::std is the host's std.
#pragma once

namespace std {
}
namespace cuda {
namespace std {
using namespace ::std;
}
}  // namespace cuda
