// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A naive matrix product, of square matrices whose size is the first argument: twice, each thread with a cell of a row
// next to its neighbour's (B coalesced), then of a column (nothing coalesced).
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 32;

__global__ void rows(float* out, const float* a, const float* b, int size)
{
    int row = blockIdx.y * TPB + threadIdx.y, col = blockIdx.x * TPB + threadIdx.x;
    if (row < size && col < size) {
        float sum = 0;
        for (int k = 0; k < size; ++k)
            sum += a[row * size + k] * b[k * size + col];
        out[row * size + col] = sum;
    }
}

__global__ void columns(float* out, const float* a, const float* b, int size)
{
    int row = blockIdx.x * TPB + threadIdx.x, col = blockIdx.y * TPB + threadIdx.y;
    if (row < size && col < size) {
        float sum = 0;
        for (int k = 0; k < size; ++k)
            sum += a[row * size + k] * b[k * size + col];
        out[row * size + col] = sum;
    }
}

int main(int argc, char** argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 512, cells = size * size;
    std::vector<float> a_host(cells), b_host(cells), out_host(cells);
    for (int i = 0; i < cells; ++i) {
        a_host[i] = float(i % 5);
        b_host[i] = float(i % 3);
    }
    float *a, *b, *out;
    cudaMalloc(&a, cells * sizeof(float));
    cudaMalloc(&b, cells * sizeof(float));
    cudaMalloc(&out, cells * sizeof(float));
    cudaMemcpy(a, a_host.data(), cells * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, b_host.data(), cells * sizeof(float), cudaMemcpyHostToDevice);
    int wrong = 0;
    for (auto kernel : {rows, columns}) {
        kernel<<<dim3((size + TPB - 1) / TPB, (size + TPB - 1) / TPB), dim3(TPB, TPB)>>>(out, a, b, size);
        cudaMemcpy(out_host.data(), out, cells * sizeof(float), cudaMemcpyDeviceToHost);
        for (int at : {0, cells / 2 + 7, cells - 1}) {
            float sum = 0;
            for (int k = 0; k < size; ++k)
                sum += a_host[at / size * size + k] * b_host[k * size + at % size];
            wrong += out_host[at] != sum;
        }
    }
    std::printf("%d wrong\n", wrong);
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
    return wrong != 0;
}
