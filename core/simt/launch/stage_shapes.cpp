// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/stage_shapes.h"

#include <algorithm>

namespace lanescope::simt {

namespace {

uint64_t bytesOf(const CopiedBox& box)
{
    uint64_t bytes = box.elementBytes;
    for (uint32_t i = 0; i < box.rank; ++i)
        bytes *= box.extents[i];
    return bytes;
}

/// Outermost first; of outer dimensions of one element nothing is said.
std::vector<uint64_t> extentsOf(const CopiedBox& box)
{
    std::vector<uint64_t> extents;
    for (uint32_t i = box.rank; i-- > 0;)
        if (box.extents[i] != 1 || !extents.empty() || i < 2)
            extents.push_back(box.extents[i]);
    return extents;
}

}  // namespace

bool shapeByBoxes(trace::Buffer& buffer, uint64_t address, const std::map<uint64_t, CopiedBox>& boxes)
{
    const auto first = boxes.lower_bound(address);
    const auto end = boxes.lower_bound(address + buffer.bytes);
    uint64_t bytes = buffer.element.totalBytes();
    for (const uint64_t extent : buffer.dims)
        bytes *= extent;
    if (first == end || first->second.elementBytes != buffer.element.totalBytes())
        return false;
    const uint64_t each = bytesOf(first->second);
    const bool areAlike = std::all_of(first, end, [&](const auto& placed) {
        return placed.second == first->second && (placed.first - address) % each == 0;
    });
    if (!areAlike || each == 0 || bytes % each != 0)
        return false;
    std::vector<uint64_t> extents = extentsOf(first->second);
    if (bytes != each)
        extents.insert(extents.begin(), bytes / each);
    // What the program declares with as many dimensions it means so.
    if (extents.size() <= buffer.dims.size())
        return false;
    buffer.dims = std::move(extents);
    return true;
}

}  // namespace lanescope::simt
