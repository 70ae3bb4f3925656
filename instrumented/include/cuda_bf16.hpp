// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything is in cuda_bf16.h.
#pragma once

#include "cuda_bf16.h"
