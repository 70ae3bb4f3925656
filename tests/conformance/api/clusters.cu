// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which clusters a launch may have, and what CUDA answers to others.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void anyShape(int*) {}
__global__ void __cluster_dims__(4, 1, 1) fours(int*) {}

int* out;
cudaLaunchAttribute attribute;

void launch(const char* what, void (*kernel)(int*), unsigned grid, dim3 cluster)
{
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(grid);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    printf("%s: %s\n", what, cudaGetErrorName(cudaLaunchKernelEx(&config, kernel, out)));
    cudaGetLastError();
}

int main()
{
    cudaMalloc(&out, 4);
    launch("2 of 16", anyShape, 16, dim3(2));
    launch("3 of 16", anyShape, 16, dim3(3));
    launch("16", anyShape, 16, dim3(16));
    cudaFuncSetAttribute(anyShape, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    launch("16, allowed", anyShape, 16, dim3(16));
    launch("32, allowed", anyShape, 32, dim3(32));
    launch("none", anyShape, 16, dim3(0));
    launch("2 of a kernel of 4", fours, 16, dim3(2));
    launch("4 of a kernel of 4", fours, 16, dim3(4));
    fours<<<6, 32>>>(out);
    printf("4 of 6: %s\n", cudaGetErrorName(cudaGetLastError()));
    fours<<<8, 32>>>(out);
    printf("4 of 8: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFuncAttributes known;
    cudaFuncGetAttributes(&known, fours);
    printf("%d, %d x %d x %d, %d\n", known.clusterDimMustBeSet, known.requiredClusterWidth, known.requiredClusterHeight,
           known.requiredClusterDepth, known.nonPortableClusterSizeAllowed);
    cudaFuncGetAttributes(&known, anyShape);
    printf("%d, %d x %d x %d, %d\n", known.clusterDimMustBeSet, known.requiredClusterWidth, known.requiredClusterHeight,
           known.requiredClusterDepth, known.nonPortableClusterSizeAllowed);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    return 0;
}
