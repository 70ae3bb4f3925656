// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers that few programs name, and nvstd::function.
#include <cooperative_groups.h>
#include <cuda/annotated_ptr>
#include <cuda_stdint.h>
#include <device_types.h>
#include <host_config.h>
#include <nvfunctional>
#include <sm_20_atomic_functions.h>
#include <sm_32_atomic_functions.h>
#include <surface_functions.h>
#include <surface_indirect_functions.h>
#include <texture_fetch_functions.h>

#include <cstdio>

__device__ int next(int x)
{
    return x + 1;
}

__global__ void called(int* out)
{
    const int lane = static_cast<int>(threadIdx.x);
    nvstd::function<int(int)> plain = next;
    nvstd::function<int(int)> captured = [=](int x) { return x * lane; };
    nvstd::function<int(int)> copy = captured;
    if (lane == 3)
        copy = plain;
    out[lane] = plain(lane) + captured(10) + copy(100) + (copy ? 1000 : 0) + (nvstd::function<int(int)>() == nullptr);
    out[lane] += static_cast<int>(cooperative_groups::this_thread().size());
}

__global__ void annotated(int* out)
{
    cuda::annotated_ptr<int, cuda::access_property::persisting> kept{out};
    cuda::annotated_ptr<const int> read(out, cuda::access_property(cuda::access_property::streaming()));
    kept[threadIdx.x] = read[threadIdx.x] + static_cast<int>(kept.get() == out);
}

/// CUDA 13's aligned vectors, in a kernel that may begin before the one before it has ended.
__global__ void dependent(double4_32a* out)
{
    cudaGridDependencySynchronize();
    out[threadIdx.x] = make_double4_32a(threadIdx.x, sizeof(double4_16a), alignof(double4_32a), alignof(longlong4_16a));
    cudaTriggerProgrammaticLaunchCompletion();
}

void launchDependent()
{
    double4_32a* out = nullptr;
    cudaMallocManaged(&out, 2 * sizeof(double4_32a));
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t shape = {};
    shape.gridDim = 1;
    shape.blockDim = 2;
    shape.attrs = &early;
    shape.numAttrs = 1;
    const cudaError_t launched = cudaLaunchKernelEx(&shape, dependent, out);
    cudaDeviceSynchronize();
    std::printf("%s: %g %g %g %g\n", cudaGetErrorName(launched), out[1].x, out[1].y, out[1].z, out[1].w);
    cudaFree(out);
}

int main()
{
    int* out = nullptr;
    cudaMallocManaged(&out, 4 * sizeof(int));
    called<<<1, 4>>>(out);
    cudaDeviceSynchronize();
    std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    annotated<<<1, 4>>>(out);
    cudaDeviceSynchronize();
    std::printf("%d %d\n", out[0], out[3]);
    const nvstd::function<int(int)> onHost = [](int x) { return -x; };
    std::printf("%d\n", onHost(5));
    launchDependent();
    cudaFree(out);
}
