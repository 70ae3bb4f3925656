// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of tensors for copies in bulk (core/device/tensor_map.h).
#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "core/device/tensor_map.h"
#include "instrumented/driver/driver.h"

using namespace lanescope;
using namespace lanescope::driver;
using device::TensorMap;

namespace {

/// What both kinds of maps say.
struct Common {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void* address;
    const cuuint64_t* extents;
    const cuuint64_t* strides;
    const cuuint32_t* elementStrides;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
};

CUresult refuse(const char* function, const std::string& why)
{
    std::fprintf(stderr, "lanescope: %s: %s\n", function, why.c_str());
    return CUDA_ERROR_INVALID_VALUE;
}

/// Leaves \p map half filled where the answer is no success.
CUresult fill(const char* function, const Common& from, TensorMap& map)
{
    if (from.rank < 1 || from.rank > TensorMap::kMostDimensions)
        return refuse(function, "the rank is " + std::to_string(from.rank) + ", not 1 to 5");
    if (!from.extents || !from.elementStrides || (from.rank > 1 && !from.strides))
        return refuse(function, "a null pointer where dimensions or strides are wanted");
    if (from.type > CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ)
        return refuse(function, "4-bit and 6-bit types are not those of compute capability 9.0");
    if (from.swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return refuse(function, "the swizzle is none of compute capability 9.0");
    map.type = static_cast<TensorMap::Type>(from.type);
    map.rank = static_cast<uint8_t>(from.rank);
    map.address = reinterpret_cast<uint64_t>(from.address);
    for (unsigned i = 0; i < from.rank; ++i) {
        map.extents[i] = from.extents[i];
        map.elementStrides[i] = from.elementStrides[i];
        if (i + 1 < from.rank)
            map.strides[i] = from.strides[i];
    }
    map.interleave = static_cast<TensorMap::Interleave>(from.interleave);
    map.swizzle = static_cast<TensorMap::Swizzle>(from.swizzle);
    map.fillsWithNaN = from.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    return CUDA_SUCCESS;
}

CUresult keep(const char* function, const TensorMap& map, CUtensorMap* kept)
{
    if (!kept || reinterpret_cast<uintptr_t>(kept) % alignof(CUtensorMap) != 0)
        return refuse(function, "tensorMap is null, or no multiple of 64 bytes");
    if (const std::string problem = tensorMapProblem(map); !problem.empty())
        return refuse(function, problem);
    writeTensorMap(map, std::as_writable_bytes(std::span(kept->opaque)));
    return CUDA_SUCCESS;
}

}  // namespace

LS_API CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                       const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                                       const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion /*promotion*/,
                                       CUtensorMapFloatOOBfill oobFill)
{
    constexpr const char* kName = "cuTensorMapEncodeTiled";
    TensorMap map;
    if (const CUresult filled =
            fill(kName, {type, rank, address, extents, strides, elementStrides, interleave, swizzle, oobFill}, map);
        filled != CUDA_SUCCESS)
        return filled;
    if (!box)
        return refuse(kName, "boxDim is null");
    for (unsigned i = 0; i < rank; ++i)
        map.box[i] = box[i];
    return keep(kName, map, tensorMap);
}

LS_API CUresult cuTensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType type, cuuint32_t rank,
                                        void* address, const cuuint64_t* extents, const cuuint64_t* strides,
                                        const int* lowerCorner, const int* upperCorner, cuuint32_t channels,
                                        cuuint32_t pixels, const cuuint32_t* elementStrides,
                                        CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                        CUtensorMapL2promotion /*promotion*/, CUtensorMapFloatOOBfill oobFill)
{
    constexpr const char* kName = "cuTensorMapEncodeIm2col";
    TensorMap map;
    if (const CUresult filled =
            fill(kName, {type, rank, address, extents, strides, elementStrides, interleave, swizzle, oobFill}, map);
        filled != CUDA_SUCCESS)
        return filled;
    if (!lowerCorner || !upperCorner)
        return refuse(kName, "a corner of the pixels' box is null");
    map.isIm2col = true;
    map.box.fill(1);
    const auto narrow = [](int64_t value) { return static_cast<int16_t>(std::clamp<int64_t>(value, -32768, 32767)); };
    for (unsigned i = 0; i + 2 < rank; ++i) {
        map.lowerCorner[i] = narrow(lowerCorner[i]);
        map.upperCorner[i] = narrow(upperCorner[i]);
    }
    map.channels = static_cast<uint16_t>(std::min<cuuint32_t>(channels, UINT16_MAX));
    map.pixels = static_cast<uint16_t>(std::min<cuuint32_t>(pixels, UINT16_MAX));
    return keep(kName, map, tensorMap);
}

LS_API CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* address)
{
    constexpr const char* kName = "cuTensorMapReplaceAddress";
    if (!tensorMap)
        return refuse(kName, "tensorMap is null");
    std::optional<TensorMap> map = device::readTensorMap(std::as_bytes(std::span(tensorMap->opaque)));
    if (!map)
        return refuse(kName, "tensorMap was not made by cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col");
    map->address = reinterpret_cast<uint64_t>(address);
    return keep(kName, *map, tensorMap);
}
