// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL's calls between the devices of one process: by one thread in groups, then by a thread for each rank.
#include <cuda_fp16.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define NCCL(call)                                                                                                     \
    do {                                                                                                               \
        const ncclResult_t result = (call);                                                                            \
        if (result != ncclSuccess) {                                                                                   \
            std::printf("%s: %s\n", #call, ncclGetErrorString(result));                                                \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

__global__ void fill(float* values, int rank, int n)
{
    const int i = threadIdx.x;
    if (i < n)
        values[i] = (rank + 1) * (i + 1);
}

__global__ void fillHalves(__half* values, int rank)
{
    values[threadIdx.x] = __float2half(rank + 0.5f);
}

static float at(const float* values, int i)
{
    float value = 0;
    cudaMemcpy(&value, values + i, sizeof(float), cudaMemcpyDeviceToHost);
    return value;
}

static int byOneThread(int devices)
{
    const int n = 64;
    std::vector<ncclComm_t> comms(devices);
    std::vector<float*> in(devices), out(devices);
    std::vector<__half*> halves(devices);
    std::vector<cudaStream_t> streams(devices);
    NCCL(ncclCommInitAll(comms.data(), devices, nullptr));
    for (int d = 0; d < devices; ++d) {
        cudaSetDevice(d);
        cudaStreamCreate(&streams[d]);
        cudaMalloc(&in[d], n * sizeof(float));
        cudaMalloc(&out[d], devices * n * sizeof(float));
        cudaMalloc(&halves[d], 32 * sizeof(__half));
        fill<<<1, n, 0, streams[d]>>>(in[d], d, n);
        fillHalves<<<1, 32, 0, streams[d]>>>(halves[d], d);
    }
    const auto all = [&](auto call) {
        NCCL(ncclGroupStart());
        for (int d = 0; d < devices; ++d)
            NCCL(call(d));
        NCCL(ncclGroupEnd());
        for (int d = 0; d < devices; ++d) {
            cudaSetDevice(d);
            cudaStreamSynchronize(streams[d]);
        }
    };
    all([&](int d) { return ncclAllReduce(in[d], out[d], n, ncclFloat, ncclSum, comms[d], streams[d]); });
    std::printf("sum: %g %g\n", at(out[0], 9), at(out[devices - 1], 9));
    all([&](int d) { return ncclAllReduce(halves[d], halves[d], 32, ncclHalf, ncclAvg, comms[d], streams[d]); });
    __half average;
    cudaMemcpy(&average, halves[1] + 31, sizeof(average), cudaMemcpyDeviceToHost);
    std::printf("average: %g\n", __half2float(average));
    all([&](int d) { return ncclBroadcast(in[d], out[d], n, ncclFloat, 2, comms[d], streams[d]); });
    std::printf("broadcast: %g\n", at(out[0], 0));
    all([&](int d) { return ncclAllGather(in[d], out[d], n, ncclFloat, comms[d], streams[d]); });
    std::printf("gather: %g %g\n", at(out[0], 0), at(out[0], (devices - 1) * n));
    all([&](int d) { return ncclReduceScatter(out[d], in[d], n, ncclFloat, ncclMax, comms[d], streams[d]); });
    std::printf("scatter: %g %g\n", at(in[0], 0), at(in[devices - 1], 0));
    all([&](int d) { return ncclReduce(in[d], out[d], n, ncclFloat, ncclMin, 1, comms[d], streams[d]); });
    std::printf("least: %g\n", at(out[1], 0));
    int count = 0, device = -1;
    ncclCommCount(comms[1], &count);
    ncclCommCuDevice(comms[1], &device);
    std::printf("%d ranks, rank 1 on device %d\n", count, device);
    for (int d = 0; d < devices; ++d) {
        cudaSetDevice(d);
        cudaStreamDestroy(streams[d]);
        cudaFree(in[d]);
        cudaFree(out[d]);
        cudaFree(halves[d]);
        NCCL(ncclCommDestroy(comms[d]));
    }
    return 0;
}

static void rankMain(int rank, int ranks, ncclUniqueId id, float* answer)
{
    const int n = 32;
    cudaSetDevice(rank);
    ncclComm_t comm;
    cudaStream_t stream;
    float *mine, *theirs;
    cudaStreamCreate(&stream);
    cudaMalloc(&mine, n * sizeof(float));
    cudaMalloc(&theirs, n * sizeof(float));
    fill<<<1, n, 0, stream>>>(mine, rank, n);
    NCCL(ncclCommInitRank(&comm, ranks, id, rank));
    NCCL(ncclGroupStart());
    NCCL(ncclSend(mine, n, ncclFloat, (rank + 1) % ranks, comm, stream));
    NCCL(ncclRecv(theirs, n, ncclFloat, (rank + ranks - 1) % ranks, comm, stream));
    NCCL(ncclGroupEnd());
    NCCL(ncclAllReduce(theirs, theirs, n, ncclFloat, ncclSum, comm, stream));
    cudaStreamSynchronize(stream);
    *answer = at(theirs, 1);
    cudaStreamDestroy(stream);
    cudaFree(mine);
    cudaFree(theirs);
    NCCL(ncclCommDestroy(comm));
}

int main()
{
    int devices = 0;
    cudaGetDeviceCount(&devices);
    byOneThread(devices);
    ncclUniqueId id;
    NCCL(ncclGetUniqueId(&id));
    std::vector<float> answers(devices);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < devices; ++rank)
        threads.emplace_back(rankMain, rank, devices, id, &answers[rank]);
    for (std::thread& thread : threads)
        thread.join();
    std::printf("threads: %g %g\n", answers.front(), answers.back());
}
