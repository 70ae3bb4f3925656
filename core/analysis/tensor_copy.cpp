// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/tensor_copy.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>

#include <fmt/format.h>

#include "core/trace/remote_shared.h"

namespace lanescope::analysis {

using device::TensorMap;
using trace::Event;
using trace::SiteKind;
using trace::Space;

bool isTensorCopy(const trace::Site& site)
{
    return site.instruction.find("async.bulk.tensor") != std::string::npos;
}

namespace {

constexpr uint32_t kPieceBytes = 16;

struct NamedMap {
    TensorMap map;
    std::string parameter;
};

/// Among what the kernel was given.
std::vector<NamedMap> mapsOf(replay::Session& session, LaunchId launch)
{
    std::vector<NamedMap> found;
    for (const trace::Buffer& buffer : session.catalog().buffers) {
        if (buffer.space != Space::Constant || buffer.bytes < TensorMap::kBytes)
            continue;
        const auto contents = session.reader().initialContents(launch, buffer.id);
        if (!contents)
            continue;
        constexpr size_t kAlignment = 64;  // of CUtensorMap
        const std::span<const std::byte> bytes(contents.value().bytes);
        for (size_t at = 0; at + TensorMap::kBytes <= bytes.size(); at += kAlignment)
            if (const auto map = device::readTensorMap(bytes.subspan(at, TensorMap::kBytes)))
                found.push_back({*map, buffer.name});
    }
    return found;
}

/// Rows of the box, each of its innermost extent.
uint32_t rowsOf(const TensorMap& map)
{
    if (map.isIm2col)
        return map.pixels;
    uint32_t rows = 1;
    for (unsigned i = 1; i < map.rank; ++i)
        rows *= map.taken(i);
    return rows;
}

uint32_t rowPiecesOf(const TensorMap& map)
{
    return map.rowBytes() / kPieceBytes;
}

/// "cp.async.bulk.tensor.4d.shared::cluster.global.im2col…" goes by maps of 4 dimensions for im2col.
bool goesBy(const std::string& instruction, const TensorMap& map)
{
    return instruction.find(fmt::format(".tensor.{}d", map.rank)) != std::string::npos &&
           map.isIm2col == (instruction.find(".im2col") != std::string::npos);
}

/// Whether an address lies in the tensor; gaps between its rows count to it.
bool spans(const TensorMap& map, uint64_t address)
{
    uint64_t bytes = map.extents[0] * map.innermostBytes();
    for (unsigned i = 1; i < map.rank; ++i)
        bytes = std::max(bytes, map.strides[i - 1] * map.extents[i]);
    return address >= map.address && address < map.address + bytes;
}

/// Coordinates of an element, the innermost first. Strides ascend in all layouts that are not broadcasts.
std::array<int64_t, TensorMap::kMostDimensions> coordinatesOf(const TensorMap& map, uint64_t address)
{
    std::array<int64_t, TensorMap::kMostDimensions> at{};
    uint64_t rest = address - map.address;
    std::vector<unsigned> order;
    for (unsigned i = 1; i < map.rank; ++i)
        order.push_back(i);
    std::ranges::sort(order, [&](unsigned a, unsigned b) { return map.strides[a - 1] > map.strides[b - 1]; });
    for (const unsigned i : order) {
        at[i] = map.strides[i - 1] == 0 ? 0 : static_cast<int64_t>(rest / map.strides[i - 1]);
        rest -= static_cast<uint64_t>(at[i]) * map.strides[i - 1];
    }
    at[0] = static_cast<int64_t>(rest / map.innermostBytes());
    return at;
}

class CopyCollector {
public:
    CopyCollector(const trace::Catalog& catalog, std::vector<NamedMap> maps)
        : m_catalog(catalog), m_maps(std::move(maps))
    {
        for (const trace::Site& site : catalog.sites)
            m_isTensors.push_back(isTensorCopy(site));
    }

    void add(StepIndex step, const Event& event)
    {
        if (!event.isAccess() || !m_isTensors[event.site.value] || event.mask == 0) {
            if (const auto open = m_open.find(event.warp); open != m_open.end())
                close(open->second);
            return;
        }
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
            addAccess(step, event, std::countr_zero(rest));
    }

    std::vector<TensorCopy> finish()
    {
        for (auto& [warp, open] : m_open)
            close(open);
        std::ranges::sort(m_copies, {}, &TensorCopy::first);
        return std::move(m_copies);
    }

private:
    struct Open {
        std::optional<TensorCopy> copy;
        std::optional<TensorPiece> piece;  ///< of which one side is known
    };

