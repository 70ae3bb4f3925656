// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MPI's calls whose buffers may be the device's.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "instrumented/mpi/requests.h"

using namespace lanescope::mpi;

#define LS_MPI extern "C" __attribute__((visibility("default")))

namespace {

int sizeOf(Handle communicator)
{
    int size = 0;
    (void)call<Handle, int*>("MPI_Comm_size", communicator, &size);
    return size;
}

int rankIn(Handle communicator)
{
    int rank = 0;
    (void)call<Handle, int*>("MPI_Comm_rank", communicator, &rank);
    return rank;
}

/// How many elements from the buffer's first on the parts of a vector call reach.
long long reachOf(const int* counts, const int* displacements, int parts)
{
    long long reach = 0;
    for (int i = 0; i < parts; ++i)
        if (counts[i] > 0)
            reach = std::max(reach, static_cast<long long>(displacements[i]) + counts[i]);
    return reach;
}

/// A part of a vector call may leave cells between: what is there is read first.
Staged stagedParts(const char* name, const void* buffer, const int* counts, const int* displacements, int parts,
                   Handle type, Use use)
{
    if (!isOnDevice(buffer))
        return {name, buffer, size_t{0}, use};
    const long long reach = reachOf(counts, displacements, parts);
    long long sum = 0;
    for (int i = 0; i < parts; ++i)
        sum += counts[i];
    return {name, buffer, reach, type, use == Use::Written && sum < reach ? Use::Both : use};
}

template <class... Rest>
int send(const char* name, const void* buffer, int count, Handle type, Rest... rest)
{
    const Staged staged(name, buffer, count, type, Use::Read);
    return call<const void*, int, Handle, Rest...>(name, staged.get(), count, type, rest...);
}

Handle requestAt(Requests requests, int index)
{
    uintptr_t handle = 0;
    std::memcpy(&handle, static_cast<std::byte*>(requests) + static_cast<size_t>(index) * interface()->handleBytes,
                interface()->handleBytes);
    return reinterpret_cast<Handle>(handle);
}

int begin(const char* name, const void* buffer, int count, Handle type, int partner, int tag, Handle communicator,
          Requests request, Use use)
{
    const Staged staged(name, buffer, count, type, use);
    const int error = call<void*, int, Handle, int, int, Handle, Requests>(name, staged.get(), count, type, partner,
                                                                           tag, communicator, request);
    if (error == kSuccess && staged.isCopied())
        keep(requestAt(request, 0), staged);
    return error;
}

/// Requests of a call that waits for several, as they were before it.
std::vector<Handle> before(Requests requests, int count)
{
    std::vector<Handle> handles(static_cast<size_t>(count));
    for (int i = 0; interface() && i < count; ++i)
        handles[static_cast<size_t>(i)] = requestAt(requests, i);
    return handles;
}

/// Statuses for a call that waits: the program's, or ours where it wants none.
class Statuses {
public:
    Statuses(Status wanted, int count)
        : m_own(interface() && wanted == interface()->ignoredStatus
                    ? static_cast<size_t>(count) * interface()->statusBytes
                    : 0),
          m_at(m_own.empty() ? wanted : m_own.data())
    {
    }
    [[nodiscard]] Status get() const { return m_at; }
    [[nodiscard]] size_t bytes(int index) const
    {
        return interface() ? interface()->received(static_cast<const std::byte*>(m_at) +
                                                   static_cast<size_t>(index) * interface()->statusBytes)
                           : 0;
    }

private:
    std::vector<std::byte> m_own;
    Status m_at;
};

}  // namespace

