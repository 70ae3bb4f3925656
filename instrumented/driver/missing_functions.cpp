// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are there to be found and linked to only.
#include <cstdio>

#include "instrumented/driver/driver.h"

// Whatever arguments such a function gets: a C function may leave them alone.
#define LS_MISSING(name)                                                                                               \
    LS_API CUresult name(void)                                                                                         \
    {                                                                                                                  \
        return lanescope::driver::missing(#name);                                                                      \
    }
#include "instrumented/driver/missing_functions.def"
#undef LS_MISSING

/// Private tables, which the real libcudart asks for.
LS_API CUresult cuGetExportTable(const void** table, const CUuuid* /*id*/)
{
    static bool told = false;
    if (table)
        *table = nullptr;
    if (!told)
        std::fprintf(stderr,
                     "lanescope: error: this program has NVIDIA's runtime library linked in, without the names of its "
                     "functions or in a library that was loaded later; link it with -cudart shared, or do not strip "
                     "it\n");
    told = true;
    return CUDA_ERROR_NOT_FOUND;
}
