// Neighbours in images of odd sizes, in blocks of several shapes: warps with lanes missing on either side or in the middle,
// rows of 32 and two of 16, elements of 1, 2, 4, 8 and 16 bytes, indices of 4 and 8 bytes, loops that lanes leave one by one.
#include <array>
#include <cstdio>
#include <vector>

template <typename T, typename Index>
__device__ __host__ T valueAt(const T* in, Index width, Index height, Index x, Index y)
{
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return in[y * width + x];
    const T* at = in + y * width + x;
    return T(at[-1] + at[1] + at[-width] + at[width] - 3 * at[0]);
}

template <typename T, typename Index>
__global__ void neighbours(T* out, const T* in, Index width, Index height)
{
    const Index x = Index(blockIdx.x) * blockDim.x + threadIdx.x, y = Index(blockIdx.y) * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = valueAt(in, width, height, x, y);
}

/// Only some lanes write, in place; the rest keep what was there.
template <typename T>
__global__ void someOf(T* cells, int count, int from, int to, int step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i < count && lane >= from && lane < to && lane % step == 0)
        cells[i] = T(cells[i] * 2 + lane);
}

/// Sums of what lies to the left, by rounds that differ from lane to lane; mirrored.
__global__ void left(int* out, const int* in, int width)
{
    const int x = width - 1 - int(blockIdx.x * blockDim.x + threadIdx.x);
    if (x < 0)
        return;
    int sum = 0;
    for (int i = x; i >= 0 && in[i] != 0; --i)
        sum += in[i];
    out[x] = sum;
}

__global__ void pairs(float2* out, const float2* in, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < count - 1)
        out[i] = make_float2(in[i - 1].x + in[i + 1].y, in[i].x);
}

int wrong = 0;

void expect(bool is, const char* what)
{
    if (!is)
        printf("wrong: %s\n", what), ++wrong;
}

template <typename T>
T* onDevice(const std::vector<T>& host)
{
    T* device;
    cudaMalloc(&device, host.size() * sizeof(T));
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

template <typename T, typename Index>
void image(dim3 block, Index width, Index height)
{
    std::vector<T> in(size_t(width) * height), out(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        in[i] = T(i * 7 % 31);
    T *from = onDevice(in), *to = onDevice(out);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    for (int round = 0; round < 2; ++round)
        neighbours<<<grid, block>>>(to, from, width, height);
    cudaMemcpy(out.data(), to, out.size() * sizeof(T), cudaMemcpyDeviceToHost);
    bool same = true;
    for (Index y = 0; y < height; ++y)
        for (Index x = 0; x < width; ++x)
            same &= out[y * width + x] == valueAt(in.data(), width, height, x, y);
    expect(same, "an image");
    cudaFree(from), cudaFree(to);
}

template <typename T>
void some(int from, int to, int step)
{
    const int count = 317;
    std::vector<T> cells(count);
    for (int i = 0; i < count; ++i)
        cells[i] = T(i);
    T* device = onDevice(cells);
    someOf<<<5, 64>>>(device, count, from, to, step);
    std::vector<T> out(count);
    cudaMemcpy(out.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
    bool same = true;
    for (int i = 0; i < count; ++i) {
        const int lane = i % 32;
        same &= out[i] == (lane >= from && lane < to && lane % step == 0 ? T(T(i) * 2 + lane) : T(i));
    }
    expect(same, "some lanes");
    cudaFree(device);
}

int main()
{
    for (const dim3 block : {dim3(32, 4), dim3(16, 8), dim3(64, 1), dim3(8, 8), dim3(33, 3)}) {
        image<float, int>(block, 67, 19);
        image<double, int>(block, 64, 9);
        image<unsigned char, int>(block, 45, 12);
        image<short, long long>(block, 50, 11);
        image<int, long long>(block, 96, 7);
        image<long long, int>(block, 41, 8);
    }
    for (const auto& [from, to, step] : {std::array<int, 3>{1, 32, 1}, {0, 31, 1}, {3, 5, 1}, {15, 17, 1}, {0, 32, 2}, {20, 32, 3}}) {
        some<int>(from, to, step);
        some<double>(from, to, step);
        some<unsigned char>(from, to, step);
        some<short>(from, to, step);
    }
    std::vector<int> in(333), out(333);
    for (int i = 0; i < 333; ++i)
        in[i] = i % 29 ? i % 7 + 1 : 0;
    int *a = onDevice(in), *b = onDevice(out);
    left<<<3, 128>>>(b, a, 333);
    cudaMemcpy(out.data(), b, 333 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int x = 0; x < 333; ++x) {
        int sum = 0;
        for (int i = x; i >= 0 && in[i] != 0; --i)
            sum += in[i];
        expect(out[x] == sum, "a sum of what is left");
    }
    std::vector<float2> points(100);
    for (int i = 0; i < 100; ++i)
        points[i] = make_float2(i, 1000 - i);
    float2 *p = onDevice(points), *q = onDevice(points);
    pairs<<<2, 64>>>(q, p, 100);
    std::vector<float2> moved(100);
    cudaMemcpy(moved.data(), q, 100 * sizeof(float2), cudaMemcpyDeviceToHost);
    for (int i = 1; i < 99; ++i)
        expect(moved[i].x == points[i - 1].x + points[i + 1].y && moved[i].y == points[i].x, "a pair");
    cudaFree(a), cudaFree(b), cudaFree(p), cudaFree(q);
    printf("%s\n", wrong ? "bad" : "ok");
    return wrong != 0;
}
