// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What CUDA adds to libm, for the host part of programs: the functions that kernels call, too.
#include "core/simt/machine/math_library.h"
#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {
namespace {

double (*find(const char* name))(double)
{
    return reinterpret_cast<double (*)(double)>(const_cast<void*>(simt::mathFunction(name, simt::LaneType::F64, 1)));
}

}  // namespace
}  // namespace lanescope::runtime

#define LS_HOST_MATH(name)                                                                                             \
    LS_API double __ls_host_##name(double x)                                                                           \
    {                                                                                                                  \
        static double (*const function)(double) = lanescope::runtime::find(#name);                                     \
        return function(x);                                                                                            \
    }
LS_HOST_MATH(sinpi)
LS_HOST_MATH(cospi)
LS_HOST_MATH(erfinv)
LS_HOST_MATH(erfcinv)
LS_HOST_MATH(erfcx)
LS_HOST_MATH(normcdf)
LS_HOST_MATH(normcdfinv)
LS_HOST_MATH(cyl_bessel_i0)
LS_HOST_MATH(cyl_bessel_i1)
