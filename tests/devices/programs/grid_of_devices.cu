// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums on all devices with a barrier of all their grids in mapped memory of the host, as in NVIDIA's sample
// conjugateGradientMultiDeviceCG.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;
struct Data {
    unsigned char* arrived;
    unsigned devices, rank;
};
__device__ unsigned char load(unsigned char* p)
{
    unsigned r;
    asm volatile("ld.acquire.sys.global.u8 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
    return r;
}
__device__ void store(unsigned char* p, unsigned char v)
{
    asm volatile("st.release.sys.global.u8 [%1], %0;" ::"r"((unsigned)v), "l"(p) : "memory");
}
__device__ void sync(const Data& d, const cg::grid_group& grid)
{
    grid.sync();
    if (grid.thread_rank() == 0) {
        if (d.rank == 0) {
            for (unsigned i = 0; i < d.devices - 1; ++i)
                while (load(&d.arrived[i]) == 0) {
                }
            for (unsigned i = 0; i < d.devices - 1; ++i)
                store(&d.arrived[i], 0);
            __threadfence_system();
        } else {
            store(&d.arrived[d.rank - 1], 1);
            while (load(&d.arrived[d.rank - 1]) == 1) {
            }
        }
    }
    grid.sync();
}
__global__ void dot(Data d, const double* x, double* partial, double* total, int n)
{
    const cg::grid_group grid = cg::this_grid();
    const int per = n / d.devices;
    for (int round = 0; round < 3; ++round) {
        if (grid.thread_rank() == 0) {
            if (d.rank == 0)
                *total = 0;
        }
        sync(d, grid);
        double sum = 0;
        for (int i = grid.thread_rank(); i < per; i += grid.size())
            sum += x[d.rank * per + i] * (round + 1);
        atomicAdd_system(total, sum);
        sync(d, grid);
        if (grid.thread_rank() == 0)
            partial[d.rank] = *total;
        sync(d, grid);
    }
}
int main()
{
    int n = 1024, devices = 0;
    cudaGetDeviceCount(&devices);
    double *x, *partial, *total;
    Data data{nullptr, unsigned(devices), 0};
    cudaMallocManaged(&x, n * 8);
    cudaMallocManaged(&partial, devices * 8);
    cudaMallocManaged(&total, 8);
    cudaHostAlloc(&data.arrived, devices, cudaHostAllocPortable);
    for (int i = 0; i < devices; ++i)
        data.arrived[i] = 0;
    for (int i = 0; i < n; ++i)
        x[i] = 1;
    std::vector<cudaStream_t> streams(devices);
    for (int d = 0; d < devices; ++d) {
        cudaSetDevice(d);
        cudaStreamCreate(&streams[d]);
    }
    for (int d = 0; d < devices; ++d) {
        cudaSetDevice(d);
        data.rank = d;
        void* args[] = {&data, &x, &partial, &total, &n};
        cudaLaunchCooperativeKernel((void*)dot, 4, 64, args, 0, streams[d]);
    }
    for (int d = 0; d < devices; ++d) {
        cudaSetDevice(d);
        cudaStreamSynchronize(streams[d]);
    }
    for (int d = 0; d < devices; ++d)
        printf("%g ", partial[d]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaFree(x);
    cudaFree(partial);
    cudaFree(total);
    cudaFreeHost(data.arrived);
}
