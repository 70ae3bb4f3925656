// Blocks that are a multiple of a warp wide, where threadIdx.y and z are a warp's own, and whose warps have nothing to do with
// each other: sums of indices, rows that begin anywhere, columns, pointers that differ from row to row, tables of single
// values, loops that only some warps go through for long, warps that end early.
#include <cstdio>
#include <vector>

__global__ void sums(int* out, const int* in, int width, int depth)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int plane = width * int(blockDim.y), at = z * plane + y * width + x;
    if (x >= width || z >= depth)
        return;
    const int left = x > 0 ? in[at - 1] : 0, right = x < width - 1 ? in[at + 1] : 0;
    out[at] = in[at] + 10 * left + 100 * right + 1000 * (z > 0 ? in[at - plane] : 0);
}

__global__ void mirrored(short* out, const short* in, int width)
{
    const int x = threadIdx.x, row = threadIdx.y * width;
    out[row + (width - 1 - x)] = short(in[row + x] * 2);
    if (threadIdx.y % 2)
        out[row + (width - 1 - x)] += 1;
}

/// A column for each thread, and a row.
__global__ void transposed(double* out, const double* in, int size)
{
    const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < size && y < size)
        out[x * size + y] = in[y * size + x];
}

struct Table {
    const float* rows[4];
};

__global__ void chosen(float* out, Table table, const float* factors, int width)
{
    const float* row = table.rows[threadIdx.y];
    const int x = threadIdx.x;
    out[threadIdx.y * width + x] = row[x] * factors[threadIdx.y] + row[width - 1];
}

/// Of each block's warps one goes round far longer than the others wait.
__global__ void uneven(unsigned* out, unsigned rounds)
{
    unsigned value = threadIdx.x + 1;
    const unsigned mine = threadIdx.y == 2 ? rounds : threadIdx.y + 1;
    for (unsigned i = 0; i < mine; ++i) {
        if (value & 1)
            value = value * 3 + i;
        else
            value = value / 2 + threadIdx.y;
    }
    if (threadIdx.y == 1 && threadIdx.x > 20)
        return;
    out[threadIdx.y * blockDim.x + threadIdx.x] = value;
}

int wrong = 0;

void expect(bool is, const char* what)
{
    if (!is)
        printf("wrong: %s\n", what), ++wrong;
}

template <typename T>
struct Buffer {
    explicit Buffer(const std::vector<T>& host) : count(host.size())
    {
        cudaMalloc(&data, count * sizeof(T));
        cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Buffer() { cudaFree(data); }
    std::vector<T> read() const
    {
        std::vector<T> host(count);
        cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
        return host;
    }
    T* data;
    size_t count;
};

template <typename T>
std::vector<T> numbers(size_t count)
{
    std::vector<T> all(count);
    for (size_t i = 0; i < count; ++i)
        all[i] = T(i * 13 % 89);
    return all;
}

void sumsOf(dim3 block, int width, int depth)
{
    const int height = block.y, plane = width * height;
    const std::vector<int> in = numbers<int>(size_t(plane) * depth);
    Buffer<int> a(in), b(std::vector<int>(in.size()));
    sums<<<(width + block.x - 1) / block.x, block>>>(b.data, a.data, width, depth);
    const std::vector<int> out = b.read();
    bool same = true;
    for (int i = 0; i < plane * depth; ++i) {
        const int x = i % width;
        same &= out[i] == in[i] + 10 * (x > 0 ? in[i - 1] : 0) + 100 * (x < width - 1 ? in[i + 1] : 0) +
                              1000 * (i >= plane ? in[i - plane] : 0);
    }
    expect(same, "sums of indices");
}

int main()
{
    sumsOf({32, 3, 2}, 71, 2);
    sumsOf({64, 2, 4}, 64, 4);
    sumsOf({96, 1, 3}, 50, 3);
    {
        const std::vector<short> in = numbers<short>(64 * 4);
        Buffer<short> a(in), b(std::vector<short>(in.size()));
        mirrored<<<1, dim3(64, 4)>>>(b.data, a.data, 64);
        const std::vector<short> out = b.read();
        bool same = true;
        for (int i = 0; i < 64 * 4; ++i)
            same &= out[i] == short(in[i / 64 * 64 + 63 - i % 64] * 2 + i / 64 % 2);
        expect(same, "what is mirrored");
    }
    {
        const int size = 45;
        const std::vector<double> in = numbers<double>(size * size);
        Buffer<double> a(in), b(in);
        transposed<<<dim3(2, 12), dim3(32, 4)>>>(b.data, a.data, size);
        const std::vector<double> out = b.read();
        bool same = true;
        for (int i = 0; i < size * size; ++i)
            same &= out[i] == in[i % size * size + i / size];
        expect(same, "what is transposed");
    }
    {
        const std::vector<float> in = numbers<float>(33 * 4), factors = {1, 2, 3, 4};
        Buffer<float> a(in), f(factors), b(std::vector<float>(32 * 4));
        Buffer<float> other(std::vector<float>(40, 7));
        const Table table{{a.data + 1, a.data + 33, other.data + 8, a.data + 99}};
        chosen<<<1, dim3(32, 4)>>>(b.data, table, f.data, 32);
        const std::vector<float> out = b.read();
        bool same = true;
        for (int i = 0; i < 32 * 4; ++i) {
            const int y = i / 32, from = y == 0 ? 1 : y == 1 ? 33 : 99;
            const float value = y == 2 ? 7 : in[from + i % 32], last = y == 2 ? 7 : in[from + 31];
            same &= out[i] == value * factors[y] + last;
        }
        expect(same, "chosen rows");
    }
    {
        const unsigned rounds = 400000;
        Buffer<unsigned> b(std::vector<unsigned>(32 * 4, 5));
        uneven<<<1, dim3(32, 4)>>>(b.data, rounds);
        const std::vector<unsigned> out = b.read();
        bool same = true;
        for (unsigned y = 0; y < 4; ++y)
            for (unsigned x = 0; x < 32; ++x) {
                unsigned value = x + 1;
                for (unsigned i = 0; i < (y == 2 ? rounds : y + 1); ++i)
                    value = value & 1 ? value * 3 + i : value / 2 + y;
                same &= out[y * 32 + x] == (y == 1 && x > 20 ? 5 : value);
            }
        expect(same, "warps of different length");
    }
    printf("%s\n", wrong ? "bad" : "ok");
    return wrong != 0;
}
