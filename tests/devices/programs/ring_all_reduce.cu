// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of one array of each device, on all devices: pieces go around the ring, first added up, then handed out. A
// host thread for each device; the next device's memory is written by copies, or by kernels through peer access.
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorString(error));                                                 \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

__global__ void add(int* sum, const int* part, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += part[i];
}

__global__ void send(int* theirs, const int* mine, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        theirs[i] = mine[i];
}

constexpr int kPiece = 64;

struct Rank {
    int* values = nullptr;   // a piece for each device
    int* arrived = nullptr;  // one piece
};

int main(int argc, char** argv)
{
    const bool byKernels = argc > 1 && !std::strcmp(argv[1], "kernels");
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    std::vector<Rank> ranks(devices);
    std::barrier together(devices);
    std::vector<int> wrong(devices, 0);

    const auto rankMain = [&](int rank) {
        CHECK(cudaSetDevice(rank));
        const int next = (rank + 1) % devices;
        if (byKernels && next != rank)
            CHECK(cudaDeviceEnablePeerAccess(next, 0));
        cudaStream_t stream;
        CHECK(cudaStreamCreate(&stream));
        Rank& own = ranks[rank];
        const int count = devices * kPiece;
        std::vector<int> host(count);
        for (int i = 0; i < count; ++i)
            host[i] = (rank + 1) * (i + 1);
        CHECK(cudaMalloc(&own.values, count * sizeof(int)));
        CHECK(cudaMalloc(&own.arrived, kPiece * sizeof(int)));
        CHECK(cudaMemcpy(own.values, host.data(), count * sizeof(int), cudaMemcpyHostToDevice));
        together.arrive_and_wait();

        const auto hand = [&](int piece, int* there) {
            if (byKernels)
                send<<<1, kPiece, 0, stream>>>(there, own.values + piece * kPiece, kPiece);
            else
                CHECK(cudaMemcpyPeerAsync(there, next, own.values + piece * kPiece, rank, kPiece * sizeof(int), stream));
            CHECK(cudaStreamSynchronize(stream));
            together.arrive_and_wait();
        };
        for (int step = 0; step + 1 < devices; ++step) {
            hand((rank - step + devices) % devices, ranks[next].arrived);
            const int got = (rank - step - 1 + 2 * devices) % devices;
            add<<<1, kPiece, 0, stream>>>(own.values + got * kPiece, own.arrived, kPiece);
            CHECK(cudaGetLastError());
            CHECK(cudaStreamSynchronize(stream));
            together.arrive_and_wait();
        }
        for (int step = 0; step + 1 < devices; ++step) {
            const int piece = (rank + 1 - step + 2 * devices) % devices;
            hand(piece, ranks[next].values + piece * kPiece);
        }
        CHECK(cudaMemcpy(host.data(), own.values, count * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < count; ++i)
            wrong[rank] += host[i] != devices * (devices + 1) / 2 * (i + 1);
        CHECK(cudaFree(own.values));
        CHECK(cudaFree(own.arrived));
        CHECK(cudaStreamDestroy(stream));
    };
    std::vector<std::thread> threads;
    for (int rank = 0; rank < devices; ++rank)
        threads.emplace_back(rankMain, rank);
    for (std::thread& thread : threads)
        thread.join();
    int all = 0;
    for (const int one : wrong)
        all += one;
    std::printf("%d devices, %d values wrong\n", devices, all);
    return all != 0;
}
