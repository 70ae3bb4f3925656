// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of a ring: who may write where, and when a page is full. Used by the device's logger and, with host
// atomics, by the tests.
//
// Positions count units and never wrap. A record lies within one page. A writer adds its size to `head`; whoever's
// range crosses into another page fills both of its parts with padding and tries again. A writer then adds its size to
// the page's count; whoever completes it tells the host. A page is written again only after the host has released it.
#pragma once

#include "core/cuda/device_log.h"

namespace lanescope::cuda {

/// \p Machine: fetchAdd, add32 (returns the sum), reset32, loadCached, loadHost, storeHost, fence, fenceHost, pad.
template <typename Machine>
class Ring {
public:
    Ring(Machine& machine, RingDevice* ring, uint32_t pageUnits, uint32_t pageCount)
        : m_machine(machine), m_ring(ring), m_pageUnits(pageUnits), m_pageCount(pageCount)
    {
    }

    /// Position of \p units that the caller may write. Waits while the ring is full.
    uint64_t reserve(uint32_t units)
    {
        for (;;) {
            const uint64_t position = m_machine.fetchAdd(&m_ring->head, units);
            const uint64_t page = position / m_pageUnits;
            const uint64_t end = (page + 1) * m_pageUnits;
            waitUntilFree(page);
            if (position + units <= end)
                return position;
            pad(position, static_cast<uint32_t>(end - position));
            waitUntilFree(page + 1);
            pad(end, static_cast<uint32_t>(position + units - end));
        }
    }

    /// Where the unit at \p position lies.
    char* at(uint64_t position) const
    {
        const uint64_t inRing = position % (uint64_t{m_pageUnits} * m_pageCount);
        return reinterpret_cast<char*>(m_ring->units) + inRing * kUnitBytes;
    }

    /// All of a record has been written (by whomever the caller has synchronised with).
    void commit(uint64_t position, uint32_t units)
    {
        const uint64_t page = position / m_pageUnits;
        const uint64_t slot = page % m_pageCount;
        auto* committed = reinterpret_cast<uint32_t*>(m_ring->pageUnitsCommitted) + slot;
        m_machine.fence();
        if (m_machine.add32(committed, units) != m_pageUnits)
            return;
        // Nobody writes here before the host releases the page.
        m_machine.reset32(committed);
        m_machine.fenceHost();
        auto* host = reinterpret_cast<RingHost*>(m_ring->host);
        m_machine.storeHost(reinterpret_cast<uint64_t*>(host->full) + slot, page + 1);
    }

private:
    void waitUntilFree(uint64_t page)
    {
        if (page < m_machine.loadCached(&m_ring->released) + m_pageCount)
            return;
        auto* host = reinterpret_cast<RingHost*>(m_ring->host);
        uint64_t released = m_machine.loadHost(&host->released);
        while (page >= released + m_pageCount)
            released = m_machine.loadHost(&host->released);
        m_machine.storeCached(&m_ring->released, released);
    }

    void pad(uint64_t position, uint32_t units)
    {
        for (uint32_t done = 0; done < units;) {
            const uint32_t piece = units - done < 255 ? units - done : 255;
            m_machine.pad(at(position + done), tagOf(position + done), static_cast<uint8_t>(piece));
            done += piece;
        }
        commit(position, units);
    }

    Machine& m_machine;
    RingDevice* m_ring;
    uint32_t m_pageUnits;
    uint32_t m_pageCount;
};

}  // namespace lanescope::cuda
