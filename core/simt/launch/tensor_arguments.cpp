// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/tensor_arguments.h"

#include <fmt/format.h>

namespace lanescope::simt {

using device::TensorMap;

std::vector<TensorArgument> tensorsIn(std::span<const std::byte> argument)
{
    constexpr size_t kAlignment = 64;  // of CUtensorMap
    std::vector<TensorArgument> found;
    for (size_t at = 0; at + TensorMap::kBytes <= argument.size();) {
        const std::optional<TensorMap> map = device::readTensorMap(argument.subspan(at, TensorMap::kBytes));
        if (map)
            found.push_back({at, *map});
        at += map ? TensorMap::kBytes : kAlignment;
    }
    return found;
}

trace::ValueType elementOf(const TensorMap& map)
{
    using trace::ScalarKind;
    using Type = TensorMap::Type;
    switch (map.type) {
    case Type::UInt8:
        return {ScalarKind::Unsigned, 1, 1, "uint8_t"};
    case Type::UInt16:
        return {ScalarKind::Unsigned, 2, 1, "uint16_t"};
    case Type::UInt32:
        return {ScalarKind::Unsigned, 4, 1, "uint32_t"};
    case Type::Int32:
        return {ScalarKind::Signed, 4, 1, "int"};
    case Type::UInt64:
        return {ScalarKind::Unsigned, 8, 1, "uint64_t"};
    case Type::Int64:
        return {ScalarKind::Signed, 8, 1, "int64_t"};
    case Type::Float16:
        return {ScalarKind::Float, 2, 1, "__half"};
    case Type::BFloat16:
        return {ScalarKind::Float, 2, 1, "__nv_bfloat16"};
    case Type::Float64:
        return {ScalarKind::Float, 8, 1, "double"};
    case Type::Float32:
    case Type::Float32Ftz:
    case Type::TFloat32:
    case Type::TFloat32Ftz:
        return {ScalarKind::Float, 4, 1, "float"};
    }
    return {ScalarKind::Bytes, 1, 1, "char"};
}

std::vector<uint64_t> extentsInMemory(const TensorMap& map, uint64_t bytes)
{
    std::vector<uint64_t> extents;
    uint64_t inner = map.innermostBytes();
    if (map.isInterleaved())
        extents.push_back(inner / map.elementBytes());
    for (unsigned i = 0; i < map.rank; ++i) {
        const bool isOutermost = i + 1 == map.rank;
        const uint64_t outer = isOutermost ? inner * map.extents[i] : map.strides[i];
        if (outer % inner != 0 || outer / inner < map.extents[i])
            return {};
        extents.insert(extents.begin(), outer / inner);
        inner = outer;
    }
    return inner == bytes ? extents : std::vector<uint64_t>();
}

namespace {

/// \p extents: of the innermost dimension first.
template <typename Extents>
std::string subscripts(const Extents& extents, unsigned rank)
{
    std::string text;
    for (unsigned i = rank; i-- > 0;)
        text += fmt::format("[{}]", extents[i]);
    return text;
}

}  // namespace

std::string textOf(const TensorMap& map, const std::string& buffer)
{
    std::string text =
        fmt::format("tensor map of {}, {}{}", buffer, elementOf(map).name, subscripts(map.extents, map.rank));
    text += map.isIm2col ? fmt::format(", im2col of {} pixels with {} channels", map.pixels, map.channels)
                         : fmt::format(", boxes of {}", subscripts(map.box, map.rank));
    if (map.isInterleaved())
        text += fmt::format(", interleaved by {} bytes", map.innermostBytes());
    if (map.swizzle != TensorMap::Swizzle::None)
        text += fmt::format(", swizzled by {} bytes", 16U << static_cast<unsigned>(map.swizzle));
    return text;
}

}  // namespace lanescope::simt
