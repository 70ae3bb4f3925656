// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handles' interface is in cublas_v2.h; the one without handles is gone from CUDA.
#pragma once

#include "cublas_v2.h"
