// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that just fit: of blocks of the host's heap, from their middle, grown ones, libraries', aligned ones.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

int main()
{
    char* x;
    cudaMalloc(&x, 4096);
    cudaMemset(x, 1, 4096);
    std::vector<char> grown(1000);
    for (int i = 0; i < 50; ++i) {
        grown.resize(1000 + i * 60);
        cudaMemcpy(grown.data() + i, x, grown.size() - i, cudaMemcpyDeviceToHost);
    }
    std::string text(300, 'a');
    cudaMemcpy(&text[0], x, 300, cudaMemcpyDeviceToHost);
    cudaMemcpy(x, text.c_str(), 301, cudaMemcpyHostToDevice);
    char* larger = (char*)realloc(malloc(10), 2000);
    cudaMemcpy(larger + 100, x, 1900, cudaMemcpyDeviceToHost);
    free(larger);
    char* duplicate = strdup("hello");
    cudaMemcpy(x, duplicate, 6, cudaMemcpyHostToDevice);
    free(duplicate);
    void* aligned;
    if (posix_memalign(&aligned, 4096, 4096))
        return 1;
    cudaMemcpy(aligned, x, 4096, cudaMemcpyDeviceToHost);
    free(aligned);
    struct alignas(64) Line {
        char bytes[64];
    };
    auto* lines = new Line[8];
    cudaMemcpy(lines, x, sizeof(Line) * 8, cudaMemcpyDeviceToHost);
    delete[] lines;
    std::vector<std::vector<float>> rows(10, std::vector<float>(16));
    for (auto& row : rows)
        cudaMemcpy(row.data(), x, 64, cudaMemcpyDeviceToHost);
    // A library frees what it takes, and takes what the program frees.
    char* line = (char*)malloc(8);
    size_t room = 8;
    FILE* file = fopen("/proc/self/status", "r");
    while (file && getline(&line, &room, file) > 0)
        ;
    if (file)
        fclose(file);
    cudaMemcpy(line, x, room, cudaMemcpyDeviceToHost);
    free(line);
    cudaFree(x);
}
