// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/base/assert.h"

namespace lanescope::simt {

/// Zero-filled memory that is given back at the end; touched pages only, when there are many. It begins with a cache
/// line: a register that lies across two takes twice as long to read.
class Arena {
public:
    explicit Arena(uint64_t bytes) : m_bytes((std::max<uint64_t>(bytes, 1) + kCacheLine - 1) / kCacheLine * kCacheLine)
    {
        void* memory = nullptr;
        if (isSmall()) {
            memory = std::aligned_alloc(kCacheLine, m_bytes);
            LS_ASSERT(memory != nullptr);
            std::memset(memory, 0, m_bytes);
        } else {
            memory = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            LS_ASSERT(memory != MAP_FAILED);
        }
        m_data = static_cast<std::byte*>(memory);
    }
    ~Arena()
    {
        if (isSmall())
            std::free(m_data);
        else
            munmap(m_data, m_bytes);
    }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    [[nodiscard]] std::byte* data() const { return m_data; }

private:
    static constexpr uint64_t kCacheLine = 64;

    /// A launch has several, and programs launch by the thousand: asking the kernel for each takes longer than it runs.
    [[nodiscard]] bool isSmall() const { return m_bytes <= 64 * 1024; }

    uint64_t m_bytes;
    std::byte* m_data = nullptr;
};

}  // namespace lanescope::simt
