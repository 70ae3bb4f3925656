// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/device/tensor_map.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/device/gpu_model.h"
#include "core/device/kept_tensor_map.h"

namespace lanescope::device {
namespace {

static_assert(sizeof(KeptTensorMap) <= TensorMap::kBytes);
using Kept = KeptTensorMap;

/// FNV-1a, which tells a map that was written over; but not by CUTLASS and Triton, who clear a bit of the second word
/// in maps of small tensors, for drivers of CUDA 13.1 and before.
uint64_t checkOf(const Kept& kept)
{
    uint64_t hash = 0xcbf29ce484222325;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&kept) + offsetof(Kept, address);
    for (size_t i = 0; i < sizeof kept - offsetof(Kept, address); ++i)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    constexpr uint64_t kClearedByOthers = uint64_t{1} << 21;
    return hash & ~kClearedByOthers;
}

unsigned bytesOf(TensorMap::Swizzle swizzle)
{
    return swizzle == TensorMap::Swizzle::None ? 0 : 16u << static_cast<unsigned>(swizzle);
}

std::string globalProblem(const TensorMap& map)
{
    const bool isWide = map.interleave == TensorMap::Interleave::Bytes32;
    if (map.rank < 1 || map.rank > TensorMap::kMostDimensions)
        return fmt::format("the rank is {}, not 1 to {}", map.rank, TensorMap::kMostDimensions);
    if (map.rank < 3 && (map.isInterleaved() || map.isIm2col))
        return fmt::format("the rank is {}: interleaved and im2col tensors have at least 3 dimensions", map.rank);
    if (map.address == 0 || map.address % (isWide ? 32 : 16) != 0)
        return fmt::format("globalAddress is 0x{:x}, not a multiple of {} bytes", map.address, isWide ? 32 : 16);
    for (unsigned i = 0; i < map.rank; ++i)
        if (map.extents[i] == 0 || map.extents[i] > uint64_t{1} << 32)
            return fmt::format("globalDim[{}] is {}, not 1 to 2^32", i, map.extents[i]);
    for (unsigned i = 0; i + 1 < map.rank; ++i)
        if (map.strides[i] % (isWide ? 32 : 16) != 0 || map.strides[i] >= uint64_t{1} << 40)
            return fmt::format("globalStrides[{}] is {} bytes, not a multiple of {} below 2^40", i, map.strides[i],
                               isWide ? 32 : 16);
    for (unsigned i = 0; i < map.rank; ++i)
        if (map.elementStrides[i] < 1 || map.elementStrides[i] > 8)
            return fmt::format("elementStrides[{}] is {}, not 1 to 8", i, map.elementStrides[i]);
    return {};
}

/// \p elements: of the innermost dimension of a box.
std::string sharedProblem(const TensorMap& map, uint64_t elements, const char* name)
{
    const uint64_t bytes = elements * map.elementBytes();
    if (bytes % 16 != 0)
        return fmt::format("{} is {} elements of {} bytes, together {}, not a multiple of 16 bytes", name, elements,
                           map.elementBytes(), bytes);
    if (!map.isInterleaved() && map.swizzle != TensorMap::Swizzle::None && bytes > bytesOf(map.swizzle))
        return fmt::format("{} is {} bytes, more than the {} that are swizzled", name, bytes, bytesOf(map.swizzle));
    if (map.fillsWithNaN && !map.isFloat())
        return "oobFill asks for NaN, which only floating-point types have";
    return {};
}

}  // namespace

unsigned TensorMap::elementBytes() const
{
    switch (type) {
    case Type::UInt8:
        return 1;
    case Type::UInt16:
    case Type::Float16:
    case Type::BFloat16:
        return 2;
    case Type::UInt64:
    case Type::Int64:
    case Type::Float64:
        return 8;
    default:
        return 4;
    }
}

unsigned TensorMap::innermostBytes() const
{
    return interleave == Interleave::None ? elementBytes() : interleave == Interleave::Bytes16 ? 16 : 32;
}

uint32_t TensorMap::taken(unsigned i) const
{
    if (isInterleaved() && i + 2 == rank)
        return 1;
    // Element strides of an innermost dimension mean nothing where that has single elements.
    return i == 0 && !isInterleaved() ? box[0] : (box[i] + elementStrides[i] - 1) / elementStrides[i];
}

uint32_t TensorMap::rowBytes() const
{
    const uint32_t inRow = !isIm2col ? taken(0) : isInterleaved() ? 1 : channels;
    return inRow * innermostBytes();
}

