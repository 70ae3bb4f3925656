// A block copies a tile with cooperative groups. A barrier alone does not wait for the copy.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

__global__ void reverse(float* out, const float* in)
{
    __shared__ float tile[64];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof(tile));
#ifdef FIXED
    cg::wait(block);
#else
    block.sync();
#endif
    out[threadIdx.x] = tile[63 - threadIdx.x];  // expect: async-copy-not-awaited error
}

int main()
{
    float host[64];
    for (int i = 0; i < 64; ++i)
        host[i] = i;
    float *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 64>>>(out, in);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return host[0] == 63 ? 0 : 1;
}
