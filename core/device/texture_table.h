// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels' texture and surface objects stand for. Fetches are written in our CUDA headers, on the words of a
// texture; reading these is no access of the program's, so that they lie here and not in its memory.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::device {

/// \p handle: what the program holds. Not while a launch runs.
void setTexture(uint64_t handle, std::vector<uint64_t> words);
void removeTexture(uint64_t handle);
/// Zero when there is no such texture or word.
uint64_t textureWord(uint64_t handle, uint64_t which);

}  // namespace lanescope::device
