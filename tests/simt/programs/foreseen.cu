// Accesses whose places are known before a block runs, and blocks in which that does not help: at borders of odd sizes,
// where indices wrap around, where buffers end, where what is read was never written, where lanes take other ways than
// expected.
#include <cstdint>
#include <cstdio>
#include <vector>

/// Each type once: neighbours to the sides and in other rows, and one value for all.
template <typename T>
__global__ void around(T* out, const T* in, const T* factor, int width, int height)
{
    const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const int at = y * width + x;
    out[at] = T(factor[0] * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]) + factor[y]);
}

/// In layers, and blocks that are wider than a warp.
__global__ void layers(float* out, const float* in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
              k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1 && k > 0 && k < n - 1) {
        const int c = (k * n + j) * n + i;
        out[c] = in[c] * 2 - in[c - n * n] - in[c + n * n] + in[c - n] - in[c + n];
    }
}

/// Where few threads are above the limit, and those that are do something else.
__global__ void either(unsigned* out, const unsigned* in, unsigned count, unsigned limit)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    if (i < limit)
        out[i] = in[i] + in[limit - 1];
    else
        out[i] = 7;
}

/// A row behind the other, with a constant in between; stores one value.
__global__ void fill(short* out, short value, int width)
{
    const int x = threadIdx.x;
    out[(blockIdx.x * 2 + 1) * width + x] = value;
}

/// Indices that wrap around: 32-bit sums of large numbers come to small ones.
__global__ void wrapping(unsigned char* out, const unsigned char* in, unsigned far)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + far + (0u - far)] + in[(i ^ 0u) + (far * 2u + 2u - far - far - 2u)];
}

/// Too far by \p off elements for the last thread.
__global__ void behind(int* out, const int* in, int off)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + off];
}

/// Warps that end early, and the sums of the others' neighbours.
__global__ void someEnd(int* out, const int* in, const int* ends)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (ends[i / 32])
        return;
    out[i] = in[i] + in[i + 1];
}

template <typename T>
T* filled(int count, int offset = 0)
{
    std::vector<T> values(count);
    for (int i = 0; i < count; ++i)
        values[i] = T((i * 37 + offset) % 101);
    T* at;
    cudaMalloc(&at, count * sizeof(T));
    cudaMemcpy(at, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    return at;
}

template <typename T>
void print(const char* what, const T* at, int count)
{
    std::vector<T> values(count);
    const cudaError_t error = cudaMemcpy(values.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += double(values[i]) * (i % 13 + 1);
    printf("%s %s %.10g\n", what, cudaGetErrorName(error), sum);
}

template <typename T>
void runAround(const char* what, dim3 block)
{
    const int width = 203, height = 37;
    T* in = filled<T>(width * height);
    T* factor = filled<T>(height, 3);
    T* out;
    cudaMalloc(&out, width * height * sizeof(T));
    cudaMemset(out, 1, 5 * sizeof(T));  // the rest is written by the first launch
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    around<<<grid, block>>>(out, in, factor, width, height);
    around<<<grid, block>>>(out, in, factor, width, height - 3);
    // From what the first has written; its border was not, but for where it was set.
    around<<<grid, block>>>(in, out, factor, width, height);
    print(what, in, width * height);
}

int main()
{
    runAround<unsigned char>("bytes", {32, 4});
    runAround<short>("shorts", {64, 3});
    runAround<int>("ints", {32, 8});
    runAround<float>("floats", {96, 2});
    runAround<double>("doubles", {32, 5});
    runAround<int64_t>("longs", {128, 1});

    constexpr int n = 40;
    float* cube = filled<float>(n * n * n);
    float* cubeOut = filled<float>(n * n * n, 5);
    layers<<<dim3(2, 10, 14), dim3(32, 4, 3)>>>(cubeOut, cube, n);
    layers<<<dim3(1, 20, 20), dim3(64, 2, 2)>>>(cube, cubeOut, n);
    print("layers", cube, n * n * n);

    constexpr int count = 3000;
    unsigned* few = filled<unsigned>(count);
    unsigned* fewOut = filled<unsigned>(count, 1);
    for (const unsigned limit : {1u, 1000u, 2999u, 4000u})
        either<<<24, 128>>>(fewOut, few, count - 7, limit < count ? limit : count - 7);
    print("either", fewOut, count);

    short* rows = filled<short>(64 * 20);
    fill<<<10, 64>>>(rows, 9, 64);
    fill<<<9, 32>>>(rows + 3, -2, 64);
    print("fill", rows, 64 * 20);

    unsigned char* bytes = filled<unsigned char>(1024);
    unsigned char* bytesOut = filled<unsigned char>(1024);
    for (const unsigned far : {0u, 5u, 0x80000000u, 0xfffffff0u})
        wrapping<<<8, 128>>>(bytesOut, bytes, far);
    print("wrapping", bytesOut, 1024);

    int* ends = filled<int>(32);
    int* sums = filled<int>(1024);
    int* summed = filled<int>(1025);
    someEnd<<<8, 128>>>(sums, summed, ends);
    print("some end", sums, 1024);

    int* last = filled<int>(512);
    int* lastOut = filled<int>(512);
    behind<<<4, 128>>>(lastOut, last, 0);
    behind<<<4, 128>>>(lastOut, last, 1);
    print("behind", lastOut, 512);
}
