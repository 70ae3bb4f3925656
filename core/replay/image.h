// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing to a BufferImage so that it can be taken back.
#pragma once

#include <cstring>
#include <vector>

#include "core/replay/replay.h"

namespace lanescope::replay {

/// Larger buffers are shown up to here.
inline constexpr uint64_t kMaxImageBytes = uint64_t{64} << 20;
/// CUDA's limits on shared memory per block and local memory per thread are below this.
inline constexpr uint64_t kMaxBlockImageBytes = uint64_t{1} << 20;

/// What was there before, last change on top.
class UndoTape {
public:
    template <typename T>
    void push(const T& value)
    {
        pushBytes(&value, sizeof value);
    }
    void pushBytes(const void* from, size_t bytes)
    {
        const auto* begin = static_cast<const uint8_t*>(from);
        m_bytes.insert(m_bytes.end(), begin, begin + bytes);
    }
    template <typename T>
    T pop()
    {
        T value;
        popBytes(&value, sizeof value);
        return value;
    }
    void popBytes(void* to, size_t bytes)
    {
        std::memcpy(to, m_bytes.data() + m_bytes.size() - bytes, bytes);
        m_bytes.resize(m_bytes.size() - bytes);
    }
    [[nodiscard]] size_t size() const { return m_bytes.size(); }
    void clear() { m_bytes.clear(); }

private:
    std::vector<uint8_t> m_bytes;
};

/// \p bytes zero bytes, none of them initialised, none written.
BufferImage blankImage(uint64_t bytes);

/// Stores \p bytes (at most 16) of \p value at \p offset with the mark `stamp` (step + 1). What was there goes on
/// \p tape, if there is one. False, and nothing happens, when that is not wholly inside the image.
bool writeImage(BufferImage& image, uint64_t offset, size_t bytes, const uint8_t* value, StepIndex stamp,
                UndoTape* tape);
/// Says of \p count bytes from \p first on that they hold a defined value.
void setInitialised(BufferImage& image, uint64_t first, uint64_t count);
/// So many in a row that no other call on this thread gives, the first of them: two contents must not have the same
/// version.
uint64_t newVersions(uint64_t count);
/// Takes back the last write that went on \p tape.
void undoImage(BufferImage& image, UndoTape& tape);

/// Running hash; the order of add calls counts.
class Hasher {
public:
    void add(uint64_t value)
    {
        m_hash = (m_hash ^ value) * 0x9e3779b97f4a7c15ULL;
        m_hash ^= m_hash >> 32;
    }
    void addBytes(const void* from, size_t bytes);
    void add(const BufferImage& image);
    [[nodiscard]] uint64_t value() const { return m_hash; }

private:
    uint64_t m_hash = 0x2545f4914f6cdd1dULL;
};

}  // namespace lanescope::replay
