// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan over many blocks in one pass, each waiting for those before it.
#include <cstdio>
#include <vector>
struct State {
    int flag;
    int agg;
    int prefix;
};
__global__ void scan(const int* in, int* out, volatile State* st, int* counter, int n)
{
    __shared__ int bid;
    __shared__ int s[256];
    __shared__ int pre;
    if (threadIdx.x == 0)
        bid = atomicAdd(counter, 1);
    __syncthreads();
    int i = bid * 256 + threadIdx.x;
    int v = i < n ? in[i] : 0;
    s[threadIdx.x] = v;
    __syncthreads();
    for (int o = 1; o < 256; o *= 2) {
        int t = threadIdx.x >= o ? s[threadIdx.x - o] : 0;
        __syncthreads();
        s[threadIdx.x] += t;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        st[bid].agg = s[255];
        __threadfence();
        if (bid == 0) {
            st[0].prefix = s[255];
            __threadfence();
            st[0].flag = 2;
        } else
            st[bid].flag = 1;
        int p = 0;
        if (bid > 0) {
            int b = bid - 1;
            while (true) {
                int f;
                do {
                    f = st[b].flag;
                    __threadfence();
                } while (f == 0);
                if (f == 2) {
                    p += st[b].prefix;
                    break;
                }
                p += st[b].agg;
                b--;
            }
            st[bid].prefix = p + s[255];
            __threadfence();
            st[bid].flag = 2;
        }
        pre = p;
    }
    __syncthreads();
    if (i < n)
        out[i] = s[threadIdx.x] + pre;
}
int main()
{
    const int n = 20000;
    std::vector<int> h(n), r(n);
    for (int i = 0; i < n; i++)
        h[i] = i % 5;
    int *a, *b, *c;
    State* s;
    int B = (n + 255) / 256;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMalloc(&c, 4);
    cudaMalloc(&s, B * sizeof(State));
    cudaMemset(c, 0, 4);
    cudaMemset(s, 0, B * sizeof(State));
    cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
    scan<<<B, 256>>>(a, b, s, c, n);
    cudaMemcpy(r.data(), b, n * 4, cudaMemcpyDeviceToHost);
    int acc = 0, bad = 0;
    for (int i = 0; i < n; i++) {
        acc += h[i];
        bad += acc != r[i];
    }
    printf("bad %d\n", bad);
}
