// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How pages change hands between warps and the host. Used by the device's logger and, with host atomics, by the tests.
//
// A page belongs to one writer at a time, who needs no atomics to write in it. Between two records a warp's page lies
// in the warp's slot; lanes that have parted from the others take it from there or, if those have it, begin another
// one. Who finds his page full hands it to the host and begins a page that the host has emptied, waiting for one if
// need be. Nobody waits with a page in his hands: with more pages than warps that can be resident, all go on.
#pragma once

#include "core/cuda/device_log.h"

namespace lanescope::cuda {

/// \p Machine: pool() (a reference to the PagePool), fetchAdd, exchange and compareExchange of the device's memory,
/// loadHost, storeHost, fenceHost, pause.
template <typename Machine>
class PageWriter {
public:
    PageWriter(Machine machine, uint32_t queue) : m_machine(machine), m_queue(queue) {}

    /// \p page, if so much still fits in it; else that one is handed over and the result is a fresh one.
    OpenPage withRoomFor(uint32_t units, OpenPage page)
    {
        if (hasRoomFor(units, page))
            return page;
        if (page.word != 0)
            handOver(page);
        return begin();
    }
    bool hasRoomFor(uint32_t units, OpenPage page) const
    {
        return page.word != 0 && page.units() + units <= m_machine.pool().pageUnits;
    }

    /// Where the next record of \p page goes.
    char* at(OpenPage page) const
    {
        const uint32_t unit = page.number() * m_machine.pool().pageUnits + page.units();
        return (char*)m_machine.pool().pages + (uint64_t)unit * kUnitBytes;
    }

    /// By lanes that may not be the only ones of their warp.
    OpenPage takeFrom(uint64_t* slot) { return {m_machine.exchange(slot, 0)}; }
    void putBack(uint64_t* slot, OpenPage page)
    {
        if (!m_machine.compareExchange(slot, 0, page.word))
            handOver(page);
    }

    /// All of the page's records have been written, by whomever the caller has synchronised with.
    void handOver(OpenPage page)
    {
        m_machine.fenceHost();
        const uint64_t ticket = m_machine.fetchAdd((uint64_t*)m_machine.pool().writtenEnd + m_queue, 1);
        auto* queue = (uint64_t*)m_machine.pool().written + (uint64_t)m_queue * m_machine.pool().pageCount;
        m_machine.storeHost(queue + ticket % m_machine.pool().pageCount, page.word);
    }

private:
    OpenPage begin()
    {
        const uint64_t ticket = m_machine.fetchAdd((uint64_t*)m_machine.pool().taken, 1);
        const uint64_t use = m_machine.pool().firstUse + ticket;
        if (ticket < m_machine.pool().pageCount)
            return OpenPage::of(use, ticket);
        auto* entry = (uint64_t*)m_machine.pool().freed + use % m_machine.pool().freedCount;
        for (;;) {
            const OpenPage page{m_machine.loadHost(entry)};
            if (page.word != 0 && page.use() == (uint32_t)use) {
                m_machine.storeHost(entry, 0);
                return page;
            }
            m_machine.pause();
        }
    }

    Machine m_machine;
    uint32_t m_queue;
};

}  // namespace lanescope::cuda
