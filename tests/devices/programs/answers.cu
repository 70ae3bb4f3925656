// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime says of several devices, as a machine with as many GPUs does.
#include <cstdio>
#include <cstring>
#include <thread>

#define SHOW(call) std::printf("%s: %s\n", #call, cudaGetErrorName(call))

__device__ int number;
__managed__ int shared;

__global__ void write(int value)
{
    number = value;
    shared += value;
}

__global__ void empty() {}

__global__ void wide()
{
    extern __shared__ char bytes[];
    bytes[threadIdx.x] = 1;
}

static int deviceOf(const void* pointer)
{
    cudaPointerAttributes attributes;
    return cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess ? attributes.device : -9;
}

static void memory()
{
    int *first, *second, *managed;
    size_t free0, free1, total;
    cudaSetDevice(0);
    cudaMalloc(&first, 1 << 20);
    cudaMallocManaged(&managed, 4);
    cudaMemGetInfo(&free0, &total);
    cudaSetDevice(1);
    cudaMemGetInfo(&free1, &total);
    std::printf("taken: %zu MiB, %zu MiB\n", (total - free0) >> 20, (total - free1) >> 20);
    cudaMalloc(&second, 64);
    std::printf("pointers: %d %d %d\n", deviceOf(first), deviceOf(second), deviceOf(managed));
    SHOW(cudaMemset(second, 7, 64));
    SHOW(cudaMemcpyPeer(first, 0, second, 1, 64));
    SHOW(cudaMemcpyPeer(first, 0, second, 9, 64));
    SHOW(cudaMemPrefetchAsync(managed, 4, 1, 0));
    SHOW(cudaMemPrefetchAsync(managed, 4, 9, 0));
    int seen = 0;
    cudaMemcpy(&seen, first, 4, cudaMemcpyDefault);
    std::printf("copied: %x\n", seen);
    SHOW(cudaFree(first));  // whichever device is the current one
    SHOW(cudaFree(second));
    SHOW(cudaFree(managed));
}

static void peers()
{
    int can[3] = {};
    cudaDeviceCanAccessPeer(&can[0], 0, 1);
    cudaDeviceCanAccessPeer(&can[1], 1, 1);
    SHOW(cudaDeviceCanAccessPeer(&can[2], 0, 9));
    std::printf("can: %d %d\n", can[0], can[1]);
    cudaSetDevice(0);
    SHOW(cudaDeviceEnablePeerAccess(0, 0));
    SHOW(cudaDeviceEnablePeerAccess(9, 0));
    SHOW(cudaDeviceEnablePeerAccess(1, 1));
    SHOW(cudaDeviceEnablePeerAccess(1, 0));
    SHOW(cudaDeviceEnablePeerAccess(1, 0));
    cudaSetDevice(1);
    SHOW(cudaDeviceDisablePeerAccess(0));
    cudaSetDevice(0);
    SHOW(cudaDeviceDisablePeerAccess(1));
    SHOW(cudaDeviceDisablePeerAccess(1));
}

static void streams()
{
    cudaStream_t stream;
    cudaEvent_t event, other;
    cudaSetDevice(1);
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaSetDevice(0);
    cudaEventCreate(&other);
    int device = -1;
    cudaStreamGetDevice(stream, &device);
    std::printf("stream: %d\n", device);
    empty<<<1, 1, 0, stream>>>();
    SHOW(cudaGetLastError());
    SHOW(cudaEventRecord(other, stream));
    SHOW(cudaEventRecord(event, stream));
    SHOW(cudaEventRecord(other, 0));
    SHOW(cudaStreamWaitEvent(0, event, 0));
    float milliseconds;
    SHOW(cudaEventElapsedTime(&milliseconds, event, other));
    cudaSetDevice(1);
    empty<<<1, 1, 0, stream>>>();
    SHOW(cudaGetLastError());
    cudaStreamDestroy(stream);
    cudaEventDestroy(event);
    cudaEventDestroy(other);
}

static void code()
{
    for (int device = 0; device < 3; ++device) {
        cudaSetDevice(device);
        write<<<1, 1>>>(10 + device);
        cudaDeviceSynchronize();
    }
    for (int device = 0; device < 3; ++device) {
        cudaSetDevice(device);
        int seen = 0;
        cudaMemcpyFromSymbol(&seen, number, sizeof(int));
        std::printf("device %d has %d\n", device, seen);
    }
    std::printf("shared: %d\n", shared);
    void *here, *there;
    cudaGetSymbolAddress(&here, number);
    cudaSetDevice(0);
    cudaGetSymbolAddress(&there, number);
    std::printf("at one place: %d\n", here == there);
    // What a kernel may have is set for each device.
    cudaFuncSetAttribute(wide, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    wide<<<1, 1, 100000>>>();
    SHOW(cudaGetLastError());
    cudaSetDevice(1);
    wide<<<1, 1, 100000>>>();
    SHOW(cudaGetLastError());
}

static void graph()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaSetDevice(2);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    write<<<1, 1, 0, stream>>>(40);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaSetDevice(0);
    SHOW(cudaGraphLaunch(exec, stream));
    cudaStreamSynchronize(stream);
    int seen[2];
    cudaMemcpyFromSymbol(&seen[0], number, sizeof(int));
    cudaSetDevice(2);
    cudaMemcpyFromSymbol(&seen[1], number, sizeof(int));
    std::printf("graph: %d %d\n", seen[0], seen[1]);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

int main()
{
    int devices = 0, device = -1;
    cudaGetDeviceCount(&devices);
    std::printf("devices: %d\n", devices);
    SHOW(cudaSetDevice(devices));
    SHOW(cudaSetDevice(-1));
    SHOW(cudaSetDevice(2));
    cudaGetDevice(&device);
    std::printf("current: %d\n", device);
    std::thread([] {
        int own = -1;
        cudaGetDevice(&own);
        std::printf("in a new thread: %d\n", own);
    }).join();
    cudaDeviceProp properties[2];
    cudaGetDeviceProperties(&properties[0], 0);
    cudaGetDeviceProperties(&properties[1], 1);
    std::printf("alike: %d, one: %d\n", properties[0].totalGlobalMem == properties[1].totalGlobalMem,
                std::memcmp(&properties[0].uuid, &properties[1].uuid, sizeof(cudaUUID_t)) == 0);
    char id[16] = "";
    cudaDeviceGetPCIBusId(id, sizeof(id), 2);
    cudaDeviceGetByPCIBusId(&device, id);
    std::printf("%s is %d\n", id, device);
    memory();
    peers();
    streams();
    code();
    graph();
    cudaSetDevice(0);
    SHOW(cudaDeviceReset());
    return 0;
}
