// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs: by value, returned, in local arrays, by reference; vector types; function calls with divergent lanes.
#include "check.h"

struct Point {
    float x, y;
    int tag;
};

struct Box {
    Point low, high;
    short counts[3];
};

__host__ __device__ Point moved(Point p, float by)
{
    p.x += by;
    if (p.tag % 2) {
        p.y -= by;
        return p;
    }
    p.tag = -p.tag;
    return p;
}

__host__ __device__ void grow(Box& box, const Point& by)
{
    box.high.x += by.x;
    box.high.y += by.y;
    for (int i = 0; i < 3; ++i)
        box.counts[i] = static_cast<short>(box.counts[i] + by.tag * i);
}

struct ByValue {
    static constexpr int kBlocks = 2, kThreads = 40;
    __host__ __device__ static float run(int i)
    {
        Point p{float(i), 2.0f * float(i), i};
        for (int k = 0; k < i % 4; ++k)
            p = moved(p, 0.5f * float(k));
        return p.x + p.y + float(p.tag);
    }
};

struct ByReference {
    static constexpr int kBlocks = 1, kThreads = 48;
    __host__ __device__ static float run(int i)
    {
        Box boxes[3] = {};
        for (int k = 0; k < 5; ++k) {
            Point by{float(k), float(i), k + i};
            grow(boxes[(k + i) % 3], by);
        }
        Box copy = boxes[i % 3];
        return copy.high.x + copy.high.y + float(copy.counts[1] + copy.counts[2]);
    }
};

struct LocalArray {
    static constexpr int kBlocks = 1, kThreads = 32;
    __host__ __device__ static int run(int i)
    {
        int digits[8];
        for (int k = 0; k < 8; ++k)
            digits[k] = (i * 7 + k * 3) % 10;
        for (int a = 0; a < 8; ++a)
            for (int b = a + 1; b < 8; ++b)
                if (digits[b] < digits[a]) {
                    int t = digits[a];
                    digits[a] = digits[b];
                    digits[b] = t;
                }
        int value = 0;
        for (int digit : digits)
            value = value * 10 + digit;
        return value;
    }
};

struct Vectors {
    static constexpr int kBlocks = 1, kThreads = 40;
    __host__ __device__ static float run(int i)
    {
        float4 v = make_float4(float(i), 1.0f, 2.0f, 3.0f);
        int2 w = make_int2(i, -i);
        double2 d = make_double2(0.5, double(i));
        v.x += v.y;
        v.w -= float(w.y);
        float4 u = v;
        u.z = float(d.x) + float(d.y);
        return u.x + u.y + u.z + u.w + float(w.x);
    }
};

__global__ void byValueParameter(float* out, Box box, float4 scale)
{
    int i = threadIdx.x;
    box.counts[i % 3] += static_cast<short>(i);
    out[i] = box.low.x * scale.x + box.high.y * scale.w + float(box.counts[i % 3]);
}

int main()
{
    int wrong = checkCase<ByValue, float>("by value") + checkCase<ByReference, float>("by reference") +
                checkCase<LocalArray, int>("local array") + checkCase<Vectors, float>("vectors");
    Box box{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    float* device;
    float out[35];
    cudaMalloc(&device, sizeof out);
    byValueParameter<<<1, 35>>>(device, box, make_float4(2, 0, 0, 3));
    cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < 35; ++i)
        right &= out[i] == 1 * 2 + 5 * 3 + float(7 + i % 3 + i);
    printf("parameter: %s\n", right ? "right" : "wrong");
    return wrong + !right;
}
