// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all blocks of a launch share besides memory: printed text, the heap, the clock.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/simt/memory/device_heap.h"

namespace lanescope::simt {

/// A launch that a thread asked for. Addresses are the device's.
struct RequestedLaunch {
    uint64_t block = 0;
    uint64_t kernel = 0;  ///< address of its code
    Dim3 grid;
    Dim3 blockSize;
    uint64_t sharedBytes = 0;
    uint64_t stream = 0;
    std::vector<std::vector<std::byte>> arguments;
};

/// A box that was copied from a tensor into shared memory.
struct CopiedBox {
    std::array<uint32_t, 5> extents{};  ///< elements, of the innermost dimension first
    uint32_t rank = 0;
    uint32_t elementBytes = 0;
    friend bool operator==(const CopiedBox&, const CopiedBox&) = default;
};

class GridState {
public:
    /// \p clock: where this launch's clocks start, in cycles.
    GridState(DeviceHeap& heap, uint64_t clock, uint64_t blocks) : m_heap(heap), m_clock(clock), m_printed(blocks) {}

    DeviceHeap& heap() { return m_heap; }
    [[nodiscard]] uint64_t clock() const { return m_clock; }

    /// Keeps what \p block printed. \p inOrder: blocks run one at a time, so that text is in its final order.
    void print(uint64_t block, std::string_view text)
    {
        if (m_inOrder)
            m_text += text;
        else
            m_printed[block] += text;
    }
    void setInOrder(bool inOrder) { m_inOrder = inOrder; }
    /// Forgets what blocks said: the launch starts over.
    void restart()
    {
        m_text.clear();
        m_printed.assign(m_printed.size(), {});
        m_failed.clear();
    }
    /// Keeps the message that a failed assertion prints to stderr.
    void failAssertion(uint64_t block, uint32_t thread, const std::string& file, uint32_t line,
                       const std::string& function, const std::string& expression);
    struct FailedAssertion {
        uint64_t block = 0;
        uint32_t thread = 0;
        std::string where;  ///< "file:line: function"
        std::string expression;
    };
    [[nodiscard]] const std::vector<FailedAssertion>& failedAssertions() const { return m_failed; }

    /// Remembers where in their shared memory blocks had boxes copied to. \p address: as of the block itself.
    void noteBox(uint64_t address, const CopiedBox& box)
    {
        const std::scoped_lock lock(m_mutex);
        m_boxes.insert_or_assign(address, box);
    }
    [[nodiscard]] const std::map<uint64_t, CopiedBox>& boxes() const { return m_boxes; }

    /// Keeps a launch to be made. Only of blocks that run one at a time.
    void request(RequestedLaunch launch) { m_requested.push_back(std::move(launch)); }
    /// In the order of the requests; those of all blocks, or only of \p block.
    std::vector<RequestedLaunch> takeRequested();
    std::vector<RequestedLaunch> takeRequested(uint64_t block);
    /// Runs launches at once, for a thread that waits for them; returns the race check's time at their end.
    std::function<uint32_t(std::vector<RequestedLaunch>, uint32_t time)> runNow;

    /// Everything printed, ordered by block unless blocks ran one at a time.
    std::string takeText();

private:
    DeviceHeap& m_heap;
    uint64_t m_clock;
    bool m_inOrder = true;
    std::string m_text;
    std::vector<std::string> m_printed;
    std::mutex m_mutex;
    std::vector<FailedAssertion> m_failed;
    std::vector<RequestedLaunch> m_requested;
    std::map<uint64_t, CopiedBox> m_boxes;  ///< the latest, by address
};

}  // namespace lanescope::simt
