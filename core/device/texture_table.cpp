// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/device/texture_table.h"

#include <unordered_map>
#include <utility>

namespace lanescope::device {

namespace {

/// Never destroyed: the program's static destructors may still launch kernels.
std::unordered_map<uint64_t, std::vector<uint64_t>>& textures()
{
    static auto* const all = new std::unordered_map<uint64_t, std::vector<uint64_t>>;
    return *all;
}

}  // namespace

void setTexture(uint64_t handle, std::vector<uint64_t> words)
{
    textures()[handle] = std::move(words);
}

void removeTexture(uint64_t handle)
{
    textures().erase(handle);
}

uint64_t textureWord(uint64_t handle, uint64_t which)
{
    const auto found = textures().find(handle);
    return found == textures().end() || which >= found->second.size() ? 0 : found->second[which];
}

}  // namespace lanescope::device
