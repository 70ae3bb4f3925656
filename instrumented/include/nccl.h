// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL, for ranks of one process: collective calls wait until all ranks have made theirs, then the host does the work,
// with copies from and to the devices in the streams of the ranks. Groups are submitted as a whole, as NCCL has it: one
// thread that calls for several ranks outside of a group waits for ever there, and here. Ranks in several processes are
// refused.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_runtime_api.h"

#define NCCL_MAJOR 2
#define NCCL_MINOR 21
#define NCCL_PATCH 5
#define NCCL_VERSION_CODE 22105
#define NCCL_VERSION(X, Y, Z) ((X) * 10000 + (Y) * 100 + (Z))
#define NCCL_UNIQUE_ID_BYTES 128

typedef struct {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7,
    ncclNumResults = 8
} ncclResult_t;

typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4, ncclNumOps = 5 } ncclRedOp_t;

typedef enum {
    ncclInt8 = 0,
    ncclChar = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclInt = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6,
    ncclHalf = 6,
    ncclFloat32 = 7,
    ncclFloat = 7,
    ncclFloat64 = 8,
    ncclDouble = 8,
    ncclBfloat16 = 9,
    ncclNumTypes = 10
} ncclDataType_t;

namespace lanescope_nccl {

enum class Kind { AllReduce, Reduce, Broadcast, AllGather, ReduceScatter };

struct Call {
    Kind kind = Kind::AllReduce;
    const void* from = nullptr;
    void* to = nullptr;
    size_t count = 0;
    ncclDataType_t type = ncclFloat;
    ncclRedOp_t operation = ncclSum;
    int root = 0;
    cudaStream_t stream = nullptr;
};

/// A send or receive.
struct Message {
    bool isSend = false;
    const void* from = nullptr;
    void* to = nullptr;
    size_t bytes = 0;
    cudaStream_t stream = nullptr;
    bool done = false;
};

/// What the ranks of one communicator share.
struct Clique {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<int> devices;              ///< by rank; -1: not there yet
    std::vector<std::vector<Call>> calls;  ///< by rank, those that are to come first
    std::vector<size_t> finished;          ///< by rank
    std::map<std::pair<int, int>, std::vector<std::shared_ptr<Message>>> messages;  ///< from rank to rank
    ncclResult_t result = ncclSuccess;
};

}  // namespace lanescope_nccl

struct ncclComm {
    std::shared_ptr<lanescope_nccl::Clique> clique;
    int rank = 0;
    int device = 0;
};
typedef struct ncclComm* ncclComm_t;

