// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device's identity, which both APIs have. Part of driver_types.h and cuda.h.
#pragma once

struct CUuuid_st {
    char bytes[16];
};
typedef struct CUuuid_st CUuuid;
