// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tensor map says of a tensor in global memory and of the boxes that are copied of it, and how it is kept in the
// 128 bytes that programs hand around.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lanescope::device {

/// Enumerators have the numbers of CUtensorMapDataType and its kin.
struct TensorMap {
    static constexpr unsigned kMostDimensions = 5;
    static constexpr size_t kBytes = 128;
    enum class Type : uint8_t {
        UInt8,
        UInt16,
        UInt32,
        Int32,
        UInt64,
        Int64,
        Float16,
        Float32,
        Float64,
        BFloat16,
        Float32Ftz,
        TFloat32,
        TFloat32Ftz,
    };
    enum class Interleave : uint8_t { None, Bytes16, Bytes32 };
    enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };

    Type type = Type::UInt8;
    uint8_t rank = 1;
    Interleave interleave = Interleave::None;
    Swizzle swizzle = Swizzle::None;
    bool fillsWithNaN = false;  ///< outside the tensor; else with zeros
    bool isIm2col = false;
    uint64_t address = 0;
    std::array<uint64_t, kMostDimensions> extents{};         ///< elements; dimension 0 is the innermost
    std::array<uint64_t, kMostDimensions - 1> strides{};     ///< bytes, of dimension 1 and further ones
    std::array<uint32_t, kMostDimensions> box{};             ///< elements; of a tiled map
    std::array<uint32_t, kMostDimensions> elementStrides{};  ///< elements from one that is copied to the next
    std::array<int16_t, kMostDimensions - 2> lowerCorner{};  ///< of the pixels' bounding box; of an im2col map
    std::array<int16_t, kMostDimensions - 2> upperCorner{};
    uint16_t channels = 0;  ///< per pixel
    uint16_t pixels = 0;    ///< per column

    [[nodiscard]] unsigned elementBytes() const;
    /// From one of dimension 0 to the next: an element, or, where tensors are interleaved (NC/8HWC8), all channels of a
    /// slice.
    [[nodiscard]] unsigned innermostBytes() const;
    [[nodiscard]] bool isInterleaved() const { return interleave != Interleave::None; }
    /// How many of dimension \p i a box takes, of a tiled map. Of an interleaved one, dimension 0 has the slices beside
    /// each other, and the last but one the slices of channels, of which a box takes one, whatever it says.
    [[nodiscard]] uint32_t taken(unsigned i) const;
    /// Bytes of a box that follow each other in shared memory, before what they are padded to: of an im2col map, one
    /// pixel's channels, of which an interleaved tensor has a slice.
    [[nodiscard]] uint32_t rowBytes() const;
    /// Where the dimensions begin that count places of pixels, of an im2col map: rank - 2 of them.
    [[nodiscard]] unsigned firstPlace() const { return isInterleaved() ? 0 : 1; }
    [[nodiscard]] bool isFloat() const { return type >= Type::Float16; }
};

/// Which of CUDA's rules for tensor maps \p map breaks; empty: none.
std::string tensorMapProblem(const TensorMap& map);

/// \p bytes: TensorMap::kBytes of them.
void writeTensorMap(const TensorMap& map, std::span<std::byte> bytes);
/// None: those bytes were not written by writeTensorMap, or have been written over.
std::optional<TensorMap> readTensorMap(std::span<const std::byte> bytes);

/// What device code that copies boxes itself (instrumented/device/tensors.cpp) cannot do of it; null: nothing.
const char* notOnDevice(const TensorMap& map);

}  // namespace lanescope::device
