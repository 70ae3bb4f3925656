// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps with roles: one loads chunks into a ring of two stages, two others add up the squares of what lies there.
// Nobody waits at a barrier of the block; `full` and `empty`, mbarriers of each stage, say whose turn it is. One lane
// arrives for its warp, once the warp has met. 6 chunks of 64. Another number: the first argument.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int WARP = 32;
constexpr int CONSUMERS = 2;     // warps
constexpr int CHUNK = 2 * WARP;  // elements of a stage
constexpr int STAGES = 2;
constexpr int THREADS = (1 + CONSUMERS) * WARP;

struct Ring {
    float chunk[STAGES][CHUNK];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void init(uint64_t* barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ void arrive(uint64_t* barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// Until the phase of that parity is over.
__device__ void wait(uint64_t* barrier, int parity)
{
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@over bra done;\nbra again;\ndone:\n}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ void produce(Ring& ring, const float* a, int chunks, int lane)
{
    for (int i = 0; i < chunks; ++i) {
        const int stage = i % STAGES;
        wait(&ring.empty[stage], (i / STAGES & 1) ^ 1);
        for (int at = lane; at < CHUNK; at += WARP)
            ring.chunk[stage][at] = a[i * CHUNK + at];
        __syncwarp();  // all lanes have stored: one may arrive for them
        if (lane == 0)
            arrive(&ring.full[stage]);
    }
}

/// Each consumer has its half of every chunk, and writes that half's sum of squares.
__device__ void consume(Ring& ring, float* out, int chunks, int warp, int lane)
{
    for (int i = 0; i < chunks; ++i) {
        const int stage = i % STAGES;
        wait(&ring.full[stage], i / STAGES & 1);
        const float value = ring.chunk[stage][warp * WARP + lane];
        __syncwarp();  // all lanes have read
        if (lane == 0)
            arrive(&ring.empty[stage]);
        float sum = value * value;
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0)
            out[i * CONSUMERS + warp] = sum;
    }
}

__global__ void __launch_bounds__(THREADS) squares(float* out, const float* a, int chunks)
{
    __shared__ Ring ring;
    if (threadIdx.x == 0)
        for (int stage = 0; stage < STAGES; ++stage) {
            init(&ring.full[stage], 1);
            init(&ring.empty[stage], CONSUMERS);
        }
    __syncthreads();
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (warp == 0)
        produce(ring, a, chunks, lane);
    else
        consume(ring, out, chunks, warp - 1, lane);
}

/// Up to 256 values.
static void print(const char* label, const std::vector<float>& values)
{
    std::printf("%s", label);
    for (size_t i = 0; i < values.size() && i < 256; ++i)
        std::printf(" %g", values[i]);
    std::puts(values.size() > 256 ? " ..." : "");
}

static float* to_device(const std::vector<float>& values)
{
    float* pointer = nullptr;
    cudaMalloc(&pointer, values.size() * sizeof(float));
    cudaMemcpy(pointer, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    return pointer;
}

/// Copies the result back, prints both, and compares them.
static bool report(const float* out, const std::vector<float>& expected)
{
    std::vector<float> out_host(expected.size());
    const cudaError_t error = cudaMemcpy(out_host.data(), out, expected.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
        return false;
    }
    print("out:     ", out_host);
    print("expected:", expected);
    return out_host == expected;
}

int main(int argc, char** argv)
{
    const int chunks = argc > 1 ? std::atoi(argv[1]) : 6;
    std::vector<float> a_host(chunks * CHUNK), expected(chunks * CONSUMERS, 0.0f);
    for (int i = 0; i < chunks * CHUNK; ++i) {
        a_host[i] = float(i % 9);
        expected[i / WARP] += a_host[i] * a_host[i];
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, expected.size() * sizeof(float));
    squares<<<1, THREADS>>>(out, a, chunks);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
