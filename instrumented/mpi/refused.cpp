// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MPI's calls that are not copied: with a buffer of the device they stop the job, others go through.
#include <cstdint>

#include "instrumented/mpi/staging.h"

using namespace lanescope::mpi;

namespace {

void needHostBuffers(const char* name, std::initializer_list<uintptr_t> buffers)
{
    for (const uintptr_t buffer : buffers)
        if (isOnDevice(reinterpret_cast<const void*>(buffer)))
            refuse(name, "buffers of the device are not supported in this call; copy to the host before it");
}

}  // namespace

// An argument is a number or an address: each is one word, which goes through as it is.
#define LS_WORDS                                                                                                       \
    uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g, uintptr_t h,            \
        uintptr_t i, uintptr_t j
#define LS_REFUSED(name, ...)                                                                                          \
    extern "C" __attribute__((visibility("default"))) int name(LS_WORDS)                                               \
    {                                                                                                                  \
        needHostBuffers(#name, {__VA_ARGS__});                                                                         \
        return call(#name, a, b, c, d, e, f, g, h, i, j);                                                              \
    }

LS_REFUSED(MPI_Bsend, a)
LS_REFUSED(MPI_Ibsend, a)
LS_REFUSED(MPI_Send_init, a)
LS_REFUSED(MPI_Ssend_init, a)
LS_REFUSED(MPI_Rsend_init, a)
LS_REFUSED(MPI_Bsend_init, a)
LS_REFUSED(MPI_Recv_init, a)
LS_REFUSED(MPI_Mrecv, a)
LS_REFUSED(MPI_Imrecv, a)
LS_REFUSED(MPI_Exscan, a, b)
LS_REFUSED(MPI_Reduce_scatter, a, b)
LS_REFUSED(MPI_Reduce_scatter_block, a, b)
LS_REFUSED(MPI_Reduce_local, a, b)
LS_REFUSED(MPI_Scatterv, a, e)
LS_REFUSED(MPI_Alltoallw, a, e)
LS_REFUSED(MPI_Ibcast, a)
LS_REFUSED(MPI_Ireduce, a, b)
LS_REFUSED(MPI_Iallreduce, a, b)
LS_REFUSED(MPI_Iscan, a, b)
LS_REFUSED(MPI_Iexscan, a, b)
LS_REFUSED(MPI_Ireduce_scatter, a, b)
LS_REFUSED(MPI_Ireduce_scatter_block, a, b)
LS_REFUSED(MPI_Igather, a, d)
LS_REFUSED(MPI_Igatherv, a, d)
LS_REFUSED(MPI_Iscatter, a, d)
LS_REFUSED(MPI_Iscatterv, a, e)
LS_REFUSED(MPI_Iallgather, a, d)
LS_REFUSED(MPI_Iallgatherv, a, d)
LS_REFUSED(MPI_Ialltoall, a, d)
LS_REFUSED(MPI_Ialltoallv, a, e)
LS_REFUSED(MPI_Neighbor_allgather, a, d)
LS_REFUSED(MPI_Neighbor_allgatherv, a, d)
LS_REFUSED(MPI_Neighbor_alltoall, a, d)
LS_REFUSED(MPI_Neighbor_alltoallv, a, e)
LS_REFUSED(MPI_Pack, a, d)
LS_REFUSED(MPI_Unpack, a, d)
LS_REFUSED(MPI_Win_create, a)
LS_REFUSED(MPI_Win_attach, b)
LS_REFUSED(MPI_Put, a)
LS_REFUSED(MPI_Get, a)
LS_REFUSED(MPI_Rput, a)
LS_REFUSED(MPI_Rget, a)
LS_REFUSED(MPI_Accumulate, a)
LS_REFUSED(MPI_Raccumulate, a)
LS_REFUSED(MPI_Get_accumulate, a, d)
LS_REFUSED(MPI_Fetch_and_op, a, b)
LS_REFUSED(MPI_Compare_and_swap, a, b, c)
LS_REFUSED(MPI_File_read, b)
LS_REFUSED(MPI_File_read_all, b)
LS_REFUSED(MPI_File_read_at, c)
LS_REFUSED(MPI_File_read_at_all, c)
LS_REFUSED(MPI_File_write, b)
LS_REFUSED(MPI_File_write_all, b)
LS_REFUSED(MPI_File_write_at, c)
LS_REFUSED(MPI_File_write_at_all, c)
