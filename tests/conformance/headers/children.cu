// Kernels that launch kernels: behind their parent, or where it waits for them.
#include <cstdio>

namespace tools {
template <class T, int N>
__global__ void fill(T* cells, T value)
{
    cells[threadIdx.x] = value + N;
}
}  // namespace tools

struct Pair {
    char c;
    double d;
};

__global__ void show(Pair pair, short s, float4 v)
{
    if (threadIdx.x == 0)
        printf("pair %c %.1f, %d, %.0f\n", pair.c, pair.d, s, v.w);
}

__global__ void tree(int depth)
{
    if (threadIdx.x == 0) {
        printf("depth %d block %d\n", depth, blockIdx.x);
        if (depth < 2)
            tree<<<2, 32>>>(depth + 1);
    }
}

template <class T>
__global__ void waits(T* cells)
{
    if (threadIdx.x != 0)
        return;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    tools::fill<T, 5>
        <<<dim3(1), 32, 0, stream>>>(cells, 7);
    if (cudaGetLastError() != cudaSuccess)
        printf("not launched\n");
    cudaStreamDestroy(stream);
    cudaDeviceSynchronize();
    printf("waited: %d %d\n", cells[0], cells[31]);
    cells[0] = 100;
}

__global__ void orders(int* cells)
{
    tools::fill<int, 1><<<1, 1, 0, cudaStreamTailLaunch>>>(cells, 40);
    tools::fill<int, 1><<<1, 1>>>(cells, 30);
    tools::fill<int, 1><<<1, 2000>>>(cells, 0);  // too many threads: never runs
    show<<<1, 1>>>({'h', 0.5}, -3, make_float4(1, 2, 3, 4));
    cells[0] = 20;
}

int main()
{
    int* cells;
    cudaMalloc(&cells, 32 * sizeof(int));
    cudaMemset(cells, 0, 32 * sizeof(int));
    waits<<<1, 32>>>(cells);
    int host[2];
    cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost);
    printf("then: %d %d\n", host[0], host[1]);
    orders<<<1, 1>>>(cells);
    cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost);
    printf("last: %d %d\n", host[0], host[1]);
    tree<<<1, 32>>>(0);
    cudaDeviceSynchronize();
    cudaFree(cells);
}
