// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels behind cublas_v2.h. Matrices are given by the steps from row to row and from column to column.
#pragma once

#include "needs_kernels.h"

namespace __lsBlas {

/// A number that the host gives, or that lies in device memory.
template <class T>
struct Scalar {
    T value;
    const T* pointer;
    __device__ T get() const { return pointer ? *pointer : value; }
};

__device__ __attribute__((nodebug)) inline int globalThread()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}
/// Where element \p i of a vector of \p n lies: a negative step counts from the end.
__device__ __attribute__((nodebug)) inline long long element(int i, int n, int step)
{
    return step >= 0 ? (long long)i * step : (long long)(i - n + 1) * step;
}

template <class T>
__global__ __attribute__((nodebug)) void axpy(int n, Scalar<T> a, const T* x, int stepX, T* y, int stepY)
{
    const int i = globalThread();
    if (i < n)
        y[element(i, n, stepY)] += a.get() * x[element(i, n, stepX)];
}

template <class T>
__global__ __attribute__((nodebug)) void scale(int n, Scalar<T> a, T* x, int step)
{
    const int i = globalThread();
    if (i < n)
        x[element(i, n, step)] *= a.get();
}

template <class T>
__global__ __attribute__((nodebug)) void copy(int n, const T* x, int stepX, T* y, int stepY)
{
    const int i = globalThread();
    if (i < n)
        y[element(i, n, stepY)] = x[element(i, n, stepX)];
}

template <class T>
__global__ __attribute__((nodebug)) void exchange(int n, T* x, int stepX, T* y, int stepY)
{
    const int i = globalThread();
    if (i >= n)
        return;
    const T old = x[element(i, n, stepX)];
    x[element(i, n, stepX)] = y[element(i, n, stepY)];
    y[element(i, n, stepY)] = old;
}

struct Product {
    template <class T>
    static __device__ T of(T x, T y)
    {
        return x * y;
    }
    template <class T>
    static __device__ T last(T sum)
    {
        return sum;
    }
};
struct Magnitude : Product {
    template <class T>
    static __device__ T of(T x, T)
    {
        return x < 0 ? -x : x;
    }
};