namespace lanescope_nccl {

inline size_t bytesOf(ncclDataType_t type)
{
    static const size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return type >= 0 && type < ncclNumTypes ? bytes[type] : 0;
}

inline float floatOfHalf(uint16_t bits)
{
    const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u, fraction = bits & 1023u;
    float value = 0;
    if (exponent == 0) {
        value = static_cast<float>(fraction) / 16777216.0f;  // 2^24
        return sign ? -value : value;
    }
    const uint32_t word = sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

/// Rounded to the nearest, ties to even.
inline uint16_t halfOfFloat(float value)
{
    uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    const uint16_t sign = static_cast<uint16_t>(word >> 16 & 0x8000u);
    const uint32_t magnitude = word & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return sign | 0x7e00u;
    if (magnitude >= 0x477ff000u)
        return sign | 0x7c00u;
    if (magnitude < 0x38800000u) {
        float tiny = 0;
        std::memcpy(&tiny, &magnitude, sizeof tiny);
        const float scaled = tiny * 16777216.0f;
        uint32_t whole = static_cast<uint32_t>(scaled);
        const float rest = scaled - static_cast<float>(whole);
        whole += rest > 0.5f || (rest == 0.5f && (whole & 1u));
        return static_cast<uint16_t>(sign | whole);
    }
    const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

inline float floatOfBfloat(uint16_t bits)
{
    const uint32_t word = static_cast<uint32_t>(bits) << 16;
    float value = 0;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

inline uint16_t bfloatOfFloat(float value)
{
    uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    if ((word & 0x7fffffffu) > 0x7f800000u)
        return static_cast<uint16_t>(word >> 16 | 0x40u);
    return static_cast<uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

template <class T>
T combined(ncclRedOp_t operation, T a, T b)
{
    switch (operation) {
    case ncclProd:
        return static_cast<T>(a * b);
    case ncclMax:
        return std::max(a, b);
    case ncclMin:
        return std::min(a, b);
    default:
        return static_cast<T>(a + b);
    }
}

/// Rank after rank, as a chain of them would add; averages are divided at the end.
template <class T, class Wide, class Load, class Store>
void reduceAs(ncclRedOp_t operation, const std::vector<std::vector<char>>& parts, std::vector<char>& result, Load load,
              Store store)
{
    const size_t count = result.size() / sizeof(T);
    for (size_t i = 0; i < count; ++i) {
        T bits;
        std::memcpy(&bits, parts[0].data() + i * sizeof(T), sizeof(T));
        Wide sum = load(bits);
        for (size_t rank = 1; rank < parts.size(); ++rank) {
            std::memcpy(&bits, parts[rank].data() + i * sizeof(T), sizeof(T));
            sum = combined<Wide>(operation, sum, load(bits));
        }
        if (operation == ncclAvg)
            sum = static_cast<Wide>(sum / static_cast<Wide>(parts.size()));
        bits = store(sum);
        std::memcpy(result.data() + i * sizeof(T), &bits, sizeof(T));
    }
}

template <class T>
void reduceAs(ncclRedOp_t operation, const std::vector<std::vector<char>>& parts, std::vector<char>& result)
{
    const auto same = [](T value) { return value; };
    reduceAs<T, T>(operation, parts, result, same, same);
}

inline std::vector<char> reduced(ncclDataType_t type, ncclRedOp_t operation,
                                 const std::vector<std::vector<char>>& parts)
{
    std::vector<char> result(parts[0].size());
    switch (type) {
    case ncclInt8:
        reduceAs<int8_t>(operation, parts, result);
        break;
    case ncclUint8:
        reduceAs<uint8_t>(operation, parts, result);
        break;
    case ncclInt32:
        reduceAs<int32_t>(operation, parts, result);
        break;
    case ncclUint32:
        reduceAs<uint32_t>(operation, parts, result);
        break;
    case ncclInt64:
        reduceAs<int64_t>(operation, parts, result);
        break;
    case ncclUint64:
        reduceAs<uint64_t>(operation, parts, result);
        break;
    case ncclFloat16:
        reduceAs<uint16_t, float>(operation, parts, result, floatOfHalf, halfOfFloat);
        break;
    case ncclBfloat16:
        reduceAs<uint16_t, float>(operation, parts, result, floatOfBfloat, bfloatOfFloat);
        break;
    case ncclFloat64:
        reduceAs<double>(operation, parts, result);
        break;
    default:
        reduceAs<float>(operation, parts, result);
    }
    return result;
}

/// The thread's device is what it was, afterwards.
class OnDevice {
public:
    explicit OnDevice(int device)
    {
        cudaGetDevice(&m_before);
        cudaSetDevice(device);
    }
    ~OnDevice() { cudaSetDevice(m_before); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    int m_before = 0;
};

inline bool copyIn(int device, cudaStream_t stream, std::vector<char>& to, const void* from, size_t bytes)
{
    const OnDevice scope(device);
    to.resize(bytes);
    return bytes == 0 || (cudaMemcpyAsync(to.data(), from, bytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
                          cudaStreamSynchronize(stream) == cudaSuccess);
}

inline bool copyOut(int device, cudaStream_t stream, void* to, const char* from, size_t bytes)
{
    const OnDevice scope(device);
    return bytes == 0 || (cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream) == cudaSuccess &&
                          cudaStreamSynchronize(stream) == cudaSuccess);
}

inline bool reads(const Call& call, int rank)
{
    return call.kind != Kind::Broadcast || rank == call.root;
}

inline bool writes(const Call& call, int rank)
{
    return call.kind != Kind::Reduce || rank == call.root;
}

/// All ranks have made this call. With the clique's lock.
inline ncclResult_t perform(Clique& clique, const std::vector<Call>& calls)
{
    const size_t ranks = calls.size();
    const size_t unit = bytesOf(calls[0].type);
    for (const Call& call : calls)
        if (call.kind != calls[0].kind || call.count != calls[0].count || call.type != calls[0].type ||
            call.operation != calls[0].operation || call.root != calls[0].root)
            return ncclInvalidUsage;
    const size_t piece = calls[0].count * unit;
    const size_t read = calls[0].kind == Kind::ReduceScatter ? piece * ranks : piece;
    std::vector<std::vector<char>> parts;
    for (size_t rank = 0; rank < ranks; ++rank) {
        if (!reads(calls[rank], static_cast<int>(rank)))
            continue;
        parts.emplace_back();
        if (!copyIn(clique.devices[rank], calls[rank].stream, parts.back(), calls[rank].from, read))
            return ncclUnhandledCudaError;
    }
    std::vector<char> result;
    if (calls[0].kind == Kind::AllGather)
        for (const std::vector<char>& part : parts)
            result.insert(result.end(), part.begin(), part.end());
    else if (calls[0].kind == Kind::Broadcast)
        result = parts[0];
    else
        result = reduced(calls[0].type, calls[0].operation, parts);
    for (size_t rank = 0; rank < ranks; ++rank) {
        const bool isScattered = calls[rank].kind == Kind::ReduceScatter;
        if (writes(calls[rank], static_cast<int>(rank)) &&
            !copyOut(clique.devices[rank], calls[rank].stream, calls[rank].to,
                     result.data() + (isScattered ? piece * rank : 0), isScattered ? piece : result.size()))
            return ncclUnhandledCudaError;
    }
    return ncclSuccess;
}

/// As far as all ranks have come. With the clique's lock.
inline void performReady(Clique& clique)
{
    const auto isReady = [&] {
        return std::all_of(clique.calls.begin(), clique.calls.end(),
                           [](const auto& waiting) { return !waiting.empty(); });
    };
    while (isReady()) {
        std::vector<Call> calls;
        for (size_t rank = 0; rank < clique.calls.size(); ++rank) {
            calls.push_back(clique.calls[rank].front());
            clique.calls[rank].erase(clique.calls[rank].begin());
        }
        const ncclResult_t result = perform(clique, calls);
        if (clique.result == ncclSuccess)
            clique.result = result;
        for (size_t& count : clique.finished)
            ++count;
    }
    clique.changed.notify_all();
}

/// What a thread has submitted and has to wait for.
struct Ticket {
    std::shared_ptr<Clique> clique;
    int rank = 0;
    size_t number = 0;                 ///< of the rank's collective calls; 0: none
    std::shared_ptr<Message> message;  ///< null: none
};

struct Pending {
    ncclComm_t comm = nullptr;
    Call call;
    int peer = -1;  ///< of a message
    std::shared_ptr<Message> message;
};

struct Group {
    int depth = 0;
    std::vector<Pending> pending;
};

inline Group& group()
{
    static thread_local Group own;
    return own;
}

inline bool deliver(Clique& clique, int from, int to, Message& sent, Message& received)
{
    std::vector<char> bytes;
    return sent.bytes == received.bytes &&
           copyIn(clique.devices[static_cast<size_t>(from)], sent.stream, bytes, sent.from, sent.bytes) &&
           copyOut(clique.devices[static_cast<size_t>(to)], received.stream, received.to, bytes.data(), bytes.size());
}

inline Ticket submit(const Pending& pending)
{
    Clique& clique = *pending.comm->clique;
    const std::lock_guard<std::mutex> lock(clique.mutex);
    const auto rank = static_cast<size_t>(pending.comm->rank);
    if (!pending.message) {
        const size_t number = clique.finished[rank] + clique.calls[rank].size() + 1;
        clique.calls[rank].push_back(pending.call);
        performReady(clique);
        return {pending.comm->clique, pending.comm->rank, number, nullptr};
    }
    const bool isSend = pending.message->isSend;
    const int from = isSend ? pending.comm->rank : pending.peer, to = isSend ? pending.peer : pending.comm->rank;
    auto& waiting = clique.messages[{from, to}];
    const auto other =
        std::find_if(waiting.begin(), waiting.end(), [&](const auto& message) { return message->isSend != isSend; });
    if (other == waiting.end()) {
        waiting.push_back(pending.message);
    } else {
        const std::shared_ptr<Message> met = *other;
        waiting.erase(other);
        if (!deliver(clique, from, to, isSend ? *pending.message : *met, isSend ? *met : *pending.message))
            clique.result = ncclInvalidUsage;
        met->done = pending.message->done = true;
        clique.changed.notify_all();
    }
    return {pending.comm->clique, pending.comm->rank, 0, pending.message};
}

inline ncclResult_t waitFor(const Ticket& ticket)
{
    Clique& clique = *ticket.clique;
    std::unique_lock<std::mutex> lock(clique.mutex);
    clique.changed.wait(lock, [&] {
        return ticket.message ? ticket.message->done
                              : clique.finished[static_cast<size_t>(ticket.rank)] >= ticket.number;
    });
    return clique.result;
}

inline ncclResult_t enqueue(Pending pending)
{
    if (!pending.comm)
        return ncclInvalidArgument;
    if (group().depth > 0) {
        group().pending.push_back(std::move(pending));
        return ncclSuccess;
    }
    return waitFor(submit(pending));
}

inline ncclResult_t collective(ncclComm_t comm, const Call& call)
{
    const bool isGood = comm && bytesOf(call.type) != 0 && call.operation >= ncclSum && call.operation <= ncclAvg &&
                        call.root >= 0 && static_cast<size_t>(call.root) < comm->clique->devices.size();
    return isGood ? enqueue({comm, call, -1, nullptr}) : ncclInvalidArgument;
}

inline ncclResult_t message(ncclComm_t comm, int peer, Message wanted)
{
    if (!comm || peer < 0 || static_cast<size_t>(peer) >= comm->clique->devices.size())
        return ncclInvalidArgument;
    return enqueue({comm, {}, peer, std::make_shared<Message>(wanted)});
}

inline std::shared_ptr<Clique> makeClique(int ranks)
{
    auto clique = std::make_shared<Clique>();
    clique->devices.assign(static_cast<size_t>(ranks), -1);
    clique->calls.resize(static_cast<size_t>(ranks));
    clique->finished.assign(static_cast<size_t>(ranks), 0);
    return clique;
}

/// Those that ncclCommInitRank makes, by their id.
struct Meetings {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<Clique>> byId;
    int made = 0;
};

inline Meetings& meetings()
{
    static auto* const all = new Meetings;
    return *all;
}

/// Processes that a job has started together: their ranks would wait here for ever.
inline bool isOneOfSeveralProcesses()
{
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})
        if (const char* const count = std::getenv(name); count && std::atoi(count) > 1)
            return true;
    return false;
}

}  // namespace lanescope_nccl

inline const char* ncclGetErrorString(ncclResult_t result)
{
    static const char* const texts[] = {"no error",
                                        "unhandled cuda error",
                                        "unhandled system error",
                                        "internal error",
                                        "invalid argument",
                                        "invalid usage",
                                        "remote process exited or there was a network error",
                                        "NCCL operation in progress"};
    return result >= 0 && result < ncclNumResults ? texts[result] : "unknown result code";
}

inline const char* ncclGetLastError(ncclComm_t)
{
    return "";
}

inline ncclResult_t ncclGetVersion(int* version)
{
    if (!version)
        return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

inline ncclResult_t ncclGetUniqueId(ncclUniqueId* id)
{
    if (!id)
        return ncclInvalidArgument;
    lanescope_nccl::Meetings& all = lanescope_nccl::meetings();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::memset(id, 0, sizeof(*id));
    std::snprintf(id->internal, sizeof(id->internal), "lanescope %d", ++all.made);
    return ncclSuccess;
}

inline ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices)
{
    int there = 0;
    cudaGetDeviceCount(&there);
    if (!comms || count <= 0)
        return ncclInvalidArgument;
    const std::shared_ptr<lanescope_nccl::Clique> clique = lanescope_nccl::makeClique(count);
    for (int rank = 0; rank < count; ++rank) {
        const int device = devices ? devices[rank] : rank;
        if (device < 0 || device >= there)
            return ncclInvalidArgument;
        clique->devices[static_cast<size_t>(rank)] = device;
        comms[rank] = new ncclComm{clique, rank, device};
    }
    return ncclSuccess;
}

/// The ranks are threads, or are made in one group.
inline ncclResult_t ncclCommInitRank(ncclComm_t* comm, int count, ncclUniqueId id, int rank)
{
    if (!comm || count <= 0 || rank < 0 || rank >= count)
        return ncclInvalidArgument;
    if (count > 1 && lanescope_nccl::isOneOfSeveralProcesses()) {
        std::fprintf(
            stderr,
            "lanescope: error: ncclCommInitRank: ranks in several processes are not supported, only those of one\n");
        return ncclInvalidUsage;
    }
    lanescope_nccl::Meetings& all = lanescope_nccl::meetings();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::shared_ptr<lanescope_nccl::Clique>& clique = all.byId[id.internal];
    if (!clique)
        clique = lanescope_nccl::makeClique(count);
    int device = 0;
    cudaGetDevice(&device);
    {
        const std::lock_guard<std::mutex> inner(clique->mutex);
        if (clique->devices.size() != static_cast<size_t>(count))
            return ncclInvalidArgument;
        clique->devices[static_cast<size_t>(rank)] = device;
    }
    *comm = new ncclComm{clique, rank, device};
    return ncclSuccess;
}

inline ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    return comm ? ncclSuccess : ncclInvalidArgument;
}

inline ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    delete comm;
    return ncclSuccess;
}

inline ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    return ncclCommDestroy(comm);
}

