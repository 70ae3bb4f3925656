// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the parts of Lanescope lie on this machine: headers, runtime library, gallery.
#pragma once

#include <string>

namespace lanescope::compiler {

struct Installation {
    std::string include;     ///< our cuda_runtime.h
    std::string library;     ///< liblanescope_runtime.so and the start object
    std::string kernels;     ///< the gallery
    std::string executable;  ///< the `lanescope` binary itself
    std::string instrument;  ///< lanescope-instrument, which makes code for GPUs
    std::string deviceMath;  ///< libdevice.10.bc of a CUDA toolkit; empty: there is none
};

/// Looks next to the running executable: an installed tree (../share/lanescope, ../lib), a build tree, then the
/// source tree it was built from. LANESCOPE_INCLUDE, LANESCOPE_LIBRARY, LANESCOPE_KERNELS, LANESCOPE_INSTRUMENT and
/// LANESCOPE_LIBDEVICE override.
Installation findInstallation();

}  // namespace lanescope::compiler
