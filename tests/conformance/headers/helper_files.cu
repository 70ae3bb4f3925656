// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files as the CUDA samples' helpers read and write them.
#include <helper_cuda.h>
#include <helper_functions.h>
#include <unistd.h>

__global__ void invert(unsigned char* cells, int n)
{
    const int i = threadIdx.x;
    if (i < n)
        cells[i] = 255 - cells[i];
}

int main()
{
    char folder[] = "/tmp/helper_files_XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    const float numbers[] = {1, 2.5f, -3};
    printf("%d\n", sdkWriteFile("numbers.txt", numbers, 3, 0.5f, false));
    std::ofstream("plain.txt") << "4 5.5\n6";
    float* read = nullptr;
    unsigned int count = 0;
    printf("%d %u\n", sdkReadFile("plain.txt", &read, &count, true), count);
    printf("%g %g %d\n", read[1], read[2], sdkReadFile("missing.txt", &read, &count, false));
    free(read);

    unsigned char* cells;
    checkCudaErrors(cudaMallocManaged(&cells, 6));
    for (int i = 0; i < 6; ++i)
        cells[i] = static_cast<unsigned char>(i * 10);
    invert<<<1, 32>>>(cells, 6);
    checkCudaErrors(cudaDeviceSynchronize());
    printf("%d\n", sdkSavePGM("grey.pgm", cells, 3, 2));
    checkCudaErrors(cudaFree(cells));
    unsigned char* bytes = nullptr;
    float* floats = nullptr;
    unsigned int w = 0, h = 0;
    printf("%d", sdkLoadPGM("grey.pgm", &bytes, &w, &h));
    printf(" %u %u %d", w, h, bytes[5]);
    printf(" %d", sdkLoadPGM("grey.pgm", &floats, &w, &h));
    printf(" %g\n", floats[0]);
    unsigned char pixels[] = {1, 2, 3, 0, 4, 5, 6, 0};
    unsigned char* loaded = nullptr;
    printf("%d", sdkSavePPM4ub("colour.ppm", pixels, 2, 1));
    printf(" %d", sdkLoadPPM4ub("colour.ppm", &loaded, &w, &h));
    printf(" %u %u %d\n", w, h, memcmp(loaded, pixels, 8));
    free(bytes);
    free(floats);
    free(loaded);
    for (const char* name : {"numbers.txt", "plain.txt", "grey.pgm", "colour.ppm"})
        remove(name);
    return rmdir(folder);
}
