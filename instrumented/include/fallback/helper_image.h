// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of numbers, and of pictures (PGM, PPM), as the CUDA samples read, write and compare them. A stand-in, used when
// the program does not bring its own.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include "../lanescope/hide_macros.h"

/// Numbers separated by white space. *data is allocated if it is null.
template <class T>
static inline bool sdkReadFile(const char* filename, T** data, unsigned int* len, bool verbose)
{
    std::ifstream file(filename ? filename : "");
    std::vector<T> values;
    for (T value; file >> value;)
        values.push_back(value);
    if (values.empty()) {
        if (verbose)
            fprintf(stderr, "sdkReadFile() : no numbers in %s\n", filename ? filename : "");
        return false;
    }
    if (!*data)
        *data = (T*)malloc(values.size() * sizeof(T));
    else if (values.size() > *len)
        values.resize(*len);
    memcpy(*data, values.data(), values.size() * sizeof(T));
    *len = (unsigned int)values.size();
    return true;
}
template <class T, class S>
static inline bool sdkWriteFile(const char* filename, const T* data, unsigned int len, const S epsilon, bool verbose,
                                bool append = false)
{
    std::ofstream file(filename ? filename : "", append ? std::ios::app : std::ios::out);
    if (!file.good()) {
        if (verbose)
            fprintf(stderr, "sdkWriteFile() : cannot open %s\n", filename ? filename : "");
        return false;
    }
    file << "# " << epsilon << "\n";
    for (unsigned int i = 0; i < len; ++i)
        file << data[i] << ' ';
    file << std::endl;
    return file.good();
}

/// The samples of a P5 (one channel) or P6 (three) file; empty when it is neither.
static inline std::vector<unsigned char> __lsReadPicture(const char* filename, unsigned int* w, unsigned int* h,
                                                         unsigned int* channels)
{
    std::ifstream file(filename ? filename : "", std::ios::binary);
    std::string word;
    unsigned int numbers[3] = {};
    file >> word;
    *channels = word == "P5" ? 1 : word == "P6" ? 3 : 0;
    for (unsigned int& number : numbers) {
        while (file >> std::ws && file.peek() == '#')
            std::getline(file, word);
        file >> number;
    }
    file.get();
    *w = numbers[0];
    *h = numbers[1];
    std::vector<unsigned char> samples((size_t)*w * *h * *channels);
    file.read((char*)samples.data(), (std::streamsize)samples.size());
    if (!file || samples.empty()) {
        fprintf(stderr, "no PGM or PPM picture: %s\n", filename ? filename : "");
        samples.clear();
    }
    return samples;
}
/// Bytes stay bytes, floats become 0 to 1.
template <class T>
static inline bool sdkLoadPGM(const char* filename, T** data, unsigned int* w, unsigned int* h)
{
    unsigned int channels = 0;
    const std::vector<unsigned char> samples = __lsReadPicture(filename, w, h, &channels);
    if (samples.empty() || channels != 1)
        return false;
    if (!*data)
        *data = (T*)malloc(samples.size() * sizeof(T));
    for (size_t i = 0; i < samples.size(); ++i)
        (*data)[i] = std::is_floating_point<T>::value ? (T)(samples[i] / 255.0f) : (T)samples[i];
    return true;
}
static inline bool sdkLoadPPM4ub(const char* filename, unsigned char** data, unsigned int* w, unsigned int* h)
{
    unsigned int channels = 0;
    const std::vector<unsigned char> samples = __lsReadPicture(filename, w, h, &channels);
    if (samples.empty())
        return false;
    if (!*data)
        *data = (unsigned char*)malloc((size_t)*w * *h * 4);
    for (size_t i = 0; i < (size_t)*w * *h; ++i) {
        for (unsigned int c = 0; c < 3; ++c)
            (*data)[4 * i + c] = samples[channels * i + (channels == 3 ? c : 0)];
        (*data)[4 * i + 3] = 0;
    }
    return true;
}
static inline bool __lsWritePicture(const char* filename, const char* kind, const std::vector<unsigned char>& samples,
                                    unsigned int w, unsigned int h)
{
    std::ofstream file(filename ? filename : "", std::ios::binary);
    file << kind << "\n" << w << "\n" << h << "\n255\n";
    file.write((const char*)samples.data(), (std::streamsize)samples.size());
    return file.good();
}
template <class T>
static inline bool sdkSavePGM(const char* filename, T* data, unsigned int w, unsigned int h)
{
    std::vector<unsigned char> samples((size_t)w * h);
    for (size_t i = 0; i < samples.size(); ++i)
        samples[i] = (unsigned char)(std::is_floating_point<T>::value ? data[i] * 255.0f : data[i]);
    return __lsWritePicture(filename, "P5", samples, w, h);
}
static inline bool sdkSavePPM4ub(const char* filename, unsigned char* data, unsigned int w, unsigned int h)
{
    std::vector<unsigned char> samples;
    for (size_t i = 0; i < (size_t)w * h; ++i)
        samples.insert(samples.end(), data + 4 * i, data + 4 * i + 3);
    return __lsWritePicture(filename, "P6", samples, w, h);
}

/// Relative difference of the L2 norms.
static inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned int count, float epsilon)
{
    float error = 0;
    float norm = 0;
    for (unsigned int i = 0; i < count; ++i) {
        error += (reference[i] - data[i]) * (reference[i] - data[i]);
        norm += reference[i] * reference[i];
    }
    return norm > 0 && sqrtf(error) / sqrtf(norm) < epsilon;
}
template <class T, class E>
static inline bool compareData(const T* reference, const T* data, unsigned int count, E epsilon, float threshold)
{
    unsigned int wrong = 0;
    for (unsigned int i = 0; i < count; ++i)
        wrong += fabs(double(reference[i]) - double(data[i])) > double(epsilon);
    return wrong <= threshold * count;
}

#include "../lanescope/restore_macros.h"
