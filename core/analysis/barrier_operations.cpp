// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/barrier_operations.h"

#include <bit>
#include <cstring>

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using Kind = BarrierOperation::Kind;

AsyncKind asyncKindOf(const trace::Site& site)
{
    const std::string_view name = site.instruction;
    if (name.starts_with("mbarrier.init"))
        return AsyncKind::Init;
    if (name.starts_with("mbarrier.test_wait") || name.starts_with("mbarrier.try_wait"))
        return AsyncKind::Wait;
    if (name.starts_with("mbarrier."))
        return AsyncKind::Barrier;
    if (name.starts_with("cp."))
        return AsyncKind::Copy;
    if (name.starts_with("wgmma.") || name.starts_with("mma."))
        return AsyncKind::Product;
    if (name.starts_with("ldmatrix.") || name.starts_with("stmatrix."))
        return AsyncKind::Matrix;
    return AsyncKind::None;
}

BarrierOperations::BarrierOperations(const trace::Catalog& catalog)
{
    m_kinds.reserve(catalog.sites.size());
    for (const trace::Site& site : catalog.sites)
        m_kinds.push_back(asyncKindOf(site));
}

bool BarrierOperations::isBarrier(BufferId buffer, uint64_t offset) const
{
    constexpr uint64_t kBytes = 8;
    return m_numbers.contains({buffer.value, offset / kBytes * kBytes});
}

/// The difference of the words says what was done: operations only add.
void BarrierOperations::update(Object& object, uint32_t number, int lane, uint64_t word)
{
    Object after = object;
    after.word = word;
    const auto add = [&](Kind kind, uint64_t amount) {
        m_found.push_back({kind, number, lane, amount, object.phase()});
    };
    if (after.phase() != object.phase()) {
        add(Kind::Flip, 0);
    } else {
        const int64_t bytes = after.bytes() - object.bytes();
        if (bytes > 0)
            add(Kind::Expect, static_cast<uint64_t>(bytes));
        if (after.pending() < object.pending())
            add(Kind::Arrive, object.pending() - after.pending());
        if (bytes < 0)
            add(Kind::Came, static_cast<uint64_t>(-bytes));
    }
    object = after;
}

std::span<const BarrierOperation> BarrierOperations::of(const Event& event)
{
    m_found.clear();
    const AsyncKind kind = event.isAccess() ? m_kinds[event.site.value] : AsyncKind::None;
    const bool mayBe = kind == AsyncKind::Init || kind == AsyncKind::Barrier || kind == AsyncKind::Wait ||
                       (kind == AsyncKind::Copy && event.kind == SiteKind::Atomic);
    if (!mayBe)
        return {};
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<size_t>(lane);
        const std::pair key(event.bufferOf(lane).value, event.offset[at]);
        const auto known = m_numbers.find(key);
        // What a copy adds to atomically need be no barrier: it may be what it is reduced into.
        if (known == m_numbers.end() && (kind == AsyncKind::Copy || event.bufferOf(lane) == kNoBuffer))
            continue;
        const auto number = known == m_numbers.end() ? static_cast<uint32_t>(m_objects.size()) : known->second;
        if (known == m_numbers.end()) {
            m_numbers.emplace(key, number);
            m_objects.push_back({event.bufferOf(lane), event.offset[at], 0});
        }
        uint64_t word = 0;
        std::memcpy(&word, event.value[at].data(), sizeof word);
        const bool isKnown = event.valuesKnown && event.valueBytes == sizeof word;
        Object& object = m_objects[number];
        if (kind == AsyncKind::Wait) {
            // Other blocks of a cluster do not tell what they did to it, but the word does.
            if (isKnown && word != object.word)
                update(object, number, lane, word);
            m_found.push_back({Kind::Poll, number, lane, 0, object.phase()});
        } else if (kind == AsyncKind::Init && isKnown) {
            object.word = word;
            m_found.push_back({Kind::Init, number, lane, object.expected(), object.phase()});
        } else if (isKnown) {
            update(object, number, lane, word);
        }
    }
    return m_found;
}

}  // namespace lanescope::analysis