    [[nodiscard]] static bool isReduction(const trace::Site& site) { return site.instruction.starts_with("cp.reduce"); }

    void addAccess(StepIndex step, const Event& event, int lane)
    {
        Open& open = m_open[event.warp];
        const trace::Site& site = m_catalog.sites[event.site.value];
        const uint64_t offset = event.offset[static_cast<size_t>(lane)];
        const BufferId buffer = event.bufferOf(lane);
        const bool isShared = buffer == kNoBuffer ? trace::remoteShared(offset).has_value()
                                                  : m_catalog.buffers[buffer.value].space == Space::Shared;
        // What the barrier is told comes behind the box.
        if (isShared && event.kind == SiteKind::Atomic)
            return close(open);
        const bool isOther = open.copy && (open.copy->lane != lane || open.copy->instruction != site.instruction ||
                                           siteLineOf(*open.copy) != siteLineOf(site));
        if (isOther)
            close(open);
        if (!open.copy)
            begin(open, step, event, lane, site);
        open.copy->last = step;
        isShared ? addShared(open, step, event, buffer, offset) : addGlobal(open, step, event, buffer, offset);
        if (open.copy->map && open.copy->pieces.size() == piecesOf(*open.copy->map) && !open.piece)
            close(open);
    }

    [[nodiscard]] static std::pair<uint32_t, uint32_t> siteLineOf(const trace::Site& site)
    {
        return {site.where.source.value, site.where.line};
    }
    [[nodiscard]] std::pair<uint32_t, uint32_t> siteLineOf(const TensorCopy& copy) const
    {
        return siteLineOf(m_catalog.sites[copy.site.value]);
    }

    static uint64_t piecesOf(const TensorMap& map) { return uint64_t{rowsOf(map)} * rowPiecesOf(map); }

    void begin(Open& open, StepIndex step, const Event& event, int lane, const trace::Site& site)
    {
        TensorCopy copy;
        // global before shared::cta: a store.
        const size_t toGlobal = site.instruction.find(".global");
        const size_t toShared = site.instruction.find(".shared");
        copy.way = isReduction(site)     ? TensorCopy::Way::Reduce
                   : toGlobal < toShared ? TensorCopy::Way::Store
                                         : TensorCopy::Way::Load;
        copy.site = event.site;
        copy.instruction = site.instruction;
        copy.warp = event.warp;
        copy.lane = lane;
        copy.first = step;
        open.copy = std::move(copy);
        open.piece.reset();
    }

    /// A load's piece ends with what it writes to shared memory, another one's begins with what it reads there.
    void addShared(Open& open, StepIndex step, const Event& event, BufferId buffer, uint64_t offset)
    {
        TensorCopy& copy = *open.copy;
        if (copy.way != TensorCopy::Way::Load)
            pushPiece(open);
        TensorPiece piece = open.piece.value_or(TensorPiece{{}, {}, 0, step});
        if (buffer == kNoBuffer) {
            const trace::RemoteShared place = *trace::remoteShared(offset);
            if (copy.targets.empty())
                copy.targets.push_back(place.rank);
            piece.shared = place.offset;
        } else {
            copy.shared = buffer;
            piece.shared = offset;
        }
        open.piece = piece;
        if (copy.way == TensorCopy::Way::Load)
            pushPiece(open);
        else
            open.piece->bytes = event.valueBytes;
    }

    void addGlobal(Open& open, StepIndex step, const Event& event, BufferId buffer, uint64_t offset)
    {
        TensorCopy& copy = *open.copy;
        if (buffer == kNoBuffer)
            return;
        const uint64_t address = m_catalog.buffers[buffer.value].deviceAddress + offset;
        copy.tensor = buffer;
        if (copy.way == TensorCopy::Way::Load && open.piece)
            pushPiece(open);
        if (!open.piece)
            open.piece = TensorPiece{{}, {}, 0, step};
        if (!open.piece->global)
            open.piece->global = address;
        if (copy.way == TensorCopy::Way::Load)
            open.piece->bytes = event.valueBytes;
    }

    static void pushPiece(Open& open)
    {
        if (open.piece)
            open.copy->pieces.push_back(*open.piece);
        open.piece.reset();
    }

    void close(Open& open)
    {
        if (!open.copy)
            return;
        pushPiece(open);
        TensorCopy copy = std::move(*open.copy);
        open.copy.reset();
        findMap(copy);
        findCorner(copy);
        if (!joins(copy))
            m_copies.push_back(std::move(copy));
    }