#define LS_SEND(name)                                                                                                  \
    LS_MPI int name(const void* buffer, int count, Handle type, int to, int tag, Handle communicator)                  \
    {                                                                                                                  \
        return send(#name, buffer, count, type, to, tag, communicator);                                                \
    }
LS_SEND(MPI_Send)
LS_SEND(MPI_Ssend)
LS_SEND(MPI_Rsend)
#undef LS_SEND

LS_MPI int MPI_Recv(void* buffer, int count, Handle type, int from, int tag, Handle communicator, Status status)
{
    const Staged staged("MPI_Recv", buffer, count, type, Use::Written);
    const Statuses statuses(status, 1);
    const int error = call<void*, int, Handle, int, int, Handle, Status>("MPI_Recv", staged.get(), count, type, from,
                                                                         tag, communicator, statuses.get());
    if (error == kSuccess)
        staged.giveBack(statuses.bytes(0));
    return error;
}

#define LS_BEGIN(name, Const, use)                                                                                     \
    LS_MPI int name(Const void* buffer, int count, Handle type, int partner, int tag, Handle communicator,             \
                    Requests request)                                                                                  \
    {                                                                                                                  \
        return begin(#name, buffer, count, type, partner, tag, communicator, request, use);                            \
    }
LS_BEGIN(MPI_Isend, const, Use::Read)
LS_BEGIN(MPI_Issend, const, Use::Read)
LS_BEGIN(MPI_Irsend, const, Use::Read)
LS_BEGIN(MPI_Irecv, , Use::Written)
#undef LS_BEGIN

LS_MPI int MPI_Wait(Requests request, Status status)
{
    const Handle waited = before(request, 1).front();
    const Statuses statuses(status, 1);
    const int error = call<Requests, Status>("MPI_Wait", request, statuses.get());
    if (error == kSuccess)
        finish(waited, statuses.bytes(0));
    return error;
}

LS_MPI int MPI_Test(Requests request, int* flag, Status status)
{
    const Handle waited = before(request, 1).front();
    const Statuses statuses(status, 1);
    const int error = call<Requests, int*, Status>("MPI_Test", request, flag, statuses.get());
    if (error == kSuccess && *flag)
        finish(waited, statuses.bytes(0));
    return error;
}

LS_MPI int MPI_Waitall(int count, Requests requests, Status status)
{
    const std::vector<Handle> waited = before(requests, count);
    const Statuses statuses(status, count);
    const int error = call<int, Requests, Status>("MPI_Waitall", count, requests, statuses.get());
    for (int i = 0; error == kSuccess && i < count; ++i)
        finish(waited[static_cast<size_t>(i)], statuses.bytes(i));
    return error;
}

LS_MPI int MPI_Testall(int count, Requests requests, int* flag, Status status)
{
    const std::vector<Handle> waited = before(requests, count);
    const Statuses statuses(status, count);
    const int error = call<int, Requests, int*, Status>("MPI_Testall", count, requests, flag, statuses.get());
    for (int i = 0; error == kSuccess && *flag && i < count; ++i)
        finish(waited[static_cast<size_t>(i)], statuses.bytes(i));
    return error;
}

LS_MPI int MPI_Waitany(int count, Requests requests, int* index, Status status)
{
    const std::vector<Handle> waited = before(requests, count);
    const Statuses statuses(status, 1);
    const int error = call<int, Requests, int*, Status>("MPI_Waitany", count, requests, index, statuses.get());
    if (error == kSuccess && *index >= 0 && *index < count)
        finish(waited[static_cast<size_t>(*index)], statuses.bytes(0));
    return error;
}

LS_MPI int MPI_Testany(int count, Requests requests, int* index, int* flag, Status status)
{
    const std::vector<Handle> waited = before(requests, count);
    const Statuses statuses(status, 1);
    const int error =
        call<int, Requests, int*, int*, Status>("MPI_Testany", count, requests, index, flag, statuses.get());
    if (error == kSuccess && *flag && *index >= 0 && *index < count)
        finish(waited[static_cast<size_t>(*index)], statuses.bytes(0));
    return error;
}

#define LS_SOME(name)                                                                                                  \
    LS_MPI int name(int count, Requests requests, int* done, int* indices, Status status)                              \
    {                                                                                                                  \
        const std::vector<Handle> waited = before(requests, count);                                                    \
        const Statuses statuses(status, count);                                                                        \
        const int error =                                                                                              \
            call<int, Requests, int*, int*, Status>(#name, count, requests, done, indices, statuses.get());            \
        for (int i = 0; error == kSuccess && i < *done; ++i)                                                           \
            finish(waited[static_cast<size_t>(indices[i])], statuses.bytes(i));                                        \
        return error;                                                                                                  \
    }
LS_SOME(MPI_Waitsome)
LS_SOME(MPI_Testsome)
#undef LS_SOME

LS_MPI int MPI_Sendrecv(const void* sent, int sentCount, Handle sentType, int to, int sentTag, void* received,
                        int receivedCount, Handle receivedType, int from, int receivedTag, Handle communicator,
                        Status status)
{
    const Staged out("MPI_Sendrecv", sent, sentCount, sentType, Use::Read);
    const Staged in("MPI_Sendrecv", received, receivedCount, receivedType, Use::Written);
    const Statuses statuses(status, 1);
    const int error = call<void*, int, Handle, int, int, void*, int, Handle, int, int, Handle, Status>(
        "MPI_Sendrecv", out.get(), sentCount, sentType, to, sentTag, in.get(), receivedCount, receivedType, from,
        receivedTag, communicator, statuses.get());
    if (error == kSuccess)
        in.giveBack(statuses.bytes(0));
    return error;
}

LS_MPI int MPI_Sendrecv_replace(void* buffer, int count, Handle type, int to, int sentTag, int from, int receivedTag,
                                Handle communicator, Status status)
{
    const Staged staged("MPI_Sendrecv_replace", buffer, count, type, Use::Both);
    const Statuses statuses(status, 1);
    const int error = call<void*, int, Handle, int, int, int, int, Handle, Status>(
        "MPI_Sendrecv_replace", staged.get(), count, type, to, sentTag, from, receivedTag, communicator,
        statuses.get());
    if (error == kSuccess)
        staged.giveBack(statuses.bytes(0));
    return error;
}

LS_MPI int MPI_Bcast(void* buffer, int count, Handle type, int root, Handle communicator)
{
    const bool isRoot = isOnDevice(buffer) && rankIn(communicator) == root;
    const Staged staged("MPI_Bcast", buffer, count, type, isRoot ? Use::Read : Use::Written);
    const int error = call<void*, int, Handle, int, Handle>("MPI_Bcast", staged.get(), count, type, root, communicator);
    if (error == kSuccess)
        staged.giveBack();
    return error;
}

LS_MPI int MPI_Reduce(const void* sent, void* received, int count, Handle type, Handle operation, int root,
                      Handle communicator)
{
    const bool isRoot = rankIn(communicator) == root;
    const Staged out("MPI_Reduce", sent, count, type, Use::Read);
    const Staged in("MPI_Reduce", isRoot ? received : nullptr, count, type, isInPlace(sent) ? Use::Both : Use::Written);
    const int error = call<void*, void*, int, Handle, Handle, int, Handle>(
        "MPI_Reduce", out.get(), isRoot ? in.get() : received, count, type, operation, root, communicator);
    if (error == kSuccess)
        in.giveBack();
    return error;
}

#define LS_REDUCE(name)                                                                                                \
    LS_MPI int name(const void* sent, void* received, int count, Handle type, Handle operation, Handle communicator)   \
    {                                                                                                                  \
        const Staged out(#name, sent, count, type, Use::Read);                                                         \
        const Staged in(#name, received, count, type, isInPlace(sent) ? Use::Both : Use::Written);                     \
        const int error = call<void*, void*, int, Handle, Handle, Handle>(#name, out.get(), in.get(), count, type,     \
                                                                          operation, communicator);                    \
        if (error == kSuccess)                                                                                         \
            in.giveBack();                                                                                             \
        return error;                                                                                                  \
    }
LS_REDUCE(MPI_Allreduce)
LS_REDUCE(MPI_Scan)
#undef LS_REDUCE

LS_MPI int MPI_Gather(const void* sent, int sentCount, Handle sentType, void* received, int receivedCount,
                      Handle receivedType, int root, Handle communicator)
{
    const bool isRoot = rankIn(communicator) == root;
    const long long all = static_cast<long long>(receivedCount) * (isRoot ? sizeOf(communicator) : 0);
    const Staged out("MPI_Gather", sent, sentCount, sentType, Use::Read);
    const Staged in("MPI_Gather", isRoot ? received : nullptr, all, receivedType,
                    isInPlace(sent) ? Use::Both : Use::Written);
    const int error = call<void*, int, Handle, void*, int, Handle, int, Handle>(
        "MPI_Gather", out.get(), sentCount, sentType, isRoot ? in.get() : received, receivedCount, receivedType, root,
        communicator);
    if (error == kSuccess)
        in.giveBack();
    return error;
}

LS_MPI int MPI_Gatherv(const void* sent, int sentCount, Handle sentType, void* received, const int* counts,
                       const int* displacements, Handle receivedType, int root, Handle communicator)
{
    const bool isRoot = rankIn(communicator) == root;
    const Staged out("MPI_Gatherv", sent, sentCount, sentType, Use::Read);
    const Staged in = isRoot ? stagedParts("MPI_Gatherv", received, counts, displacements, sizeOf(communicator),
                                           receivedType, isInPlace(sent) ? Use::Both : Use::Written)
                             : Staged("MPI_Gatherv", nullptr, size_t{0}, Use::Written);
    const int error = call<void*, int, Handle, void*, const int*, const int*, Handle, int, Handle>(
        "MPI_Gatherv", out.get(), sentCount, sentType, isRoot ? in.get() : received, counts, displacements,
        receivedType, root, communicator);
    if (error == kSuccess)
        in.giveBack();
    return error;
}

LS_MPI int MPI_Scatter(const void* sent, int sentCount, Handle sentType, void* received, int receivedCount,
                       Handle receivedType, int root, Handle communicator)
{
    const bool isRoot = rankIn(communicator) == root;
    const long long all = static_cast<long long>(sentCount) * (isRoot ? sizeOf(communicator) : 0);
    const Staged out("MPI_Scatter", isRoot ? sent : nullptr, all, sentType, Use::Read);
    const Staged in("MPI_Scatter", received, receivedCount, receivedType, Use::Written);
    const int error = call<const void*, int, Handle, void*, int, Handle, int, Handle>(
        "MPI_Scatter", isRoot ? out.get() : sent, sentCount, sentType, in.get(), receivedCount, receivedType, root,
        communicator);
    if (error == kSuccess)
        in.giveBack();
    return error;
}

LS_MPI int MPI_Allgather(const void* sent, int sentCount, Handle sentType, void* received, int receivedCount,
                         Handle receivedType, Handle communicator)
{
    const long long all = static_cast<long long>(receivedCount) * sizeOf(communicator);
    const Staged out("MPI_Allgather", sent, sentCount, sentType, Use::Read);
    const Staged in("MPI_Allgather", received, all, receivedType, isInPlace(sent) ? Use::Both : Use::Written);
    const int error = call<void*, int, Handle, void*, int, Handle, Handle>(
        "MPI_Allgather", out.get(), sentCount, sentType, in.get(), receivedCount, receivedType, communicator);
    if (error == kSuccess)
        in.giveBack();
    return error;
}

LS_MPI int MPI_Allgatherv(const void* sent, int sentCount, Handle sentType, void* received, const int* counts,
                          const int* displacements, Handle receivedType, Handle communicator)
{
    const Staged out("MPI_Allgatherv", sent, sentCount, sentType, Use::Read);
    const Staged in = stagedParts("MPI_Allgatherv", received, counts, displacements, sizeOf(communicator), receivedType,
                                  isInPlace(sent) ? Use::Both : Use::Written);
    const int error = call<void*, int, Handle, void*, const int*, const int*, Handle, Handle>(
        "MPI_Allgatherv", out.get(), sentCount, sentType, in.get(), counts, displacements, receivedType, communicator);
    if (error == kSuccess)
        in.giveBack();
    return error;
}

LS_MPI int MPI_Alltoall(const void* sent, int sentCount, Handle sentType, void* received, int receivedCount,
                        Handle receivedType, Handle communicator)
{
    const long long ranks = sizeOf(communicator);
    const Staged out("MPI_Alltoall", sent, sentCount * ranks, sentType, Use::Read);
    const Staged in("MPI_Alltoall", received, receivedCount * ranks, receivedType,
                    isInPlace(sent) ? Use::Both : Use::Written);
    const int error = call<void*, int, Handle, void*, int, Handle, Handle>(
        "MPI_Alltoall", out.get(), sentCount, sentType, in.get(), receivedCount, receivedType, communicator);
    if (error == kSuccess)
        in.giveBack();
    return error;
}

LS_MPI int MPI_Alltoallv(const void* sent, const int* sentCounts, const int* sentPlaces, Handle sentType,
                         void* received, const int* receivedCounts, const int* receivedPlaces, Handle receivedType,
                         Handle communicator)
{
    const int ranks = sizeOf(communicator);
    const Staged out = isInPlace(sent)
                           ? Staged("MPI_Alltoallv", sent, size_t{0}, Use::Read)
                           : stagedParts("MPI_Alltoallv", sent, sentCounts, sentPlaces, ranks, sentType, Use::Read);
    const Staged in = stagedParts("MPI_Alltoallv", received, receivedCounts, receivedPlaces, ranks, receivedType,
                                  isInPlace(sent) ? Use::Both : Use::Written);
    const int error = call<void*, const int*, const int*, Handle, void*, const int*, const int*, Handle, Handle>(
        "MPI_Alltoallv", out.get(), sentCounts, sentPlaces, sentType, in.get(), receivedCounts, receivedPlaces,
        receivedType, communicator);
    if (error == kSuccess)
        in.giveBack();
    return error;
}
