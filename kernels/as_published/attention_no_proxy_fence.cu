// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: products read shared memory asynchronously, and a barrier alone does not show them what ordinary stores
// have put there: fence.proxy.async is left out. The corrected twin is 27_flash_attention.cu.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 64;      // queries of a block, keys of a step, elements of a head: a row of halves is 128 bytes
constexpr int THREADS = 128;  // a warpgroup
constexpr int CHUNK = 8;      // halves that are copied and swizzled together: 16 bytes

using Tile = __half[TILE][TILE];

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Rows \p from to \p from + 63, swizzled by 128 bytes: chunk c of row r lies at c ^ (r % 8).
__device__ void load_tile(Tile& tile, const __half* matrix, int from)
{
    for (int i = threadIdx.x; i < TILE * TILE / CHUNK; i += THREADS) {
        const int row = i / (TILE / CHUNK), chunk = i % (TILE / CHUNK);
        *reinterpret_cast<uint4*>(&tile[row][(chunk ^ row % 8) * CHUNK]) =
            *reinterpret_cast<const uint4*>(&matrix[(from + row) * TILE + chunk * CHUNK]);
    }
}

/// For wgmma, from \p bytes on: eight rows take 1024 bytes; swizzled by 128.
__device__ uint64_t descriptor(const Tile& tile, int bytes)
{
    const uint64_t address = shared_address(&tile[0][0]) + bytes;
    return (address >> 4 & 0x3fff) | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
}

#define SUMS(sums)                                                                                                     \
    "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),           \
        "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]),   \
        "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),                \
        "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),                \
        "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])

/// \p sums += 64x16 of a times 16x64 of b, both with k along their rows.
__device__ void multiply(float (&sums)[32], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31}, %32, %33, 1, 1, 1, 0, 0;"
                 : SUMS(sums)
                 : "l"(a), "l"(b));
}

/// The same with a in registers and the rows of b one for each k.
__device__ void multiply_registers(float (&sums)[32], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : SUMS(sums)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ void begin_products()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void finish_products()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ uint32_t pack(float low, float high)
{
    const __half2 both = __floats2half2_rn(low, high);
    return reinterpret_cast<const uint32_t&>(both);
}

/// Of a row's scores, over the four lanes that have it.
__device__ float row_max(float value)
{
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, 1));
    return fmaxf(value, __shfl_xor_sync(0xffffffff, value, 2));
}

__device__ float row_sum(float value)
{
    value += __shfl_xor_sync(0xffffffff, value, 1);
    return value + __shfl_xor_sync(0xffffffff, value, 2);
}

__global__ void __launch_bounds__(THREADS)
    attention(float* out, const __half* queries, const __half* keys, const __half* values, int length)
{
    __shared__ alignas(1024) Tile q, k, v;
    load_tile(q, queries, blockIdx.x * TILE);

    // Lane's element i of a 64x64 result: row 8 * (i / 2 % 2) of its warp's 16 and lane / 4 further, column i / 4 * 8 +
    // ...
    float result[32] = {}, most[2] = {-INFINITY, -INFINITY}, total[2] = {};
    for (int from = 0; from < length; from += TILE) {
        load_tile(k, keys, from);
        load_tile(v, values, from);
        __syncthreads();

        float scores[32] = {};
        begin_products();
        for (int step = 0; step < TILE / 16; ++step)
            multiply(scores, descriptor(q, step * 32), descriptor(k, step * 32));
        finish_products();

        float scale[2];
        for (int half = 0; half < 2; ++half) {
            float highest = most[half];
            for (int i = 0; i < 32; ++i)
                if (i / 2 % 2 == half)
                    highest = fmaxf(highest, scores[i]);
            highest = row_max(highest);
            scale[half] = expf((most[half] - highest) / 8.0f);
            most[half] = highest;
            total[half] *= scale[half];
        }
        for (int i = 0; i < 32; ++i) {
            const int half = i / 2 % 2;
            scores[i] = expf((scores[i] - most[half]) / 8.0f);  // 8: the root of 64
            total[half] += scores[i];
            result[i] *= scale[half];
        }

        // A lane's sums are what it has to have of a factor; they are there before the fence that products begin with.
        uint32_t weights[TILE / 16][4];
        for (int i = 0; i < 16; ++i)
            weights[i / 4][i % 4] = pack(scores[2 * i], scores[2 * i + 1]);
        begin_products();
        for (int step = 0; step < TILE / 16; ++step)
            multiply_registers(result, weights[step], descriptor(v, step * 2048));
        finish_products();
        __syncthreads();  // k and v have been read
    }

    const int row = blockIdx.x * TILE + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    for (int half = 0; half < 2; ++half)
        total[half] = row_sum(total[half]);
    for (int i = 0; i < 32; ++i) {
        const int half = i / 2 % 2;
        out[(row + half * 8) * TILE + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = result[i] / total[half];
    }
}

/// Weights are halves: each is off by at most 2^-11 of itself.
constexpr double TOLERANCE = 1.0 / 512;

/// Up to 256 values.
static void print(const char* label, const std::vector<float>& values)
{
    std::printf("%s", label);
    for (size_t i = 0; i < values.size() && i < 256; ++i)
        std::printf(" %.2f", values[i]);
    std::puts(values.size() > 256 ? " ..." : "");
}

static __half* to_device(const std::vector<float>& values)
{
    std::vector<__half> halves(values.begin(), values.end());
    __half* pointer = nullptr;
    cudaMalloc(&pointer, halves.size() * sizeof(__half));
    cudaMemcpy(pointer, halves.data(), halves.size() * sizeof(__half), cudaMemcpyHostToDevice);
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
    for (size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(out_host[i] - expected[i]) <= TOLERANCE))
            return false;
    return true;
}

int main(int argc, char** argv)
{
    const int length = argc > 1 ? std::atoi(argv[1]) : 128;
    std::vector<float> q(length * TILE), k(length * TILE), v(length * TILE), expected(length * TILE);
    for (int i = 0; i < length * TILE; ++i) {
        q[i] = float((i * 7 + i / TILE) % 9 - 4) / 4;
        k[i] = float((i * 5 + i / TILE) % 11 - 5) / 4;
        v[i] = float((i * 3 + i / TILE) % 8) / 8;
    }
    for (int row = 0; row < length; ++row) {
        std::vector<double> weights(length), sums(TILE, 0.0);
        double total = 0;
        for (int key = 0; key < length; ++key) {
            double score = 0;
            for (int i = 0; i < TILE; ++i)
                score += double(q[row * TILE + i]) * k[key * TILE + i];
            weights[key] = std::exp(score / 8);
            total += weights[key];
        }
        for (int key = 0; key < length; ++key)
            for (int i = 0; i < TILE; ++i)
                sums[i] += weights[key] / total * v[key * TILE + i];
        for (int i = 0; i < TILE; ++i)
            expected[row * TILE + i] = float(sums[i]);
    }
    __half* queries = to_device(q);
    __half* keys = to_device(k);
    __half* values = to_device(v);
    float* out = nullptr;
    cudaMalloc(&out, expected.size() * sizeof(float));
    attention<<<length / TILE, THREADS>>>(out, queries, keys, values, length);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(values);
    cudaFree(keys);
    cudaFree(queries);
    return correct ? 0 : 1;
}