/// One block; \p F: what is summed, and what becomes of the sum.
template <class T, class F>
__global__ __attribute__((nodebug)) void sum(int n, const T* x, int stepX, const T* y, int stepY, T* result)
{
    __shared__ T parts[256];
    T own = 0;
    for (int i = (int)threadIdx.x; i < n; i += 256)
        own += F::of(x[element(i, n, stepX)], y[element(i, n, stepY)]);
    parts[threadIdx.x] = own;
    for (unsigned half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        *result = F::last(parts[0]);
}

/// The Euclidean norm, without overflow of the squares: they are of parts of the largest magnitude, summed in double
/// precision. One block.
template <class T>
__global__ __attribute__((nodebug)) void norm(int n, const T* x, int step, const T*, int, T* result)
{
    __shared__ double parts[256];
    double own = 0;
    for (int i = (int)threadIdx.x; i < n; i += 256)
        own = fmax(own, fabs((double)x[element(i, n, step)]));
    parts[threadIdx.x] = own;
    for (unsigned half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            parts[threadIdx.x] = fmax(parts[threadIdx.x], parts[threadIdx.x + half]);
    }
    __syncthreads();
    const double largest = parts[0];
    const double unit = largest > 0 && largest < INFINITY ? largest : 1;
    own = 0;
    for (int i = (int)threadIdx.x; i < n; i += 256) {
        const double part = (double)x[element(i, n, step)] / unit;
        own += part * part;
    }
    __syncthreads();
    parts[threadIdx.x] = own;
    for (unsigned half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        *result = (T)(unit * sqrt(parts[0]));
}

/// The first of the largest (smallest) magnitudes, counted from 1. One block.
template <class T, bool Largest>
__global__ __attribute__((nodebug)) void extreme(int n, const T* x, int step, const T*, int, int* result)
{
    if (threadIdx.x != 0)
        return;
    int best = 0;
    for (int i = 1; i < n; ++i) {
        const T a = Magnitude::of(x[element(i, n, step)], T()), b = Magnitude::of(x[element(best, n, step)], T());
        if (Largest ? a > b : a < b)
            best = i;
    }
    *result = n > 0 ? best + 1 : 0;
}

template <class T>
__global__ __attribute__((nodebug)) void matrixVector(int rows, int columns, Scalar<T> alpha, const T* a, int rowStep,
                                                      int columnStep, const T* x, int stepX, Scalar<T> beta, T* y,
                                                      int stepY)
{
    const int row = globalThread();
    if (row >= rows)
        return;
    T sum = 0;
    for (int i = 0; i < columns; ++i)
        sum += a[(long long)row * rowStep + (long long)i * columnStep] * x[element(i, columns, stepX)];
    T& target = y[element(row, rows, stepY)];
    const T old = beta.get() == T(0) ? T(0) : T(beta.get() * target);
    target = alpha.get() * sum + old;
}

template <class T>
__global__ __attribute__((nodebug)) void rankOne(int m, int n, Scalar<T> alpha, const T* x, int stepX, const T* y,
                                                 int stepY, T* a, int lda)
{
    const int row = globalThread(), column = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (row < m && column < n)
        a[row + (long long)column * lda] += alpha.get() * x[element(row, m, stepX)] * y[element(column, n, stepY)];
}

template <class T>
__global__ __attribute__((nodebug)) void matrixSum(int m, int n, Scalar<T> alpha, const T* a, int rowA, int columnA,
                                                   Scalar<T> beta, const T* b, int rowB, int columnB, T* c, int ldc)
{
    const int row = globalThread(), column = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (row >= m || column >= n)
        return;
    const T left = alpha.get() == T(0) ? T(0) : T(alpha.get() * a[(long long)row * rowA + (long long)column * columnA]);
    const T right = beta.get() == T(0) ? T(0) : T(beta.get() * b[(long long)row * rowB + (long long)column * columnB]);
    c[row + (long long)column * ldc] = left + right;
}

/// What sums of T are kept in.
template <class T>
struct Sum {
    using type = T;
};
template <>
struct Sum<__half> {
    using type = float;
};

/// One element of C. S: of alpha and beta.
template <class S, class A, class C>
__device__ __attribute__((nodebug)) void productElement(int m, int n, int k, S alpha, const A* a, int rowA, int columnA,
                                                        const A* b, int rowB, int columnB, S beta, C* c, int ldc)
{
    using Total = typename Sum<S>::type;
    const int row = globalThread(), column = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (row >= m || column >= n)
        return;
    Total sum = 0;
    for (int i = 0; i < k; ++i)
        sum += (Total)a[(long long)row * rowA + (long long)i * columnA] *
               (Total)b[(long long)i * rowB + (long long)column * columnB];
    C& target = c[row + (long long)column * ldc];
    const Total old = (Total)beta == 0 ? (Total)0 : (Total)beta * (Total)target;
    target = (C)((Total)alpha * sum + old);
}

template <class S, class A, class C>
__global__ __attribute__((nodebug)) void product(int m, int n, int k, Scalar<S> alpha, const A* a, int rowA,
                                                 int columnA, long long strideA, const A* b, int rowB, int columnB,
                                                 long long strideB, Scalar<S> beta, C* c, int ldc, long long strideC)
{
    productElement(m, n, k, alpha.get(), a + blockIdx.z * strideA, rowA, columnA, b + blockIdx.z * strideB, rowB,
                   columnB, beta.get(), c + blockIdx.z * strideC, ldc);
}

template <class T>
__global__ __attribute__((nodebug)) void productOfEach(int m, int n, int k, Scalar<T> alpha, const T* const* a,
                                                       int rowA, int columnA, const T* const* b, int rowB, int columnB,
                                                       Scalar<T> beta, T* const* c, int ldc)
{
    productElement(m, n, k, alpha.get(), a[blockIdx.z], rowA, columnA, b[blockIdx.z], rowB, columnB, beta.get(),
                   c[blockIdx.z], ldc);
}

}  // namespace __lsBlas
