// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative groups: blocks, tiles, coalesced groups, the grid; with reduce, scan and memcpy_async.
#pragma once

#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if defined(__CUDA__)
#include "lanescope/groups.h"
#endif

#endif  // _COOPERATIVE_GROUPS_H_
