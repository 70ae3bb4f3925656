// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/state_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "core/analysis/call_stack.h"

namespace lanescope::cli {

namespace {

/// Text shows at most this many rows and columns of a matrix.
constexpr size_t kMaxRowsShown = 40;

std::vector<std::string> words(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string word; stream >> word;)
        result.push_back(word);
    return result;
}

Json laneList(LaneMask mask)
{
    Json lanes = Json::array();
    for (int lane = 0; lane < kWarpSize; ++lane)
        if ((mask >> lane) & 1)
            lanes.push_back(lane);
    return lanes;
}

Json locationJson(const trace::Catalog& catalog, const trace::SourceLocation& where)
{
    if (where.line == 0)
        return {};
    return {{"file", pathOf(catalog, where.source)}, {"line", where.line}, {"column", where.column}};
}

Json warpJson(const trace::Catalog& catalog, uint32_t index, const replay::WarpImage& warp)
{
    return {
        {"warp", index},       {"active", laneList(warp.active)}, {"exited", laneList(warp.exited)},
        {"epoch", warp.epoch}, {"waiting", warp.waiting},         {"nextLine", locationJson(catalog, warp.nextLine)}};
}

/// Innermost first: the functions that the thread is in, and where.
Json callsJson(const trace::Catalog& catalog, const analysis::CallStack& stack)
{
    Json frames = Json::array();
    for (const analysis::CallFrame& frame : stack.frames) {
        Json at = Json::array();
        for (const trace::SourceLocation& where : frame.at)
            at.push_back(locationJson(catalog, where));
        frames.push_back({{"function", frame.function}, {"at", std::move(at)}, {"certain", frame.certain}});
    }
    return frames;
}

/// The elements of [first, first + count) as nested lists of \p dims; null where nothing has been written.
Json nestedValues(const trace::Buffer& buffer, const replay::BufferImage& image, const std::vector<uint64_t>& dims,
                  size_t depth, uint64_t& element)
{
    Json list = Json::array();
    const uint64_t elementBytes = buffer.element.totalBytes();
    for (uint64_t i = 0; i < dims[depth]; ++i) {
        if (depth + 1 < dims.size()) {
            list.push_back(nestedValues(buffer, image, dims, depth + 1, element));
            continue;
        }
        const uint64_t first = element++ * elementBytes;
        bool known = first + elementBytes <= image.bytes.size();
        for (uint64_t byte = first; known && byte < first + elementBytes; ++byte)
            known = image.initialised.empty() || image.isInitialised(byte);
        list.push_back(known ? valueJson(buffer.element, image.bytes.data() + first) : Json());
    }
    return list;
}

/// The shape to show: the known one when it covers the buffer, else one row.
std::vector<uint64_t> shapeOf(const trace::Buffer& buffer)
{
    const uint64_t elements = buffer.bytes / std::max(buffer.element.totalBytes(), 1u);
    uint64_t covered = 1;
    for (const uint64_t dim : buffer.dims)
        covered *= dim;
    return !buffer.dims.empty() && covered == elements ? buffer.dims : std::vector<uint64_t>{elements};
}

Json bufferJson(const trace::Buffer& buffer, const replay::BufferImage& image)
{
    const std::vector<uint64_t> dims = shapeOf(buffer);
    uint64_t element = 0;
    Json json = {{"name", buffer.name}, {"space", spaceName(buffer.space)}, {"type", buffer.element.name}};
    json["dims"] = dims;
    json["values"] = nestedValues(buffer, image, dims, 0, element);
    return json;
}

bool isInScope(const trace::Variable& variable, uint32_t line)
{
    return variable.scopeFirstLine <= line && line <= variable.scopeLastLine;
}

/// Values of one thread's variables. Of two with one name, the one in scope counts, else the one written last.
Json variablesOf(replay::BlockCursor& cursor, const trace::Catalog& catalog, uint32_t warp, int lane, uint32_t line)
{
    struct Best {
        bool inScope = false;
        StepIndex written = 0;
        Json value;
    };
    std::map<std::string, Best> best;
    for (const trace::Variable& variable : catalog.variables) {
        const replay::VariableImage& image = cursor.variable(variable.id, warp);
        if (!((image.written >> lane) & 1))
            continue;
        const auto index = static_cast<size_t>(lane);
        const bool inScope = isInScope(variable, line);
        const auto found = best.find(variable.name);
        if (found != best.end() &&
            (found->second.inScope > inScope ||
             (found->second.inScope == inScope && found->second.written > image.lastWrite[index])))
            continue;
        best[variable.name] = {inScope, image.lastWrite[index], valueJson(variable.type, image.value[index].data())};
    }
    Json json = Json::object();
    for (auto& [name, entry] : best)
        json[name] = std::move(entry.value);
    return json;
}

Json threadsJson(replay::BlockCursor& cursor, const trace::Catalog& catalog, const trace::Launch& launch,
                 const std::vector<trace::Buffer>& buffers)
{
    Json threads = Json::array();
    for (uint32_t thread = 0; thread < launch.block.count(); ++thread) {
        const uint32_t warp = thread / kWarpSize;
        const int lane = static_cast<int>(thread % kWarpSize);
        Json json = {{"thread", toJson(positionOf(thread, launch.block))}};
        json["variables"] = variablesOf(cursor, catalog, warp, lane, cursor.warp(warp).nextLine.line);
        for (const trace::Buffer& buffer : buffers)
            if (buffer.space == trace::Space::Local)
                json["arrays"].push_back(bufferJson(buffer, cursor.localBuffer(buffer.id, thread)));
        threads.push_back(std::move(json));
    }
    return threads;
}

std::string cellText(const Json& value)
{
    if (value.is_null())
        return ".";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Rows of the innermost dimension, right-aligned; outer dimensions one after the other.
void appendMatrix(std::string& text, const Json& values)
{
    std::vector<const Json*> rows;
    const auto collect = [&](const auto& self, const Json& list) -> void {
        if (!list.empty() && list[0].is_array() && !list[0].empty() && list[0][0].is_array())
            for (const Json& inner : list)
                self(self, inner);
        else if (!list.empty() && list[0].is_array())
            for (const Json& row : list)
                rows.push_back(&row);
        else
            rows.push_back(&list);
    };
    collect(collect, values);
    size_t width = 1;
    for (const Json* row : rows)
        for (const Json& value : *row)
            width = std::max(width, cellText(value).size());
    for (size_t r = 0; r < rows.size() && r < kMaxRowsShown; ++r) {
        text += "   ";
        for (size_t c = 0; c < rows[r]->size() && c < kMaxRowsShown; ++c)
            text += fmt::format(" {:>{}}", cellText((*rows[r])[c]), width);
        text += rows[r]->size() > kMaxRowsShown ? fmt::format(" … {} more\n", rows[r]->size() - kMaxRowsShown) : "\n";
    }
    if (rows.size() > kMaxRowsShown)
        text += fmt::format("    … {} more rows\n", rows.size() - kMaxRowsShown);
}

std::string lineText(const Json& location)
{
    if (location.is_null())
        return "end";
    return fmt::format("{}:{}", location.value("file", ""), location.value("line", 0));
}

}  // namespace

std::string withoutBlock(const std::string& text)
{
    std::string result;
    for (const std::string& word : words(text))
        if (word.rfind("block=", 0) != 0)
            result += (result.empty() ? "" : " ") + word;
    return result;
}

Result<Json> stateDocument(replay::Session& session, replay::BlockCursor& cursor, const replay::Focus& focus,
                           const std::string& buffer)
{
    const trace::Catalog& catalog = session.catalog();
    const trace::Launch& launch = catalog.launches[cursor.launch().value];
    const Result<std::vector<trace::Buffer>> buffers = session.buffersOf(launch.id);
    if (!buffers)
        return buffers.error();

    const Dim3 block = positionOf(cursor.block().value, launch.grid);
    const auto warpOfThread = static_cast<uint32_t>(linearIndex(focus.thread, launch.block) / kWarpSize);
    const replay::WarpImage focused = cursor.warp(std::min(warpOfThread, launch.warpsPerBlock() - 1));
    replay::Focus here = focus;
    here.block = block;
    here.step = cursor.step();
    Json json = {{"focus", replay::focusText(here)}, {"launch", launch.id.value},
                 {"kernel", launch.kernel},          {"block", toJson(block)},
                 {"thread", toJson(focus.thread)},   {"step", cursor.step()},
                 {"steps", cursor.stepCount()},      {"recordedSteps", cursor.recordedSteps()},
                 {"epoch", focused.epoch},           {"nextLine", locationJson(catalog, focused.nextLine)}};
    const auto steps = cursor.summary();
    if (!steps)
        return steps.error();
    const uint64_t thread = linearIndex(focus.thread, launch.block);
    const analysis::CallStack stack =
        analysis::CallGraph(catalog).stackAt(launch.kernel, *steps.value(), static_cast<uint32_t>(thread / kWarpSize),
                                             static_cast<int>(thread % kWarpSize), cursor.step());
    json["calls"] = callsJson(catalog, stack);
    json["recursive"] = stack.recursive;
    json["warps"] = Json::array();
    for (uint32_t warp = 0; warp < launch.warpsPerBlock(); ++warp)
        json["warps"].push_back(warpJson(catalog, warp, cursor.warp(warp)));
    json["threads"] = threadsJson(cursor, catalog, launch, buffers.value());
    json["buffers"] = Json::array();
    for (const trace::Buffer& shown : buffers.value())
        if (shown.space != trace::Space::Local && (buffer.empty() || shown.name == buffer))
            json["buffers"].push_back(bufferJson(shown, cursor.buffer(shown.id)));
    return json;
}

namespace {

/// "thread (0,0,0) is in square a.cu:5, called by sum a.cu:17"; empty in the kernel itself.
std::string callsText(const Json& state)
{
    const Json& calls = state["calls"];
    if (calls.size() < 2)
        return {};
    const Json& thread = state["thread"];
    std::string text = fmt::format("thread ({},{},{}) is in ", thread[0].get<uint32_t>(), thread[1].get<uint32_t>(),
                                   thread[2].get<uint32_t>());
    for (size_t i = 0; i < calls.size(); ++i) {
        text += fmt::format("{}{}",
                            i == 0                            ? ""
                            : calls[i]["certain"].get<bool>() ? ", called by "
                                                              : ", perhaps by ",
                            calls[i]["function"].get<std::string>());
        for (size_t place = 0; place < calls[i]["at"].size(); ++place)
            text += fmt::format("{}{}", place == 0 ? " " : " or ", lineText(calls[i]["at"][place]));
    }
    return text + (state["recursive"].get<bool>() ? "; calls that come back are not counted\n" : "\n");
}

}  // namespace

std::string stateText(const Json& state)
{
    const auto steps = state["steps"].get<uint64_t>();
    const auto recorded = state["recordedSteps"].get<uint64_t>();
    std::string text = fmt::format("{}: {} of {} steps, {}, epoch {}, next {}\n", state["kernel"].get<std::string>(),
                                   state["step"].get<uint64_t>(), steps, state["focus"].get<std::string>(),
                                   state["epoch"].get<uint32_t>(), lineText(state["nextLine"]));
    if (recorded > steps)
        text +=
            fmt::format("{} steps were recorded; the first {} are shown (LANESCOPE_STEPS_SHOWN)\n", recorded, steps);
    text += callsText(state);
    for (const Json& warp : state["warps"])
        text += fmt::format("warp {}: {} lanes active, epoch {}, {} {}\n", warp["warp"].get<uint32_t>(),
                            warp["active"].size(), warp["epoch"].get<uint32_t>(),
                            warp["waiting"].get<bool>() ? "waits at" : "next", lineText(warp["nextLine"]));
    for (const Json& thread : state["threads"]) {
        text += fmt::format("thread ({},{},{}):", thread["thread"][0].get<uint32_t>(),
                            thread["thread"][1].get<uint32_t>(), thread["thread"][2].get<uint32_t>());
        for (const auto& [name, value] : thread["variables"].items())
            text += fmt::format(" {}={}", name, cellText(value));
        text += '\n';
    }
    for (const Json& buffer : state["buffers"]) {
        text += fmt::format("{} {} {}", buffer["space"].get<std::string>(), buffer["type"].get<std::string>(),
                            buffer["name"].get<std::string>());
        for (const Json& dim : buffer["dims"])
            text += fmt::format("[{}]", dim.get<uint64_t>());
        text += '\n';
        appendMatrix(text, buffer["values"]);
    }
    return text;
}

}  // namespace lanescope::cli
