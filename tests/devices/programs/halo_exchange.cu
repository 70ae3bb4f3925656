// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat in a rod that lies on all devices, in pieces. After each step neighbours get each other's outermost cells by
// copies between devices, ordered by events; one host thread does it all.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorString(error));                                                 \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

__device__ int steps;  // every device has one

__global__ void diffuse(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i <= n)
        out[i] = in[i] + 0.25f * (in[i - 1] - 2 * in[i] + in[i + 1]);
    if (i == 1)
        ++steps;
}

struct Piece {
    float* cells[2];  // n and a halo cell at each end
    cudaStream_t stream;
    cudaEvent_t computed;
    cudaEvent_t exchanged;
};

int main()
{
    const int n = 100, kSteps = 6;
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    std::vector<float> rod(devices * n + 2, 0.0f);
    rod[1] = 64;
    rod[devices * n / 2] = 1024;

    std::vector<Piece> pieces(devices);
    for (int d = 0; d < devices; ++d) {
        CHECK(cudaSetDevice(d));
        for (float*& cells : pieces[d].cells) {
            CHECK(cudaMalloc(&cells, (n + 2) * sizeof(float)));
            CHECK(cudaMemcpy(cells, &rod[d * n], (n + 2) * sizeof(float), cudaMemcpyHostToDevice));
        }
        CHECK(cudaStreamCreateWithFlags(&pieces[d].stream, cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&pieces[d].computed, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&pieces[d].exchanged, cudaEventDisableTiming));
    }
    for (int step = 0; step < kSteps; ++step) {
        const int from = step % 2, to = 1 - from;
        for (int d = 0; d < devices; ++d) {
            CHECK(cudaSetDevice(d));
            // What the neighbours have sent, and they have got.
            for (int other : {d - 1, d + 1})
                if (step > 0 && other >= 0 && other < devices)
                    CHECK(cudaStreamWaitEvent(pieces[d].stream, pieces[other].exchanged, 0));
            diffuse<<<(n + 31) / 32, 32, 0, pieces[d].stream>>>(pieces[d].cells[from], pieces[d].cells[to], n);
            CHECK(cudaEventRecord(pieces[d].computed, pieces[d].stream));
        }
        for (int d = 0; d < devices; ++d) {
            Piece& own = pieces[d];
            CHECK(cudaSetDevice(d));
            if (d > 0) {
                CHECK(cudaStreamWaitEvent(own.stream, pieces[d - 1].computed, 0));
                CHECK(cudaMemcpyPeerAsync(pieces[d - 1].cells[to] + n + 1, d - 1, own.cells[to] + 1, d, sizeof(float),
                                          own.stream));
            }
            if (d + 1 < devices) {
                CHECK(cudaStreamWaitEvent(own.stream, pieces[d + 1].computed, 0));
                CHECK(cudaMemcpyPeerAsync(pieces[d + 1].cells[to], d + 1, own.cells[to] + n, d, sizeof(float),
                                          own.stream));
            }
            CHECK(cudaEventRecord(own.exchanged, own.stream));
        }
    }
    std::vector<float> result(devices * n);
    for (int d = 0; d < devices; ++d) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&result[d * n], pieces[d].cells[kSteps % 2] + 1, n * sizeof(float), cudaMemcpyDeviceToHost));
        int counted = 0;
        CHECK(cudaMemcpyFromSymbol(&counted, steps, sizeof(int)));
        std::printf("device %d: %d steps\n", d, counted);
        for (float* cells : pieces[d].cells)
            CHECK(cudaFree(cells));
        CHECK(cudaStreamDestroy(pieces[d].stream));
        CHECK(cudaEventDestroy(pieces[d].computed));
        CHECK(cudaEventDestroy(pieces[d].exchanged));
    }
    std::vector<float> next = rod;
    for (int step = 0; step < kSteps; ++step) {
        for (int i = 1; i <= devices * n; ++i)
            next[i] = rod[i] + 0.25f * (rod[i - 1] - 2 * rod[i] + rod[i + 1]);
        rod.swap(next);
    }
    int wrong = 0;
    for (int i = 0; i < devices * n; ++i)
        wrong += result[i] != rod[i + 1];
    std::printf("%d devices, %d cells wrong\n", devices, wrong);
    return wrong != 0;
}
