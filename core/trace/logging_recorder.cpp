// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/logging_recorder.h"

#include <algorithm>

#include "core/base/assert.h"

namespace lanescope::trace {

namespace {

/// Blocks of a kernel differ where they touch an edge of its data.
constexpr size_t kMostKnown = 8;
constexpr size_t kMostKnownBytes = 16 << 20;
/// After so many parts that were none of those known, only each of so many becomes known.
constexpr size_t kManyMisses = 16;

}  // namespace

void LoggingRecorder::start(LaunchId launch, BlockIndex block, uint32_t threads, std::span<const DividedBuffer> divided)
{
    m_parts.clear();
    if (launch != m_chunks.launch()) {
        forget(0);
        m_misses = 0;
    }
    m_chunks.start(launch, block, threads);
    m_divided = divided;
    m_dividing.reset();
    if (!divided.empty())
        m_dividing.emplace(m_chunks, divided);
    m_log.open();
    m_log.clear();
    m_tallied = 0;
    m_isTold = true;
    ++m_block;
}

void LoggingRecorder::finish()
{
    settle();
    if (m_isTold && !m_parts.empty() && m_parts.back().moves.empty())
        m_parts.back().known->isLast = true;
    if (findTallyMoves() && m_chunks.finishMoved([this](SiteId site) { return m_tallyMoves[site.value].value_or(0); },
                                                 m_parts.back().known->kinds))
        return;
    while (m_tallied < m_parts.size())
        tally(m_parts[m_tallied++]);
    m_chunks.finish();
    noteTally();
}

void LoggingRecorder::keepFresh()
{
    if (!m_chunks.isStale())
        return;
    settle();
    m_chunks.handOver();
}

/// What is in the log becomes a part.
void LoggingRecorder::settle()
{
    if (m_log.events().empty())
        return;
    const std::shared_ptr<KnownPart> known = m_chunks.mayAddMoved(m_log.steps()) ? find() : nullptr;
    if (!known) {
        encode();
        return;
    }
    m_misses = 0;
    m_chunks.addMoved(*known->part, known->place, m_log, m_moves);
    m_parts.push_back({known, m_moves});
    m_log.clear();
}

std::shared_ptr<KnownPart> LoggingRecorder::find()
{
    forgetOtherChunks();
    const auto found =
        std::ranges::find_if(m_known, [&](const auto& known) { return known->part->findMoves(m_log, m_moves); });
    if (found == m_known.end())
        return nullptr;
    std::rotate(m_known.begin(), found, found + 1);
    return m_known.front();
}

void LoggingRecorder::encode()
{
    // In order.
    while (m_tallied < m_parts.size())
        tally(m_parts[m_tallied++]);
    const uint32_t before = m_chunks.parts();
    replay(m_log, inner(), [](size_t) { return 0U; });
    m_chunks.endPart();
    const std::optional<size_t> place = m_chunks.latestPart();
    const bool isOne = m_chunks.parts() == before + 1 && place && m_chunks.partAt(*place).events == m_log.steps();
    ++m_misses;
    if (isOne && (m_misses < kManyMisses || m_misses % kManyMisses == 0))
        keep(*place);
    else
        m_isTold = false;
    if (!m_log.isOpen() && !m_spare.empty()) {
        m_log = std::move(m_spare.back());
        m_spare.pop_back();
    }
    m_log.open();
    m_log.clear();
}

/// What is in the log, and stands at \p place, becomes known.
void LoggingRecorder::keep(size_t place)
{
    const auto isDivided = [&](BufferId buffer) {
        return std::ranges::find(m_divided, buffer, &DividedBuffer::whole) != m_divided.end();
    };
    const auto part = ToldPart::of(m_log, isDivided,
                                   [&](SiteId site, BufferId buffer) { return m_chunks.isWrittenApart(site, buffer); });
    if (!part) {
        m_isTold = false;
        return;
    }
    auto known = std::make_shared<KnownPart>(
        KnownPart{part, m_chunks.chunk(), place, m_block, m_chunks.parts() - 1, false, 0, {}, {}});
    forgetOtherChunks();
    m_known.insert(m_known.begin(), known);
    size_t bytes = 0;
    size_t kept = 0;
    while (kept < m_known.size() && kept < kMostKnown &&
           (kept == 0 || bytes + m_known[kept]->part->bytes() <= kMostKnownBytes))
        bytes += m_known[kept++]->part->bytes();
    forget(kept);
    m_parts.push_back({std::move(known), {}});
    m_tallied = m_parts.size();
}

void LoggingRecorder::forgetOtherChunks()
{
    if (!m_known.empty() && m_known.front()->chunk != m_chunks.chunk())
        forget(0);
}

/// All known parts from number \p from on.
void LoggingRecorder::forget(size_t from)
{
    for (size_t i = from; i < m_known.size(); ++i)
        if (m_known[i].use_count() == 1 && m_spare.size() < kMostKnown)
            m_spare.push_back(m_known[i]->part->takeLog());
    m_known.resize(from);
}

/// Enters what a moved part has in the block's tally.
void LoggingRecorder::tally(const Part& part)
{
    m_chunks.tallyOnly(true);
    const ToldPart& told = *part.known->part;
    replay(told.log(), inner(), [&](size_t event) { return told.moveOf(event, part.moves); });
    m_chunks.tallyOnly(false);
}

/// Whether the block's parts are one block's, all of them: its own, or another one's.
bool LoggingRecorder::isOneBlock() const
{
    if (!m_isTold || m_parts.empty() || !m_parts.back().known->isLast)
        return false;
    for (size_t i = 0; i < m_parts.size(); ++i)
        if (m_parts[i].known->number != i || m_parts[i].known->block != m_parts.front().known->block)
            return false;
    return true;
}

/// Whether all that the block does is what one before it has done, moved, whose tally others are told by: then how far.
bool LoggingRecorder::findTallyMoves()
{
    const uint64_t reference = m_chunks.tally().reference();
    if (m_tallied != 0 || reference == 0 || !isOneBlock())
        return false;
    m_tallyMoves.clear();
    for (size_t i = 0; i < m_parts.size(); ++i) {
        const KnownPart& known = *m_parts[i].known;
        if (known.tally != reference)
            return false;
        const std::span<const ToldPart::Slot> moving = known.part->siteSlots();
        for (size_t slot = 0; slot < moving.size(); ++slot) {
            if (!moving[slot].isInTally)
                continue;
            const SiteId site = moving[slot].site;
            if (site.value >= m_tallyMoves.size())
                m_tallyMoves.resize(site.value + size_t{1});
            const auto move = known.moves[slot] + static_cast<uint32_t>(m_parts[i].moves[slot].place);
            if (m_tallyMoves[site.value].value_or(move) != move)
                return false;
            m_tallyMoves[site.value] = move;
        }
    }
    return true;
}

/// How the block's parts, or rather those of the block that it is, are to the tally that others are told by.
void LoggingRecorder::noteTally()
{
    if (!isOneBlock())
        return;
    const TallyCollector& tally = m_chunks.tally();
    for (const Part& part : m_parts) {
        KnownPart& known = *part.known;
        const std::span<const ToldPart::Slot> moving = known.part->siteSlots();
        known.tally = tally.reference();
        if (part.moves.empty() && known.isLast)
            known.kinds.assign(tally.latestKinds().begin(), tally.latestKinds().end());
        known.moves.assign(moving.size(), 0);
        for (size_t slot = 0; slot < moving.size() && known.tally != 0; ++slot) {
            if (!moving[slot].isInTally)
                continue;
            const std::optional<uint32_t> move = tally.latestMoveOf(moving[slot].site);
            known.moves[slot] =
                move.value_or(0) - (part.moves.empty() ? 0 : static_cast<uint32_t>(part.moves[slot].place));
            if (!move)
                known.tally = 0;
        }
    }
}

}  // namespace lanescope::trace
