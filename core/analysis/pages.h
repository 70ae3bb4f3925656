// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list of plain values that grows without being copied: of millions of them a vector that doubles would hold three
// times what is in it.
#pragma once

#include <memory>
#include <vector>

namespace lanescope::analysis {

template <typename T, size_t kEach = size_t{1} << 14>
class Pages {
public:
    [[nodiscard]] size_t size() const { return m_size; }
    void push_back(const T& value)
    {
        if (m_size % kEach == 0)
            m_pages.push_back(std::make_unique_for_overwrite<T[]>(kEach));
        m_pages.back()[m_size % kEach] = value;
        ++m_size;
    }
    [[nodiscard]] const T& operator[](size_t at) const { return m_pages[at / kEach][at % kEach]; }
    [[nodiscard]] T& operator[](size_t at) { return m_pages[at / kEach][at % kEach]; }

private:
    std::vector<std::unique_ptr<T[]>> m_pages;
    size_t m_size = 0;
};

}  // namespace lanescope::analysis
