// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is needed of the binary interfaces of Open MPI (4 and 5) and of MPICH and those that share its own (Intel MPI,
// MVAPICH, Cray's). A handle is an address in the one and 32 bits in the other; either goes through in a word.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lanescope::mpi {

using Handle = void*;    ///< of a communicator, a datatype, an operation or a request
using Requests = void*;  ///< an array of handles of requests
using Status = void*;    ///< one, or an array

/// What differs between the interfaces.
struct Interface {
    size_t handleBytes;
    size_t statusBytes;
    void* inPlace;                                ///< MPI_IN_PLACE
    void* ignoredStatus;                          ///< MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
    Handle world;                                 ///< MPI_COMM_WORLD
    size_t (*received)(const std::byte* status);  ///< bytes
};

/// Open MPI: source, tag, error, cancelled, then a size_t.
inline size_t receivedOfOpenMpi(const std::byte* status)
{
    size_t bytes = 0;
    std::memcpy(&bytes, status + 4 * sizeof(int), sizeof bytes);
    return bytes;
}

/// MPICH: the lower half first, then the upper one and, in its last bit, whether it was cancelled.
inline size_t receivedOfMpich(const std::byte* status)
{
    uint32_t halves[2];
    std::memcpy(halves, status, sizeof halves);
    return static_cast<size_t>(halves[1] >> 1) << 32 | halves[0];
}

constexpr int kSuccess = 0;

/// The function of that name in the MPI library behind this one; null: there is none.
template <class Function>
Function next(const char* name)
{
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Of the MPI library behind this one; null: it is another one, whose calls go through as they are.
inline const Interface* interface()
{
    static const auto address = [](intptr_t value) { return reinterpret_cast<void*>(value); };
    static void* const openMpi = dlsym(RTLD_NEXT, "ompi_mpi_comm_world");
    static const Interface ofOpenMpi{sizeof(void*), 24, address(1), nullptr, openMpi, receivedOfOpenMpi};
    static const Interface ofMpich{sizeof(int), 20, address(-1), address(1), address(0x44000000), receivedOfMpich};
    static const bool isMpich = dlsym(RTLD_NEXT, "MPII_Comm_get_attr") || dlsym(RTLD_NEXT, "MPIR_Dup_fn");
    return openMpi ? &ofOpenMpi : isMpich ? &ofMpich : nullptr;
}

inline bool isInPlace(const void* buffer)
{
    return interface() && buffer == interface()->inPlace;
}

/// The MPI library's own \p name, called; an error when there is none.
template <class... Arguments>
int call(const char* name, Arguments... arguments)
{
    constexpr int kInternalError = 17;  // MPI_ERR_INTERN of Open MPI
    const auto function = next<int (*)(Arguments...)>(name);
    return function ? function(arguments...) : kInternalError;
}

}  // namespace lanescope::mpi
