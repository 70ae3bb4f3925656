// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything is in cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
