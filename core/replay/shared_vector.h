// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large contents that are mostly handed on as they are.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace lanescope::replay {

/// A vector whose copies have the same elements until one of them is written to, which then gets its own. A copy may be
/// read on another thread while this one is written to.
template <typename T>
class SharedVector {
public:
    SharedVector() : m_elements(std::make_shared<std::vector<T>>()) {}
    explicit SharedVector(std::vector<T> elements) : m_elements(std::make_shared<std::vector<T>>(std::move(elements)))
    {
    }

    [[nodiscard]] const T* data() const { return m_elements->data(); }
    [[nodiscard]] size_t size() const { return m_elements->size(); }
    [[nodiscard]] bool empty() const { return m_elements->empty(); }
    [[nodiscard]] auto begin() const { return m_elements->cbegin(); }
    [[nodiscard]] auto end() const { return m_elements->cend(); }
    const T& operator[](size_t index) const { return (*m_elements)[index]; }
    /// Whether they are known to be the same, without a look at any.
    [[nodiscard]] bool isSharedWith(const SharedVector& other) const { return m_elements == other.m_elements; }

    /// To be changed, until the next copy is made.
    std::vector<T>& write()
    {
        if (m_elements.use_count() > 1)
            m_elements = std::make_shared<std::vector<T>>(*m_elements);
        std::atomic_thread_fence(std::memory_order_acquire);  // who had the others has read them
        return *m_elements;
    }

private:
    std::shared_ptr<std::vector<T>> m_elements;
};

}  // namespace lanescope::replay