std::string tensorMapProblem(const TensorMap& map)
{
    if (std::string problem = globalProblem(map); !problem.empty())
        return problem;
    if (map.isIm2col) {
        if (map.channels < 1 || map.channels > 256)
            return fmt::format("channelsPerPixel is {}, not 1 to 256", map.channels);
        if (map.pixels < 1 || map.pixels > 1024)
            return fmt::format("pixelsPerColumn is {}, not 1 to 1024", map.pixels);
        const int limit = map.rank == 3 ? 1 << 15 : map.rank == 4 ? 1 << 7 : 1 << 4;
        for (unsigned i = 0; i + 2 < map.rank; ++i)
            if (map.lowerCorner[i] < -limit || map.lowerCorner[i] >= limit || map.upperCorner[i] < -limit ||
                map.upperCorner[i] >= limit)
                return fmt::format("corner {} of the pixels' box is not from {} to {}", i, -limit, limit - 1);
        return sharedProblem(map, map.channels, "channelsPerPixel");
    }
    for (unsigned i = 0; i < map.rank; ++i)
        if (map.box[i] < 1 || map.box[i] > 256)
            return fmt::format("boxDim[{}] is {}, not 1 to 256", i, map.box[i]);
    uint64_t bytes = map.elementBytes();
    for (unsigned i = 0; i < map.rank; ++i)
        bytes *= map.box[i] / map.elementStrides[i];  // as a driver counts them
    if (bytes > kMaxSharedBytes)
        return fmt::format("the box is {} bytes, more than the {} that a block's shared memory can have", bytes,
                           kMaxSharedBytes);
    return sharedProblem(map, map.box[0], "boxDim[0]");
}

void writeTensorMap(const TensorMap& map, std::span<std::byte> bytes)
{
    Kept kept;
    std::memset(&kept, 0, sizeof kept);
    kept.mark = kTensorMapMark;
    kept.address = map.address;
    std::ranges::copy(map.strides, kept.strides);
    for (unsigned i = 0; i < map.rank; ++i) {
        kept.lastElements[i] = static_cast<uint32_t>(map.extents[i] - 1);
        kept.lastOfBox[i] = static_cast<uint8_t>(map.box[i] - 1);
        kept.elementStrides[i] = static_cast<uint8_t>(map.elementStrides[i]);
    }
    std::memcpy(kept.lowerCorner, map.lowerCorner.data(), sizeof kept.lowerCorner);
    std::memcpy(kept.upperCorner, map.upperCorner.data(), sizeof kept.upperCorner);
    kept.channels = map.channels;
    kept.pixels = map.pixels;
    kept.type = static_cast<uint8_t>(map.type);
    kept.rank = map.rank;
    kept.interleave = static_cast<uint8_t>(map.interleave);
    kept.swizzle = static_cast<uint8_t>(map.swizzle);
    kept.flags = static_cast<uint8_t>((map.fillsWithNaN ? kMapFillsWithNaN : 0) | (map.isIm2col ? kMapIsIm2col : 0));
    kept.check = checkOf(kept);
    std::ranges::fill(bytes, std::byte{0});
    std::memcpy(bytes.data(), &kept, sizeof kept);
}

std::optional<TensorMap> readTensorMap(std::span<const std::byte> bytes)
{
    Kept kept;
    if (bytes.size() < sizeof kept)
        return std::nullopt;
    std::memcpy(&kept, bytes.data(), sizeof kept);
    if (kept.mark != kTensorMapMark || kept.check != checkOf(kept) || kept.rank < 1 ||
        kept.rank > TensorMap::kMostDimensions)
        return std::nullopt;
    TensorMap map;
    map.address = kept.address;
    std::ranges::copy(kept.strides, map.strides.begin());
    for (unsigned i = 0; i < kept.rank; ++i) {
        map.extents[i] = uint64_t{kept.lastElements[i]} + 1;
        map.box[i] = uint32_t{kept.lastOfBox[i]} + 1;
        map.elementStrides[i] = kept.elementStrides[i];
    }
    std::memcpy(map.lowerCorner.data(), kept.lowerCorner, sizeof kept.lowerCorner);
    std::memcpy(map.upperCorner.data(), kept.upperCorner, sizeof kept.upperCorner);
    map.channels = kept.channels;
    map.pixels = kept.pixels;
    map.type = static_cast<TensorMap::Type>(kept.type);
    map.rank = kept.rank;
    map.interleave = static_cast<TensorMap::Interleave>(kept.interleave);
    map.swizzle = static_cast<TensorMap::Swizzle>(kept.swizzle);
    map.fillsWithNaN = (kept.flags & kMapFillsWithNaN) != 0;
    map.isIm2col = (kept.flags & kMapIsIm2col) != 0;
    return map;
}

const char* notOnDevice(const TensorMap& map)
{
    if (map.isIm2col)
        return "for im2col";
    if (map.isInterleaved())
        return "of an interleaved tensor";
    if (map.fillsWithNaN)
        return "that fills with NaN";
    if (map.type == TensorMap::Type::TFloat32 || map.type == TensorMap::Type::TFloat32Ftz)
        return "of elements that are rounded to tf32";
    return nullptr;
}

}  // namespace lanescope::device
