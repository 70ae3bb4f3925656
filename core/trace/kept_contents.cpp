// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/kept_contents.h"

#include <algorithm>
#include <utility>

#include "core/trace/chunk_packer.h"
#include "core/trace/content_hash.h"

namespace lanescope::trace {

namespace {

constexpr size_t kPieceBytes = 4 << 20;

}  // namespace

std::vector<KeptContents::Hash> KeptContents::pagesOf(std::span<const uint8_t> bytes)
{
    std::vector<Hash> pages;
    pages.reserve(bytes.size() / kPageBytes + 1);
    for (size_t at = 0; at < bytes.size(); at += kPageBytes)
        pages.push_back(contentHash(std::as_bytes(bytes.subspan(at, std::min(kPageBytes, bytes.size() - at)))));
    return pages;
}

uint64_t KeptContents::bytesThatDiffer(std::span<const Hash> a, std::span<const Hash> b)
{
    uint64_t pages = 0;
    for (size_t i = 0; i < a.size(); ++i)
        pages += i < b.size() && a[i] == b[i] ? 0 : 1;
    return pages * kPageBytes;
}

/// The pages that are not \p before's, where there are as many; else all.
void KeptContents::putPieces(uint64_t content, ContentPart part, std::span<const uint8_t> bytes,
                             std::span<const Hash> pages, std::span<const Hash> before,
                             std::vector<ContentPiece>& pieces)
{
    Compressor compressor;
    const auto isNew = [&](size_t page) { return before.size() != pages.size() || pages[page] != before[page]; };
    for (size_t page = 0; page < pages.size();) {
        if (!isNew(page)) {
            ++page;
            continue;
        }
        const size_t first = page;
        while (page < pages.size() && isNew(page) && (page - first) * kPageBytes < kPieceBytes)
            ++page;
        const size_t at = first * kPageBytes;
        const auto raw = bytes.subspan(at, std::min(page * kPageBytes, bytes.size()) - at);
        ByteColumn packed;
        compressor.putSection(packed, raw);
        pieces.push_back({content, part, raw.size(), {packed.data(), packed.data() + packed.size()}, at});
    }
}

KeptContents::Found KeptContents::add(BufferId buffer, std::span<const uint8_t> bytes,
                                      std::span<const uint8_t> initialised)
{
    Latest now{{}, bytes.size(), initialised.size(), pagesOf(bytes), pagesOf(initialised)};
    const Hash hash = contentHash(std::as_bytes(std::span(now.pages)));
    const Hash bits = contentHash(std::as_bytes(std::span(now.initialised)));
    const auto [at, isNew] = m_kept.try_emplace({hash[0], hash[1], bits[0], bits[1]});
    Kept& kept = at->second;
    Latest& before = m_latest[buffer];
    Found found;
    if (isNew) {
        kept.id = m_kept.size();
        const uint64_t differs = bytesThatDiffer(now.pages, before.pages) +  //
                                 bytesThatDiffer(now.initialised, before.initialised);
        const bool isPatch = before.kept.id != 0 && before.bytes == now.bytes &&
                             before.initialisedBytes == now.initialisedBytes && before.kept.bases < kMostBases &&
                             before.kept.patched + differs <= now.bytes / 2;
        if (isPatch) {
            kept.bases = before.kept.bases + 1;
            kept.patched = before.kept.patched + differs;
        }
        found.stored = Stored{{kept.id, now.bytes, now.initialisedBytes, isPatch ? before.kept.id : 0}, {}};
        const std::span<const Hash> none;
        putPieces(kept.id, ContentPart::Bytes, bytes, now.pages, isPatch ? before.pages : none, found.stored->pieces);
        putPieces(kept.id, ContentPart::Initialised, initialised, now.initialised, isPatch ? before.initialised : none,
                  found.stored->pieces);
    }
    found.id = kept.id;
    now.kept = kept;
    m_hashes += now.hashes() - before.hashes();
    before = std::move(now);
    if (m_hashes > kMostHashes) {
        m_latest.clear();
        m_hashes = 0;
    }
    return found;
}

}  // namespace lanescope::trace
