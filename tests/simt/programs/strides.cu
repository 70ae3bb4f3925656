// Structs side by side: what neighbouring threads touch lies apart by 3 bytes to 4 KB, upwards or downwards, and is
// written where nobody has before.
#include <cstdio>
#include <cstring>
#include <vector>

struct Particle {
    float at[3], speed[3], mass;
};

template <typename T, int words>
struct Record {
    T field[words];
};

__global__ void move(Particle* particles, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Particle& p = particles[i];
    for (int k = 0; k < 3; ++k) {
        p.speed[k] += p.mass * (k + 1);
        p.at[k] += p.speed[k];
    }
}

/// Backwards if \p step is negative.
template <typename T, int words, int step>
__global__ void rotate(Record<T, words>* out, const Record<T, words>* in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const Record<T, words>& from = in[step > 0 ? i : n - 1 - i];
    for (int k = 0; k < words; ++k)
        out[i].field[k] = from.field[(k + 1) % words] + T(1);
}

/// One field only: the others stay as they were, of which nobody knows.
template <typename T, int words>
__global__ void mark(Record<T, words>* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i].field[words / 2] = T(i);
}

template <typename T, int words>
__global__ void gatherMarks(T* out, const Record<T, words>* in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].field[words / 2];
}

int bad = 0;

template <typename T, int words>
void tryRecords(int n, int threads)
{
    std::vector<Record<T, words>> in(n), got(n);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < words; ++k)
            in[i].field[k] = T(i * 7 + k);
    Record<T, words>*device, *out;
    T* marks;
    const size_t bytes = sizeof(in[0]) * n;
    cudaMalloc(&device, bytes);
    cudaMalloc(&out, bytes);
    cudaMalloc(&marks, sizeof(T) * n);
    cudaMemcpy(device, in.data(), bytes, cudaMemcpyHostToDevice);
    const int blocks = (n + threads - 1) / threads;
    mark<<<blocks, threads>>>(out, n);
    gatherMarks<<<blocks, threads>>>(marks, out, n);
    std::vector<T> marked(n);
    cudaMemcpy(marked.data(), marks, sizeof(T) * n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        bad += marked[i] != T(i);
    for (const bool forwards : {true, false}) {
        if (forwards)
            rotate<T, words, 1><<<blocks, threads>>>(out, device, n);
        else
            rotate<T, words, -1><<<blocks, threads>>>(out, device, n);
        cudaMemcpy(got.data(), out, bytes, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < words; ++k)
                bad += got[i].field[k] != T(in[forwards ? i : n - 1 - i].field[(k + 1) % words] + T(1));
    }
    cudaFree(device);
    cudaFree(out);
    cudaFree(marks);
}

void tryParticles(int n, int threads)
{
    std::vector<Particle> particles(n), got(n);
    for (int i = 0; i < n; ++i)
        particles[i] = {{float(i), 1, 2}, {0, 1, float(i % 5)}, float(i % 3)};
    Particle* device;
    cudaMalloc(&device, sizeof(Particle) * n);
    cudaMemcpy(device, particles.data(), sizeof(Particle) * n, cudaMemcpyHostToDevice);
    move<<<(n + threads - 1) / threads, threads>>>(device, n);
    cudaMemcpy(got.data(), device, sizeof(Particle) * n, cudaMemcpyDeviceToHost);
    cudaFree(device);
    for (int i = 0; i < n; ++i) {
        Particle& p = particles[i];
        for (int k = 0; k < 3; ++k) {
            p.speed[k] += p.mass * (k + 1);
            p.at[k] += p.speed[k];
        }
        bad += std::memcmp(&p, &got[i], sizeof p) != 0;
    }
}

int main()
{
    for (const int threads : {256, 48}) {
        tryParticles(1000, threads);
        tryRecords<unsigned char, 3>(1000, threads);
        tryRecords<double, 4>(300, threads);
        tryRecords<int, 1024>(64, threads);
    }
    printf(bad ? "bad %d\n" : "ok\n", bad);
    return bad != 0;
}
