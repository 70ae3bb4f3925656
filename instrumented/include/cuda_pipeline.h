// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipeline primitives, as the instructions that they are.
#pragma once

#include "cuda_pipeline_primitives.h"
