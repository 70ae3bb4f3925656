// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that points to locals and is right.
struct Guard {
    int* p;
    int* out;
    __device__ ~Guard() { *out += *p; }
};
struct View {
    const int* at;
    int n;
    __device__ int sum() const
    {
        int s = 0;
        for (int i = 0; i < n; ++i)
            s += at[i];
        return s;
    }
};
template <class F>
__device__ int apply(F f, int x)
{
    return f(x);
}
__device__ int guarded(int* out)
{
    {
        int local = 3;
        Guard g{&local, out};
        local = 4;
    }
    return *out;
}
__device__ int early(int n)
{
    for (int i = 0; i < n; ++i) {
        int table[4] = {i, 1, 2, 3};
        int* p = table + 1;
        if (i == 2)
            return *p + table[0];
        if (i == 5)
            break;
        if (i & 1)
            continue;
        *p = 4;
    }
    return 0;
}
__global__ void k(int* out)
{
    int sum = 0, t = threadIdx.x;
    for (int i = 0; i < 3; ++i) {
        int local[3] = {t, i, 2};
        View v{local, 3};
        sum += v.sum();
        for (int& x : local)
            x += 1;
        for (const int& x : local)
            sum += x;
        auto f = [&](int y) { return local[0] + y; };
        sum += apply(f, 2);
        int a = 1, b = 2;
        int* lo = &a;
        int* hi = &b;
        if (t & 1) {
            int* s = lo;
            lo = hi;
            hi = s;
        }
        sum += *lo - *hi;
        switch (i) {
        case 0: {
            int c = 2;
            int* pc = &c;
            sum += *pc;
            break;
        }
        case 1: {
            int d = 3;
            int& rd = d;
            sum += rd;
        }
        default:
            sum += 1;
        }
    }
    int* q;
    int again = 0;
    do {
        int w = t + again;
        q = &w;
        sum += *q;
        ++again;
    } while (again < 3);
    if (int z = t) {
        int* pz = &z;
        sum += *pz;
    } else {
        int* pz = &z;
        sum -= *pz;
    }
    int one = 5;
    int& r = one;
    {
        int inner = 2;
        r = inner;
    }
    sum += r;
    out[t] = sum + early(t % 7);
    out[t] += guarded(out + t);
}
int main()
{
    int *out, h[32];
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(out);
    cudaMemcpy(h, out, 128, cudaMemcpyDeviceToHost);
    cudaFree(out);
}
