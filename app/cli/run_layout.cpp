// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_layout.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "core/analysis/run_layout.h"
#include "core/layout/layout.h"

namespace lanescope::cli {

namespace {

using analysis::AccessLayout;
using analysis::RunLayout;

/// Where the run differs from a typed layout.
struct Comparison {
    uint64_t elements = 0;
    uint64_t different = 0;
    std::optional<std::pair<uint32_t, uint32_t>> first;  ///< row and column
    int expected = 0;                                    ///< there
};

Result<Comparison> compare(const RunLayout& layout, const std::string& expression)
{
    const Result<layout::View> view = layout::evaluate(expression);
    if (!view)
        return view.error();
    if (view.value().rows() != static_cast<int>(layout.rows) || view.value().cols() != static_cast<int>(layout.cols))
        return Error{Error::Code::BadInput,
                     fmt::format("layout of {} x {} elements, expected {} x {}, as the run has", view.value().rows(),
                                 view.value().cols(), layout.rows, layout.cols),
                     expression};
    Comparison comparison;
    for (uint32_t row = 0; row < layout.rows; ++row)
        for (uint32_t col = 0; col < layout.cols; ++col) {
            const int64_t own = layout.offsets[uint64_t{row} * layout.cols + col];
            const int other = view.value().at(static_cast<int>(row), static_cast<int>(col));
            comparison.elements += own >= 0;
            if (own < 0 || own == other)
                continue;
            if (++comparison.different == 1) {
                comparison.first = {row, col};
                comparison.expected = other;
            }
        }
    return comparison;
}

std::string shapeText(const trace::Buffer& buffer)
{
    std::string text = buffer.element.name;
    for (const uint64_t extent : buffer.dims)
        text += fmt::format("[{}]", extent);
    return text;
}

std::string placeText(const RunLayout& layout)
{
    return fmt::format("{}[{}:{}, {}:{}]", layout.source->name, layout.firstRow, layout.firstRow + layout.rows,
                       layout.firstCol, layout.firstCol + layout.cols);
}

const char* verbOf(const trace::Site& site)
{
    return site.kind == trace::SiteKind::Load ? "read" : site.kind == trace::SiteKind::Store ? "write" : "atomic";
}

Json accessJson(const trace::Catalog& catalog, const RunLayout& layout, const AccessLayout& access)
{
    const trace::Site& site = catalog.sites[access.site.value];
    Json json = {{"file", pathOf(catalog, site.where.source)},
                 {"line", site.where.line},
                 {"column", site.where.column},
                 {"expression", site.expression},
                 {"access", verbOf(site)},
                 {"lanes", access.lanes},
                 {"layout", access.strides ? Json(access.strides->text()) : Json()},
                 {"swizzled", access.isSwizzled}};
    if (!site.instruction.empty())
        json["instruction"] = site.instruction;
    if (layout.buffer.space == trace::Space::Shared)
        json.update(Json{{"wavefronts", access.wavefronts}, {"idealWavefronts", access.idealWavefronts}});
    else
        json.update(Json{{"sectors", access.sectors}, {"idealSectors", access.idealSectors}});
    return json;
}

Json offsetsJson(const RunLayout& layout)
{
    Json offsets = Json::array();
    for (uint32_t row = 0; row < layout.rows && !layout.offsets.empty(); ++row) {
        Json line = Json::array();
        for (uint32_t col = 0; col < layout.cols; ++col) {
            const int64_t offset = layout.offsets[uint64_t{row} * layout.cols + col];
            line.push_back(offset < 0 ? Json() : Json(offset));
        }
        offsets.push_back(std::move(line));
    }
    return offsets;
}

Json toJson(const trace::Catalog& catalog, const RunLayout& layout, const std::optional<Comparison>& comparison)
{
    Json json = {{"schema", kJsonSchema},
                 {"buffer", layout.buffer.name},
                 {"type", layout.buffer.element.name},
                 {"dims", layout.buffer.dims},
                 {"from", layout.source ? Json(placeText(layout)) : Json()},
                 {"rows", layout.rows},
                 {"cols", layout.cols},
                 {"name", layout.layout ? Json(layout.layout->name()) : Json()},
                 {"layout", layout.layout ? Json(layout.layout->text()) : Json()},
                 {"swizzle", layout.layout && layout.layout->swizzle ? Json(layout.layout->swizzle->text()) : Json()},
                 {"offset", layout.layout ? Json(layout.layout->first) : Json()}};
    Json accesses = Json::array();
    for (const AccessLayout& access : layout.accesses)
        accesses.push_back(accessJson(catalog, layout, access));
    json["accesses"] = std::move(accesses);
    json["offsets"] = offsetsJson(layout);
    if (comparison)
        json["comparison"] = {{"elements", comparison->elements}, {"different", comparison->different}};
    return json;
}

void printTile(const RunLayout& layout)
{
    constexpr uint32_t kMostShown = 64;  // rows and columns
    const size_t width = std::to_string(std::ranges::max(layout.offsets)).size();
    for (uint32_t row = 0; row < std::min(layout.rows, kMostShown); ++row) {
        for (uint32_t col = 0; col < std::min(layout.cols, kMostShown); ++col) {
            const int64_t offset = layout.offsets[uint64_t{row} * layout.cols + col];
            fmt::print("{}{:>{}}", col ? " " : "", offset < 0 ? std::string("?") : std::to_string(offset), width);
        }
        fmt::print("{}\n", layout.cols > kMostShown ? " ..." : "");
    }
    if (layout.rows > kMostShown)
        fmt::print("...\n");
}

/// Of what is written as inline assembly, the instruction.
std::string wordsOf(const trace::Site& site)
{
    if (site.instruction.empty())
        return site.expression;
    const size_t second = site.instruction.find('.', site.instruction.find('.') + 1);
    return site.instruction.substr(0, site.instruction.find('.', second + 1));
}

std::string stridesText(const AccessLayout& access)
{
    return !access.strides ? "irregular" : access.strides->text() + (access.isSwizzled ? ", swizzled" : "");
}

void printAccess(const trace::Catalog& catalog, const RunLayout& layout, const AccessLayout& access)
{
    const trace::Site& site = catalog.sites[access.site.value];
    const bool isShared = layout.buffer.space == trace::Space::Shared;
    const uint32_t cost = isShared ? access.wavefronts : access.sectors;
    const uint32_t ideal = isShared ? access.idealWavefronts : access.idealSectors;
    fmt::print("line {:<4} {:<6} {}  {} {} {}  {} {}{}\n", site.where.line, verbOf(site), wordsOf(site), access.lanes,
               access.lanes == 1 ? "lane" : "lanes", stridesText(access), cost,
               isShared    ? (cost == 1 ? "wavefront" : "wavefronts")
               : cost == 1 ? "sector"
                           : "sectors",
               cost == ideal ? "" : fmt::format(", ideal {}", ideal));
}

void printText(const trace::Catalog& catalog, const RunLayout& layout, const std::optional<Comparison>& comparison)
{
    fmt::print("{} {}{}\n", layout.buffer.name, shapeText(layout.buffer),
               layout.source ? ", filled from " + placeText(layout) : ", nothing of global memory was copied into it");
    if (layout.layout)
        fmt::print("{}: {}{}\n", layout.layout->name(), layout.layout->text(),
                   layout.layout->first ? fmt::format(" + {}", layout.layout->first) : "");
    else if (layout.source)
        fmt::print("no layout of strides, with or without a swizzle, is like that\n");
    if (comparison)
        fmt::print("{} of {} elements lie elsewhere than typed{}\n", comparison->different, comparison->elements,
                   comparison->first
                       ? fmt::format(", the first at row {}, column {}: typed {}", comparison->first->first,
                                     comparison->first->second, comparison->expected)
                       : "");
    fmt::print("\n");
    for (const AccessLayout& access : layout.accesses)
        printAccess(catalog, layout, access);
    if (layout.offsets.empty())
        return;
    fmt::print("\n");
    printTile(layout);
}

/// The buffer of that name of a launch; an error that names those there are.
Result<BufferId> bufferNamed(replay::Session& session, LaunchId launch, const std::string& name)
{
    const Result<std::vector<trace::Buffer>> buffers = session.buffersOf(launch);
    if (!buffers)
        return buffers.error();
    std::string others;
    for (const trace::Buffer& buffer : buffers.value()) {
        if (buffer.name == name)
            return buffer.id;
        if (buffer.space == trace::Space::Shared || buffer.space == trace::Space::Global)
            others += (others.empty() ? "" : ", ") + buffer.name;
    }
    return Error{Error::Code::NotFound, fmt::format("no buffer {}, expected one of {}", name, others), {}};
}

Result<RunLayout> layoutOf(replay::Session& session, const RunLayoutOptions& options)
{
    const Result<replay::Focus> opening = session.openingFocus();
    if (!opening)
        return opening.error();
    const Result<replay::Focus> focus = session.parseFocus(options.at, opening.value());
    if (!focus)
        return focus.error();
    const Result<BufferId> buffer = bufferNamed(session, focus.value().launch, options.buffer);
    if (!buffer)
        return buffer.error();
    const trace::Launch& launch = session.catalog().launches[focus.value().launch.value];
    return analysis::traceLayout(session, launch.id, BlockIndex{linearIndex(focus.value().block, launch.grid)},
                                 buffer.value());
}

}  // namespace

int printRunLayout(const RunLayoutOptions& options)
{
    Result<std::unique_ptr<replay::Session>> session = replay::Session::open(options.trace);
    if (!session)
        return fail(session.error());
    const Result<RunLayout> layout = layoutOf(*session.value(), options);
    if (!layout)
        return fail(layout.error());
    std::optional<Comparison> comparison;
    if (!options.expression.empty()) {
        const Result<Comparison> compared = compare(layout.value(), options.expression);
        if (!compared)
            return fail(compared.error());
        comparison = compared.value();
    }
    const trace::Catalog& catalog = session.value()->catalog();
    if (options.format == "json")
        printJson(toJson(catalog, layout.value(), comparison));
    else
        printText(catalog, layout.value(), comparison);
    return comparison && comparison->different > 0 ? kFindings : kOk;
}

}  // namespace lanescope::cli
