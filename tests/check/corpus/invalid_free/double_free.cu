// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two owners free the same buffer.
struct Buffer {
    float* data = nullptr;
    explicit Buffer(size_t n) { cudaMalloc(&data, n * sizeof(float)); }
    ~Buffer()
    {
        cudaFree(data);  // expect: invalid-free error
    }
#ifdef FIXED
    Buffer(const Buffer&) = delete;
#endif
};

int main()
{
    Buffer a(10);
#ifndef FIXED
    Buffer b = a;
#endif
    return 0;
}
