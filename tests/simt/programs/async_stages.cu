// A pipeline of four stages with cp.async: three tiles are under way while one is used. Sums of rows, ragged at the end
// with copies that fill in zeros.
#include <cstdio>
#include <cuda_pipeline.h>
#include <vector>

constexpr int WIDTH = 128;
constexpr int STAGES = 4;

__global__ void sums(float* out, const float4* in, int tiles, int floats)
{
    __shared__ float4 tile[STAGES][WIDTH];
    auto fetch = [&](int i) {
        int at = i * WIDTH + threadIdx.x;
        int left = floats - 4 * at;
        int missing = left >= 4 ? 0 : left <= 0 ? 4 : 4 - left;
        if (i < tiles)
            __pipeline_memcpy_async(&tile[i % STAGES][threadIdx.x], &in[missing == 4 ? 0 : at], sizeof(float4),
                                    missing * sizeof(float));
        __pipeline_commit();
    };
    for (int i = 0; i < STAGES - 1; ++i)
        fetch(i);
    float sum = 0;
    for (int i = 0; i < tiles; ++i) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        float4 v = tile[i % STAGES][(threadIdx.x + i) % WIDTH];
        sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
        fetch(i + STAGES - 1);
    }
    out[threadIdx.x] = sum;
}

int main()
{
    const int tiles = 9, floats = (tiles - 1) * WIDTH * 4 + 333;
    std::vector<float> in(tiles * WIDTH * 4), out(WIDTH);
    for (int i = 0; i < (int)in.size(); ++i)
        in[i] = float(i % 5);
    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, out.size() * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    sums<<<1, WIDTH>>>(d_out, (const float4*)d_in, tiles, floats);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int t = 0; t < WIDTH; ++t) {
        float sum = 0;
        for (int i = 0; i < tiles; ++i)
            for (int c = 0; c < 4; ++c) {
                int at = (i * WIDTH + (t + i) % WIDTH) * 4 + c;
                sum += at < floats ? (c + 1) * in[at] : 0;
            }
        bad += sum != out[t];
    }
    cudaFree(d_in);
    cudaFree(d_out);
    std::printf("bad %d\n", bad);
    return bad != 0;
}
