// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies of which a part, or nothing, comes from the source: the rest is zero. No store is in vain.
#include <cstdio>

__global__ void padded(const int4* in, int4* out, int n)
{
    __shared__ __align__(16) int4 tile[32];
    const int lane = threadIdx.x;
    const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[lane]);
    const int bytes = lane < n ? 16 : lane == n ? 8 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in + (lane <= n ? lane : 0)), "r"(bytes));
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[lane] = tile[lane];
}

int main()
{
    int4 host[32], *in, *out;
    for (int i = 0; i < 32; ++i)
        host[i] = make_int4(i + 1, i + 1, i + 1, i + 1);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    padded<<<1, 32>>>(in, out, 20);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", host[19].w, host[20].y, host[20].z, host[21].x);
    cudaFree(in);
    cudaFree(out);
    return host[19].w == 20 && host[20].y == 21 && host[20].z == 0 && host[21].x == 0 ? 0 : 1;
}
