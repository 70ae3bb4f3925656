// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each lane asks for the votes of the lanes below it, with a mask that names only those. GPUs answer what was meant.
#include <cassert>
#include <cstdio>

__global__ void rank(int* out)
{
    const int t = threadIdx.x;
    const unsigned below = (1u << t) - 1;
#ifdef FIXED
    const unsigned votes = __ballot_sync(0xffffffff, t % 3 == 0) & below;
#else
    const unsigned votes = __ballot_sync(below, t % 3 == 0);  // expect: warp-sync-misuse
#endif
    assert(__popc(votes) == (t + 2) / 3);
    out[t] = __popc(votes);
}

int main()
{
    int h[32], *out;
    cudaMalloc(&out, sizeof h);
    rank<<<1, 32>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[31]);
    cudaFree(out);
}