    /// Of the maps that the instruction can go by and whose tensor the box is in, the first of which a box is as large,
    /// else the first: a store leaves out what is outside. A box that lies outside as a whole is told by its size
    /// alone.
    void findMap(TensorCopy& copy) const
    {
        const auto inside =
            std::ranges::find_if(copy.pieces, [](const TensorPiece& piece) { return piece.global.has_value(); });
        std::vector<const NamedMap*> possible, asLarge;
        for (const NamedMap& named : m_maps) {
            if (!goesBy(copy.instruction, named.map) ||
                (inside != copy.pieces.end() && !spans(named.map, *inside->global)))
                continue;
            possible.push_back(&named);
            if (piecesOf(named.map) == copy.pieces.size())
                asLarge.push_back(&named);
        }
        if (inside == copy.pieces.end() ? asLarge.size() != 1 : possible.empty())
            return;
        const NamedMap& named = asLarge.empty() ? *possible.front() : *asLarge.front();
        copy.map = named.map;
        copy.parameter = named.parameter;
    }

    static void findPixels(TensorCopy& copy, uint32_t rowPieces)
    {
        for (size_t row = 0; row < copy.pieces.size(); row += rowPieces) {
            auto& pixel = copy.pixels.emplace_back();
            for (size_t i = row; i < row + rowPieces && !pixel; ++i)
                if (copy.pieces[i].global)
                    pixel = coordinatesOf(*copy.map, *copy.pieces[i].global);
        }
    }

    static void findCorner(TensorCopy& copy)
    {
        const uint32_t rowPieces = copy.map ? rowPiecesOf(*copy.map) : 0;
        // A store has no pieces of what is outside, so that only a whole box tells which is which.
        if (rowPieces == 0 || copy.pieces.size() != piecesOf(*copy.map))
            return;
        if (copy.map->isIm2col)
            return findPixels(copy, rowPieces);
        for (size_t i = 0; i < copy.pieces.size(); ++i) {
            const TensorPiece& piece = copy.pieces[i];
            if (!piece.global || piece.bytes != kPieceBytes)
                continue;
            copy.corner = coordinatesOf(*copy.map, *piece.global);
            const uint64_t before = i % rowPieces * kPieceBytes / copy.map->innermostBytes();
            copy.corner[0] -=
                static_cast<int64_t>(before * (copy.map->isInterleaved() ? copy.map->elementStrides[0] : 1));
            uint64_t row = i / rowPieces;
            for (unsigned axis = 1; axis < copy.map->rank; ++axis) {
                const uint64_t count = copy.map->taken(axis);
                copy.corner[axis] -= static_cast<int64_t>(row % count * copy.map->elementStrides[axis]);
                row /= count;
            }
            copy.isCornerKnown = true;
            return;
        }
    }

    /// The same box goes to one block after the other: one copy, to all of them.
    bool joins(TensorCopy& copy)
    {
        if (m_copies.empty())
            return false;
        TensorCopy& last = m_copies.back();
        const bool isSame =
            last.warp == copy.warp && last.lane == copy.lane && last.instruction == copy.instruction &&
            siteLineOf(last) == siteLineOf(copy) && last.pieces.size() == copy.pieces.size() &&
            copy.instruction.find("multicast") != std::string::npos &&
            std::ranges::equal(last.pieces, copy.pieces, {}, &TensorPiece::global, &TensorPiece::global) &&
            (!last.shared || !copy.shared) && copy.targets != last.targets;
        if (!isSame)
            return false;
        if (copy.shared) {
            last.shared = copy.shared;
            last.pieces = std::move(copy.pieces);
        }
        last.targets.insert(last.targets.end(), copy.targets.begin(), copy.targets.end());
        std::ranges::sort(last.targets);
        last.last = copy.last;
        return true;
    }

    const trace::Catalog& m_catalog;
    std::vector<NamedMap> m_maps;
    std::vector<bool> m_isTensors;    ///< by site
    std::map<uint16_t, Open> m_open;  ///< by warp
    std::vector<TensorCopy> m_copies;
};

}  // namespace

Result<std::vector<TensorCopy>> traceTensorCopies(replay::Session& session, LaunchId launch, BlockIndex block)
{
    const trace::Catalog& catalog = session.catalog();
    if (std::ranges::none_of(catalog.sites, isTensorCopy))
        return std::vector<TensorCopy>{};
    CopyCollector collector(catalog, mapsOf(session, launch));
    const Result<void> read = session.reader().visit(launch, block, 0, UINT64_MAX, trace::Detail::Places,
                                                     [&](StepIndex step, const Event& event) {
                                                         collector.add(step, event);
                                                         return true;
                                                     });
    if (!read.ok())
        return read.error();
    return collector.finish();
}

}  // namespace lanescope::analysis
