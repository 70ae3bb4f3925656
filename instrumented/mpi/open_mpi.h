// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of Open MPI's interface (4 and 5) is needed here: handles are addresses.
#pragma once

#include <dlfcn.h>

#include <cstddef>

namespace lanescope::mpi {

using Handle = void*;  ///< of a communicator, a datatype, an operation or a request

struct Status {
    int source, tag, error, cancelled;
    size_t bytes;  ///< received
};

constexpr int kSuccess = 0;
inline void* const kInPlace = reinterpret_cast<void*>(1);
inline Status* const kIgnored = nullptr;

/// The function of that name in the MPI library behind this one; null: there is none.
template <class Function>
Function next(const char* name)
{
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Whether the MPI library is one that this file describes. Calls of another go through as they are.
inline bool isOpenMpi()
{
    static const bool is = dlsym(RTLD_NEXT, "ompi_mpi_comm_world") != nullptr;
    return is;
}

/// The MPI library's own \p name, called; an error when there is none.
template <class... Arguments>
int call(const char* name, Arguments... arguments)
{
    constexpr int kInternalError = 17;  // MPI_ERR_INTERN
    const auto function = next<int (*)(Arguments...)>(name);
    return function ? function(arguments...) : kInternalError;
}

}  // namespace lanescope::mpi
