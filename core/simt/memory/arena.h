// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/base/assert.h"

namespace lanescope::simt {

/// Zero-filled memory that is given back at the end; touched pages only, when there are many.
class Arena {
public:
    explicit Arena(uint64_t bytes) : m_bytes(std::max<uint64_t>(bytes, 64))
    {
        void* memory = nullptr;
        if (isSmall()) {
            memory = std::calloc(m_bytes, 1);
            LS_ASSERT(memory != nullptr);
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
    /// A launch has several, and programs launch by the thousand: asking the kernel for each takes longer than it runs.
    [[nodiscard]] bool isSmall() const { return m_bytes <= 64 * 1024; }

    uint64_t m_bytes;
    std::byte* m_data = nullptr;
};

}  // namespace lanescope::simt
