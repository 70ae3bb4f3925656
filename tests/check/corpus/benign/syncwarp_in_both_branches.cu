// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two halves of a warp meet, each at a __syncwarp() of its own branch, as the language allows since Volta.
__global__ void exchange(int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 16) {
        __syncwarp();
        out[t] = s[31 - t];
    } else {
        __syncwarp();
        out[t] = s[31 - t] + 100;
    }
}

int main()
{
    int* out;
    int host[32];
    cudaMalloc(&out, sizeof host);
    exchange<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return host[0] == 31 && host[31] == 100 ? 0 : 1;
}