inline ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error)
{
    if (!comm || !error)
        return ncclInvalidArgument;
    const std::lock_guard<std::mutex> lock(comm->clique->mutex);
    *error = comm->clique->result;
    return ncclSuccess;
}

inline ncclResult_t ncclCommCount(const ncclComm_t comm, int* count)
{
    if (!comm || !count)
        return ncclInvalidArgument;
    *count = static_cast<int>(comm->clique->devices.size());
    return ncclSuccess;
}

inline ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device)
{
    if (!comm || !device)
        return ncclInvalidArgument;
    *device = comm->device;
    return ncclSuccess;
}

inline ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank)
{
    if (!comm || !rank)
        return ncclInvalidArgument;
    *rank = comm->rank;
    return ncclSuccess;
}

inline ncclResult_t ncclGroupStart()
{
    ++lanescope_nccl::group().depth;
    return ncclSuccess;
}

inline ncclResult_t ncclGroupEnd()
{
    lanescope_nccl::Group& own = lanescope_nccl::group();
    if (own.depth == 0)
        return ncclInvalidUsage;
    if (--own.depth > 0)
        return ncclSuccess;
    std::vector<lanescope_nccl::Ticket> tickets;
    for (const lanescope_nccl::Pending& pending : own.pending)
        tickets.push_back(lanescope_nccl::submit(pending));
    own.pending.clear();
    ncclResult_t result = ncclSuccess;
    for (const lanescope_nccl::Ticket& ticket : tickets)
        if (const ncclResult_t one = lanescope_nccl::waitFor(ticket); one != ncclSuccess)
            result = one;
    return result;
}

