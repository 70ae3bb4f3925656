// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handles that a program holds: whatever it passes us, we know whether it is one of ours.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>

namespace lanescope::runtime {

/// Owns objects and knows their addresses. Used under the runtime's lock.
template <class T>
class HandleSet {
public:
    template <class... Arguments>
    T* create(Arguments&&... arguments)
    {
        auto object = std::make_unique<T>(std::forward<Arguments>(arguments)...);
        T* handle = object.get();
        m_objects.emplace(handle, std::move(object));
        return handle;
    }
    [[nodiscard]] bool has(const T* handle) const { return m_objects.count(handle) > 0; }
    [[nodiscard]] bool any() const { return !m_objects.empty(); }
    /// False when it is none of ours.
    bool destroy(const T* handle) { return m_objects.erase(handle) > 0; }

private:
    std::unordered_map<const T*, std::unique_ptr<T>> m_objects;
};

/// Handles of one kind; never destroyed, as the program's static destructors may still use them.
template <class T>
HandleSet<T>& handles()
{
    static auto* const all = new HandleSet<T>;
    return *all;
}

}  // namespace lanescope::runtime
