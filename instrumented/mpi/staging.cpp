// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/mpi/staging.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "instrumented/include/cuda_runtime_api.h"
#include "instrumented/include/lanescope/stop_program.h"

namespace lanescope::mpi {

bool isOnDevice(const void* buffer)
{
    cudaPointerAttributes attributes = {};
    return buffer && !isInPlace(buffer) && cudaPointerGetAttributes(&attributes, buffer) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice;
}

void refuse(const char* call, const char* why)
{
    constexpr int status = 2;
    // Before MPI ends the job: it kills processes, and loses what they wrote last.
    __ls_host_stop(call, why, status);
    std::fflush(nullptr);
    if (interface())
        (void)mpi::call<Handle, int>("MPI_Abort", interface()->world, status);
    std::exit(status);
}

size_t bytesOf(const char* call, long long count, Handle type)
{
    if (!interface())
        refuse(call,
               "buffers of the device are understood for Open MPI and MPICH alone; copy to the host before the call");
    int size = 0;
    ptrdiff_t lower = 0;
    ptrdiff_t extent = 0;
    (void)mpi::call<Handle, int*>("MPI_Type_size", type, &size);
    (void)mpi::call<Handle, ptrdiff_t*, ptrdiff_t*>("MPI_Type_get_extent", type, &lower, &extent);
    if (lower != 0 || extent != size)
        refuse(call, "elements of a buffer of the device that do not lie close together are not supported");
    return count > 0 ? static_cast<size_t>(count) * static_cast<size_t>(size) : 0;
}

Staged::Staged(const char* call, const void* buffer, long long count, Handle type, Use use)
    : m_buffer(const_cast<void*>(buffer))
{
    if (!isOnDevice(buffer))
        return;
    m_bytes = bytesOf(call, count, type);
    stage(use);
}

Staged::Staged(const char* /*call*/, const void* buffer, size_t bytes, Use use)
    : m_buffer(const_cast<void*>(buffer)), m_bytes(bytes)
{
    if (isOnDevice(buffer))
        stage(use);
}

void Staged::stage(Use use)
{
    m_copy = std::make_shared<std::byte[]>(std::max<size_t>(m_bytes, 1));
    m_isWritten = use != Use::Read;
    // What is wrong with the range is a finding of the copy's.
    if (use != Use::Written && m_bytes > 0)
        (void)cudaMemcpy(m_copy.get(), m_buffer, m_bytes, cudaMemcpyDeviceToHost);
}

void Staged::giveBack(size_t bytes) const
{
    if (const size_t given = std::min(bytes, m_bytes); m_copy && m_isWritten && given > 0)
        (void)cudaMemcpy(m_buffer, m_copy.get(), given, cudaMemcpyHostToDevice);
}

}  // namespace lanescope::mpi
