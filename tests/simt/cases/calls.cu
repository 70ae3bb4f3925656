// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursion (also with arrays, structs by value and mutual), function pointers, virtual functions, new and delete.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ bool isOdd(int n);
__device__ bool isEven(int n)
{
    return n == 0 || isOdd(n - 1);
}
__device__ bool isOdd(int n)
{
    return n != 0 && isEven(n - 1);
}

struct Range {
    int first, last;
    int weights[3];
};

__device__ int sumOf(const int* values, Range range)
{
    if (range.last - range.first == 1)
        return values[range.first] * range.weights[range.first % 3];
    Range left = range, right = range;
    left.last = right.first = (range.first + range.last) / 2;
    return sumOf(values, left) + sumOf(values, right);
}

__device__ void quickSort(int* values, int first, int last)
{
    if (first >= last)
        return;
    int pivot[1] = {values[(first + last) / 2]};
    int i = first, j = last;
    while (i <= j) {
        while (values[i] < pivot[0])
            ++i;
        while (values[j] > pivot[0])
            --j;
        if (i <= j) {
            const int t = values[i];
            values[i++] = values[j];
            values[j--] = t;
        }
    }
    quickSort(values, first, j);
    quickSort(values, i, last);
}

class Shape {
public:
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
class Circle : public Shape {
public:
    __device__ explicit Circle(float r) : m_r(r) {}
    __device__ float area() const override { return 3.0f * m_r * m_r; }

private:
    float m_r;
};
class Box : public Shape {
public:
    __device__ Box(float a, float b) : m_a(a), m_b(b) {}
    __device__ float area() const override { return m_a * m_b; }
    __device__ int corners() const override { return 4; }

private:
    float m_a, m_b;
};

typedef float (*Operation)(float, float);
__device__ float plus(float a, float b)
{
    return a + b;
}
__device__ float times(float a, float b)
{
    return a * b;
}
__device__ float minus(float a, float b)
{
    return a - b;
}
__device__ Operation operations[3] = {plus, times, minus};
__device__ Operation chosen = minus;

template <typename F>
__global__ void forEach(int* out, F f)
{
    out[threadIdx.x] = f(int(threadIdx.x));
}

__global__ void recursion(int* out)
{
    const int i = threadIdx.x;
    int values[12];
    for (int k = 0; k < 12; ++k)
        values[k] = (k * 7 + i * 5) % 13;
    quickSort(values, 0, 11);
    int sorted = 0;
    for (int k = 0; k < 12; ++k)
        sorted = sorted * 3 + values[k];
    out[i] = fibonacci(i % 9) * 100 + isEven(i) * 10 + sumOf(values, {0, 12, {1, 2, 3}}) + sorted;
}

__global__ void pointers(float* out, Operation given)
{
    const int i = threadIdx.x;
    Shape* shape = i % 3 == 0 ? static_cast<Shape*>(new Circle(float(i))) : new Box(float(i), 2.0f);
    out[i] = shape->area() + float(shape->corners()) + operations[i % 3](float(i), 3.0f) + given(10.0f, float(i));
    delete shape;
    int* array = new int[i + 1];
    for (int k = 0; k <= i; ++k)
        array[k] = k;
    out[i] += float(array[i / 2]);
    delete[] array;
    void* memory = malloc(100);
    if (memory == nullptr)
        out[i] = -1;
    free(memory);
}

template <typename T>
unsigned hashOf(const T* values, int count)
{
    unsigned hash = 17;
    for (int i = 0; i < count; ++i)
        hash = hash * 31 + unsigned(int(values[i] * 4));
    return hash;
}

int main()
{
    int *ints, host[64];
    float *floats, hostFloats[64];
    cudaMalloc(&ints, sizeof host);
    cudaMalloc(&floats, sizeof hostFloats);
    recursion<<<1, 64>>>(ints);
    cudaMemcpy(host, ints, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %u\n", host[3], host[63], hashOf(host, 64));
    Operation given;
    cudaMemcpyFromSymbol(&given, chosen, sizeof given);
    pointers<<<1, 64>>>(floats, given);
    cudaMemcpy(hostFloats, floats, sizeof hostFloats, cudaMemcpyDeviceToHost);
    printf("%g %g %u\n", hostFloats[3], hostFloats[62], hashOf(hostFloats, 64));
    const int factor = 3;
    forEach<<<1, 64>>>(ints, [factor] __device__(int i) { return i * factor + 1; });
    cudaMemcpy(host, ints, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %u\n", host[63], hashOf(host, 64));
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
