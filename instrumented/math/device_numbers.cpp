// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/math/device_numbers.h"

#include <Eigen/Core>

#include <cstdio>
#include <cstring>
#include <utility>

#include "instrumented/include/cuda_fp8.h"
#include "instrumented/include/cuda_runtime_api.h"

namespace lanescope::math {

namespace {

template <class T>
Complex load(const std::byte* memory, bool isComplex)
{
    T parts[2] = {};
    std::memcpy(parts, memory, (isComplex ? 2 : 1) * sizeof(T));
    return {static_cast<double>(parts[0]), isComplex ? static_cast<double>(parts[1]) : 0};
}

template <class T>
void store(std::byte* memory, bool isComplex, Complex value)
{
    const T parts[2] = {static_cast<T>(value.real()), static_cast<T>(value.imag())};
    std::memcpy(memory, parts, (isComplex ? 2 : 1) * sizeof(T));
}

struct Format {
    cudaDataType type;
    size_t bytes;
    bool isComplex;
    Complex (*load)(const std::byte*, bool);
    void (*store)(std::byte*, bool, Complex);
};

const Format* formatOf(cudaDataType type)
{
    static constexpr Format kFormats[] = {{CUDA_R_32F, 4, false, load<float>, store<float>},
                                          {CUDA_R_64F, 8, false, load<double>, store<double>},
                                          {CUDA_C_32F, 8, true, load<float>, store<float>},
                                          {CUDA_C_64F, 16, true, load<double>, store<double>},
                                          {CUDA_R_16F, 2, false, load<Eigen::half>, store<Eigen::half>},
                                          {CUDA_C_16F, 4, true, load<Eigen::half>, store<Eigen::half>},
                                          {CUDA_R_16BF, 2, false, load<Eigen::bfloat16>, store<Eigen::bfloat16>},
                                          {CUDA_C_16BF, 4, true, load<Eigen::bfloat16>, store<Eigen::bfloat16>},
                                          {CUDA_R_8F_E4M3, 1, false, load<__nv_fp8_e4m3>, store<__nv_fp8_e4m3>},
                                          {CUDA_R_8F_E5M2, 1, false, load<__nv_fp8_e5m2>, store<__nv_fp8_e5m2>},
                                          {CUDA_R_8I, 1, false, load<int8_t>, store<int8_t>},
                                          {CUDA_R_8U, 1, false, load<uint8_t>, store<uint8_t>},
                                          {CUDA_R_32I, 4, false, load<int32_t>, store<int32_t>}};
    for (const Format& format : kFormats)
        if (format.type == type)
            return &format;
    return nullptr;
}

}  // namespace

size_t bytesOf(cudaDataType type)
{
    const Format* const format = formatOf(type);
    return format ? format->bytes : 0;
}

Complex numberAt(const void* memory, cudaDataType type)
{
    const Format* const format = formatOf(type);
    return format ? format->load(static_cast<const std::byte*>(memory), format->isComplex) : Complex();
}

void DeviceNumbers::fail(const char* message)
{
    if (std::exchange(m_good, false))
        std::fprintf(stderr, "lanescope: error: %s\n", message);
}

void DeviceNumbers::copy(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height)
{
    // What was wrong with it is a finding.
    if (m_good && width > 0 && height > 0)
        m_good =
            cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, cudaMemcpyDefault, m_stream) == cudaSuccess;
}

std::vector<Complex> DeviceNumbers::read(const void* memory, const Lines& lines, cudaDataType type)
{
    const Format* const format = formatOf(type);
    if (!format || lines.count < 0 || lines.length < 0) {
        fail("a number format of this call is not supported");
        return {};
    }
    const size_t size = static_cast<size_t>(lines.count) * static_cast<size_t>(lines.length);
    const size_t width = static_cast<size_t>(lines.length) * format->bytes;
    std::vector<std::byte> bytes(size * format->bytes);
    copy(bytes.data(), width, memory, lines.count > 1 ? static_cast<size_t>(lines.pitch) * format->bytes : width, width,
         static_cast<size_t>(lines.count));
    std::vector<Complex> values(size);
    for (size_t i = 0; i < size; ++i)
        values[i] = format->load(&bytes[i * format->bytes], format->isComplex);
    return values;
}

void DeviceNumbers::write(void* memory, const Lines& lines, const std::vector<Complex>& values, cudaDataType type)
{
    const Format* const format = formatOf(type);
    if (!format)
        return fail("a number format of this call is not supported");
    const size_t width = static_cast<size_t>(lines.length) * format->bytes;
    std::vector<std::byte> bytes(values.size() * format->bytes);
    for (size_t i = 0; i < values.size(); ++i)
        format->store(&bytes[i * format->bytes], format->isComplex, values[i]);
    copy(memory, lines.count > 1 ? static_cast<size_t>(lines.pitch) * format->bytes : width, bytes.data(), width, width,
         static_cast<size_t>(lines.count));
}

std::vector<int64_t> DeviceNumbers::readIndices(const void* memory, int64_t count, size_t bytes)
{
    if (count < 0)
        return {};
    std::vector<int64_t> wide(static_cast<size_t>(count));
    if (bytes == sizeof(int64_t)) {
        copy(wide.data(), wide.size() * bytes, memory, wide.size() * bytes, wide.size() * bytes, 1);
        return wide;
    }
    std::vector<int32_t> narrow(static_cast<size_t>(count));
    copy(narrow.data(), narrow.size() * bytes, memory, narrow.size() * bytes, narrow.size() * bytes, 1);
    wide.assign(narrow.begin(), narrow.end());
    return wide;
}

void DeviceNumbers::writeIndices(void* memory, const std::vector<int64_t>& indices, size_t bytes)
{
    if (bytes == sizeof(int64_t))
        return copy(memory, indices.size() * bytes, indices.data(), indices.size() * bytes, indices.size() * bytes, 1);
    std::vector<int32_t> narrow;
    for (const int64_t index : indices)
        narrow.push_back(static_cast<int32_t>(index));
    copy(memory, narrow.size() * bytes, narrow.data(), narrow.size() * bytes, narrow.size() * bytes, 1);
}

}  // namespace lanescope::math
