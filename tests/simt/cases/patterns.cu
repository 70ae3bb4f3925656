// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses that go up evenly over the lanes, and such as cease to: the register that they are made of changes in some
// lanes, in a loop, in a function; steps back, steps of none, of two rows to a warp, warps that are not full. Every
// case runs on the host as well.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 104;  // the last warp has 8 lanes
constexpr int kCells = 1024;

struct Cell {
    int value;
    short small[2];
    float4 wide;
};

__host__ __device__ int walk(int i, const Cell* in)
{
    int sum = 0;
    for (const Cell* at = in + i; at < in + 900; at += kThreads)
        sum = sum * 3 + at[0].value + at[1].value + at[2].small[1];
    return sum;
}

// Some lanes go elsewhere while the others wait, and later all read together again.
__host__ __device__ int changeInSomeLanes(int i, const Cell* in)
{
    int at = i, sum = 0;
    for (int k = 0; k < 6; ++k) {
        sum = sum * 5 + in[at].value + in[at + 1].value;
        if (i % 4 == k)
            at = 3 * i + k;
        sum += in[at].small[0] - in[at + 2].value;
    }
    return sum;
}

__host__ __device__ int leaveTheLoopOneByOne(int i, const Cell* in)
{
    int at = 0;
    for (int k = 0; k <= i % 7; ++k)
        at = 2 * i + k;
    return in[at].value + 2 * in[at + 1].value + 3 * in[at + 5].small[1];
}

__host__ __device__ int backwards(int i, const Cell* in)
{
    int sum = 0;
    for (int k = 0; k < 4; ++k)
        sum = sum * 7 + in[500 - i + k].value + in[700 - 2 * i - k].value;
    return sum;
}

__host__ __device__ int rows(int i, const Cell* in)
{
    int row = i / 16, column = i % 16, sum = 0;
    for (int k = 0; k < 8; ++k)
        sum = sum * 3 + in[row * 64 + k].value * in[k * 16 + column].value;
    return sum;
}

__host__ __device__ __noinline__ int sumOfThree(const Cell* at)
{
    return at[0].value + 2 * at[1].value + 3 * at[2].value;
}

__host__ __device__ int callInSomeLanes(int i, const Cell* in)
{
    int sum = sumOfThree(in + i);
    if (i % 2)
        sum += sumOfThree(in + 4 * i);
    return sum * 11 + sumOfThree(in + 300 - i);
}

__host__ __device__ int callOneself(int depth, const Cell* at)
{
    if (depth == 0)
        return at->value;
    return at[depth].value + callOneself(depth - 1, at + 1) + 2 * at[2].value;
}

__host__ __device__ int recurse(int i, const Cell* in)
{
    return callOneself(i % 5, in + i);
}

__host__ __device__ int ownArray(int i, const Cell* in)
{
    int own[4][3];
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 3; ++column)
            own[row][column] = in[i + row].value * (column + 1);
    int sum = 0;
    for (int k = 0; k < 6; ++k)
        sum = sum * 3 + own[k % 4][k % 3] + own[i % 4][(i + k) % 3];
    return sum;
}

__host__ __device__ int wideValues(int i, const Cell* in)
{
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
        float4 value = in[i + k].wide;
        sum += value.x - value.y + 2 * value.z - 2 * value.w;
    }
    return static_cast<int>(sum);
}

__host__ __device__ int wideIndexes(int i, const Cell* in)
{
    long long at = 3ll * i;
    unsigned back = static_cast<unsigned>(i) - 8u;
    int sum = 0;
    for (int k = 0; k < 3; ++k)
        sum = sum * 3 + in[at + k].value + in[at + 7].small[0] + in[back + 8u + k].value;
    return sum;
}

using Case = int (*)(int, const Cell*);

template <Case run>
__global__ void runAll(int* out, const Cell* in)
{
    out[threadIdx.x] = run(threadIdx.x, in);
}

// The same cells by way of shared memory, written and read in rows and in columns.
__global__ void transpose(int* out, const Cell* in)
{
    __shared__ int tile[32][33];
    __shared__ unsigned char bytes[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int row = y; row < 32; row += 8) {
        tile[row][x] = in[row * 32 + x].value;
        bytes[row][x] = static_cast<unsigned char>(in[row * 32 + x].value);
    }
    __syncthreads();
    for (int row = y; row < 32; row += 8)
        out[row * 32 + x] = tile[x][row] + bytes[x][row] + bytes[row][0];
}

template <Case run>
int check(const char* name, int* deviceOut, const Cell* deviceIn, const Cell* in)
{
    int out[kThreads], wrong = 0;
    runAll<run><<<1, kThreads>>>(deviceOut, deviceIn);
    cudaMemcpy(out, deviceOut, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < kThreads; ++i)
        wrong += out[i] != run(i, in);
    printf("%s: %d wrong\n", name, wrong);
    return wrong;
}

int main()
{
    std::vector<Cell> in(kCells);
    for (int i = 0; i < kCells; ++i) {
        in[i].value = i * 37 % 101;
        in[i].small[0] = static_cast<short>(i * 3);
        in[i].small[1] = static_cast<short>(-i);
        in[i].wide = make_float4(i * 4, i * 3, i * 2, i);
    }
    Cell* deviceIn;
    int* deviceOut;
    cudaMalloc(&deviceIn, kCells * sizeof(Cell));
    cudaMalloc(&deviceOut, 1024 * sizeof(int));
    cudaMemcpy(deviceIn, in.data(), kCells * sizeof(Cell), cudaMemcpyHostToDevice);
    int wrong = 0;
    wrong += check<walk>("walk", deviceOut, deviceIn, in.data());
    wrong += check<changeInSomeLanes>("changes in some lanes", deviceOut, deviceIn, in.data());
    wrong += check<leaveTheLoopOneByOne>("lanes leave a loop", deviceOut, deviceIn, in.data());
    wrong += check<backwards>("backwards", deviceOut, deviceIn, in.data());
    wrong += check<rows>("rows", deviceOut, deviceIn, in.data());
    wrong += check<callInSomeLanes>("calls", deviceOut, deviceIn, in.data());
    wrong += check<recurse>("recursion", deviceOut, deviceIn, in.data());
    wrong += check<ownArray>("own array", deviceOut, deviceIn, in.data());
    wrong += check<wideValues>("wide values", deviceOut, deviceIn, in.data());
    wrong += check<wideIndexes>("wide indexes", deviceOut, deviceIn, in.data());
    int out[1024], misplaced = 0;
    transpose<<<1, dim3(32, 8)>>>(deviceOut, deviceIn);
    cudaMemcpy(out, deviceOut, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 1024; ++i)
        misplaced += out[i] != 2 * in[i % 32 * 32 + i / 32].value + in[i / 32 * 32].value;
    printf("transpose: %d wrong, %s\n", misplaced, cudaGetErrorName(cudaGetLastError()));
    return wrong + misplaced != 0;
}
