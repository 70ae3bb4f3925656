// Accesses whose places are known before a block runs, and blocks in which that does not help: at borders of odd sizes,
// where indices wrap around, where lanes take other ways than expected, where buffers are written for the first time.
#include <cstdint>
#include <cstdio>
#include <vector>

struct At {
    int x, y, z;
};

/// Neighbours to the sides and in other rows, and one value for all.
template <typename T>
struct Around {
    T* out;
    const T* in;
    const T* factor;
    int width, height;

    __host__ __device__ void operator()(At t) const
    {
        if (t.x < 1 || t.y < 1 || t.x >= width - 1 || t.y >= height - 1)
            return;
        const int at = t.y * width + t.x;
        out[at] = T(factor[0] * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]) + factor[t.y]);
    }
};

/// In layers.
struct Layers {
    float* out;
    const float* in;
    int n;

    __host__ __device__ void operator()(At t) const
    {
        if (t.x > 0 && t.x < n - 1 && t.y > 0 && t.y < n - 1 && t.z > 0 && t.z < n - 1) {
            const int c = (t.z * n + t.y) * n + t.x;
            out[c] = in[c] * 2 - in[c - n * n] - in[c + n * n] + in[c - n] - in[c + n];
        }
    }
};

/// Where few threads are above the limit, and those that are do something else.
struct Either {
    unsigned* out;
    const unsigned* in;
    unsigned count, limit;

    __host__ __device__ void operator()(At t) const
    {
        const unsigned i = t.x;
        if (i >= count)
            return;
        if (i < limit)
            out[i] = in[i] + in[limit - 1];
        else
            out[i] = 7;
    }
};

/// One value, in every other row.
struct Fill {
    short* out;
    short value;
    int width;

    __host__ __device__ void operator()(At t) const { out[(t.y * 2 + 1) * width + t.x] = value; }
};

/// Sums of large numbers that come to small ones.
struct Wrapping {
    unsigned char* out;
    const unsigned char* in;
    unsigned far;

    __host__ __device__ void operator()(At t) const
    {
        const unsigned i = t.x;
        out[i] = in[i + far + (0u - far)] + in[i + (far * 2u + 2u - far - far - 2u)];
    }
};

/// What lies ahead says whether.
struct Some {
    int* out;
    const int* in;
    const int* ends;

    __host__ __device__ void operator()(At t) const
    {
        if (ends[t.x / 32] % 3 == 0)
            return;
        out[t.x] = in[t.x] + in[t.x + 1];
    }
};

template <typename F>
__global__ void each(F f)
{
    f({int(blockIdx.x * blockDim.x + threadIdx.x), int(blockIdx.y * blockDim.y + threadIdx.y),
       int(blockIdx.z * blockDim.z + threadIdx.z)});
}

/// The same values on either side.
template <typename T>
struct Both {
    std::vector<T> host;
    T* device;

    Both(int count, int offset) : host(count)
    {
        for (int i = 0; i < count; ++i)
            host[i] = T((i * 37 + offset) % 101);
        cudaMalloc(&device, count * sizeof(T));
        cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    bool isSame() const
    {
        std::vector<T> now(host.size());
        cudaMemcpy(now.data(), device, now.size() * sizeof(T), cudaMemcpyDeviceToHost);
        return now == host;
    }
};

int bad = 0;

template <typename F>
void run(F onDevice, F onHost, dim3 grid, dim3 block)
{
    each<<<grid, block>>>(onDevice);
    for (int z = 0; z < int(grid.z * block.z); ++z)
        for (int y = 0; y < int(grid.y * block.y); ++y)
            for (int x = 0; x < int(grid.x * block.x); ++x)
                onHost({x, y, z});
}

template <typename T>
void runAround(dim3 block)
{
    const int width = 203, height = 37;
    Both<T> in(width * height, 0), out(width * height, 5), factor(height, 3);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    for (const int rows : {height, height - 3, 2})
        run(Around<T>{out.device, in.device, factor.device, width, rows},
            Around<T>{out.host.data(), in.host.data(), factor.host.data(), width, rows}, grid, block);
    bad += !out.isSame();
    // For the first time.
    T* fresh;
    cudaMalloc(&fresh, width * height * sizeof(T));
    each<<<grid, block>>>(Around<T>{fresh, in.device, factor.device, width, height});
    std::vector<T> expected(width * height), row(width - 2);
    for (int y = 1; y < height - 1; ++y) {
        for (int x = 1; x < width - 1; ++x)
            Around<T>{expected.data(), in.host.data(), factor.host.data(), width, height}({x, y, 0});
        cudaMemcpy(row.data(), fresh + y * width + 1, row.size() * sizeof(T), cudaMemcpyDeviceToHost);
        for (int x = 1; x < width - 1; ++x)
            bad += row[x - 1] != expected[y * width + x];
    }
}

int main()
{
    runAround<unsigned char>({32, 4});
    runAround<short>({64, 3});
    runAround<int>({32, 8});
    runAround<float>({96, 2});
    runAround<double>({32, 5});
    runAround<int64_t>({128, 1});

    constexpr int n = 40;
    Both<float> a(n * n * n, 0), b(n * n * n, 5);
    run(Layers{b.device, a.device, n}, Layers{b.host.data(), a.host.data(), n}, {2, 10, 14}, {32, 4, 3});
    run(Layers{a.device, b.device, n}, Layers{a.host.data(), b.host.data(), n}, {1, 20, 20}, {64, 2, 2});
    bad += !a.isSame();

    constexpr unsigned count = 3000;
    Both<unsigned> few(count, 0), fewOut(count, 1);
    for (const unsigned limit : {1u, 1000u, 2990u, count - 7})
        run(Either{fewOut.device, few.device, count - 7, limit},
            Either{fewOut.host.data(), few.host.data(), count - 7, limit}, {24}, {128});
    bad += !fewOut.isSame();

    Both<short> rows(64 * 20, 0);
    run(Fill{rows.device, 9, 64}, Fill{rows.host.data(), 9, 64}, {1, 10}, {64});
    run(Fill{rows.device + 3, -2, 64}, Fill{rows.host.data() + 3, -2, 64}, {1, 9}, {32});
    bad += !rows.isSame();

    Both<unsigned char> bytes(1024, 0), bytesOut(1024, 1);
    for (const unsigned far : {0u, 5u, 0x80000000u, 0xfffffff0u})
        run(Wrapping{bytesOut.device, bytes.device, far}, Wrapping{bytesOut.host.data(), bytes.host.data(), far}, {8},
            {128});
    bad += !bytesOut.isSame();

    Both<int> ends(32, 0), in(1025, 1), sums(1024, 2);
    run(Some{sums.device, in.device, ends.device}, Some{sums.host.data(), in.host.data(), ends.host.data()}, {8},
        {128});
    bad += !sums.isSame();
    printf("bad %d\n", bad);
}