inline ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                                  ncclComm_t comm, cudaStream_t stream)
{
    return lanescope_nccl::collective(comm,
                                      {lanescope_nccl::Kind::AllReduce, from, to, count, type, operation, 0, stream});
}

inline ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                               int root, ncclComm_t comm, cudaStream_t stream)
{
    return lanescope_nccl::collective(comm,
                                      {lanescope_nccl::Kind::Reduce, from, to, count, type, operation, root, stream});
}

inline ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                                  ncclComm_t comm, cudaStream_t stream)
{
    return lanescope_nccl::collective(comm,
                                      {lanescope_nccl::Kind::Broadcast, from, to, count, type, ncclSum, root, stream});
}

inline ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                              cudaStream_t stream)
{
    return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

inline ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                                  cudaStream_t stream)
{
    return lanescope_nccl::collective(comm,
                                      {lanescope_nccl::Kind::AllGather, from, to, count, type, ncclSum, 0, stream});
}

inline ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type,
                                      ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream)
{
    return lanescope_nccl::collective(
        comm, {lanescope_nccl::Kind::ReduceScatter, from, to, count, type, operation, 0, stream});
}

inline ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                             cudaStream_t stream)
{
    return lanescope_nccl::message(comm, peer,
                                   {true, from, nullptr, count * lanescope_nccl::bytesOf(type), stream, false});
}

inline ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                             cudaStream_t stream)
{
    return lanescope_nccl::message(comm, peer,
                                   {false, nullptr, to, count * lanescope_nccl::bytesOf(type), stream, false});
}
