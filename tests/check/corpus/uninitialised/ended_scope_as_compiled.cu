// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best row of a loop is kept as a pointer to the turn's own array; compiled with optimisation.
// check: --as-compiled
__global__ void best(float* out, const float* in, int rows)
{
    float kept[4] = {};
    const float* row = kept;
    float most = -1;
    for (int r = 0; r < rows; ++r) {
        float own[4];
        for (int i = 0; i < 4; ++i)
            own[i] = in[r * 4 + i] + threadIdx.x;
        if (own[0] > most) {
            most = own[0];
#ifdef FIXED
            for (int i = 0; i < 4; ++i)
                kept[i] = own[i];
#else
            row = own;
#endif
        }
    }
    out[threadIdx.x] = row[rows & 3];  // expect: uninitialised-read
}

int main()
{
    float h[32], *in, *out;
    for (int i = 0; i < 32; ++i)
        h[i] = i * 5 % 13;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    best<<<1, 32>>>(out, in, 6);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
}
