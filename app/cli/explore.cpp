// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/child_program.h"
#include "app/cli/program_options.h"
#include "core/replay/replay.h"

namespace lanescope::cli {

namespace {

using nlohmann::json;

/// Blocks looked at for who wrote a cell.
constexpr uint64_t kMaxBlocks = 4096;
/// Floats that differ by less than this, relatively, were added up in another order.
constexpr double kRounding = 1e-4;

/// A page of a buffer in which two runs differ.
struct Difference {
    uint32_t launch = 0;
    std::string kernel;
    std::string buffer;
    uint64_t bufferAddress = 0;
    uint64_t page = 0;  ///< device address
    std::string schedule;
};

/// What a run left in memory, launch after launch (output_log.h of the runtime).
struct Outputs {
    std::vector<json> launches;
    ProgramRun run;
};

/// Where lanes of a warp race, an order of lanes shows it; else one of warps and blocks. Either way both sides of a
/// race get to be first: in the order of one schedule, and in that of its reverse.
std::vector<std::string> schedulesFor(const std::vector<trace::Finding>& findings, unsigned count)
{
    const bool withinWarp = std::any_of(findings.begin(), findings.end(), [](const trace::Finding& finding) {
        return isRace(finding.kind) && finding.accesses.size() == 2 &&
               finding.accesses[0].block == finding.accesses[1].block;
    });
    std::vector<std::string> order = {"sequential", "reverse", "lanes:0", "lanes:1"};
    if (withinWarp)
        std::rotate(order.begin(), order.begin() + 2, order.end());
    for (unsigned seed = 2; order.size() < count; ++seed) {
        order.push_back(fmt::format("random:{}", seed));
        order.push_back(fmt::format("lanes:{}", seed));
    }
    order.resize(count);
    return order;
}

class Explorer {
public:
    explicit Explorer(const Exploration& exploration) : m_exploration(exploration) {}

    /// \p page: [launch, address] whose bytes are wanted.
    Result<Outputs> runUnder(const std::string& schedule, const std::optional<std::pair<uint32_t, uint64_t>>& page)
    {
        const std::string file = m_exploration.folder + "/outputs.json";
        json options = json::parse(m_exploration.options);
        if (!schedule.empty())
            options["schedule"] = schedule;
        // Blocks that race with each other on several host threads would give another answer each time.
        options["hostThreads"] = 1;
        options["checks"] = false;
        options["reportFindings"] = false;
        options["progressFd"] = -1;
        options["outputs"] = file;
        if (page)
            options["outputsPage"] = {page->first, page->second};
        const Result<ProgramRun> run =
            runProgram({m_exploration.executable, m_exploration.name, m_exploration.arguments, options.dump(), "",
                        false, true, m_exploration.environment});
        if (!run)
            return run.error();
        Outputs outputs;
        outputs.run = run.value();
        std::ifstream lines(file);
        for (std::string line; std::getline(lines, line);) {
            json launch = json::parse(line, nullptr, false);
            if (launch.is_object())
                outputs.launches.push_back(std::move(launch));
        }
        return outputs;
    }

private:
    const Exploration& m_exploration;
};

std::map<uint64_t, std::string> pagesOf(const json& launch)
{
    std::map<uint64_t, std::string> pages;
    for (const json& buffer : launch.at("buffers"))
        for (const json& page : buffer.at("pages"))
            pages[page.at(0).get<uint64_t>()] = page.at(1).get<std::string>();
    return pages;
}

/// The first page of each buffer that differs, after the first launch in which any does.
std::vector<Difference> compare(const Outputs& base, const Outputs& other, const std::string& schedule)
{
    std::vector<Difference> differences;
    const size_t count = std::min(base.launches.size(), other.launches.size());
    for (size_t i = 0; i < count && differences.empty(); ++i) {
        // Up to here all pages were equal, so that one changed in one run alone differs now.
        const auto mine = pagesOf(base.launches[i]);
        const auto theirs = pagesOf(other.launches[i]);
        for (const json* side : {&base.launches[i], &other.launches[i]})
            for (const json& buffer : side->at("buffers")) {
                const auto address = buffer.at("address").get<uint64_t>();
                const bool known = std::any_of(differences.begin(), differences.end(),
                                               [&](const Difference& d) { return d.bufferAddress == address; });
                for (const json& page : buffer.at("pages")) {
                    const auto key = page.at(0).get<uint64_t>();
                    const auto a = mine.find(key);
                    const auto b = theirs.find(key);
                    if (known || (a != mine.end() && b != theirs.end() && a->second == b->second))
                        continue;
                    differences.push_back({side->at("launch").get<uint32_t>(), side->at("kernel").get<std::string>(),
                                           buffer.at("name").get<std::string>(), address, key, schedule});
                    break;
                }
            }
    }
    return differences;
}

std::vector<uint8_t> bytesOf(const Outputs& outputs, uint32_t launch)
{
    std::vector<uint8_t> bytes;
    for (const json& line : outputs.launches)
        if (line.at("launch").get<uint32_t>() == launch && line.contains("bytes")) {
            const auto digits = line.at("bytes").get<std::string>();
            for (size_t i = 0; i + 1 < digits.size(); i += 2)
                bytes.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
        }
    return bytes;
}

/// Of a float or double.
double numberAt(const trace::ValueType& type, const uint8_t* bytes)
{
    double number = 0;
    float narrow = 0;
    if (type.bytes == 8) {
        std::memcpy(&number, bytes, sizeof number);
        return number;
    }
    std::memcpy(&narrow, bytes, sizeof narrow);
    return narrow;
}

bool isRounding(const trace::ValueType& type, const uint8_t* a, const uint8_t* b)
{
    if (type.kind != trace::ScalarKind::Float || type.components > 1 || (type.bytes != 4 && type.bytes != 8))
        return false;
    const double x = numberAt(type, a);
    const double y = numberAt(type, b);
    return std::abs(x - y) <= kRounding * std::max(std::abs(x), std::abs(y));
}

/// Up to two threads that wrote the cell in the launch, as the trace has it.
std::vector<trace::FindingAccess> writersOf(replay::Session& session, LaunchId launch, const trace::Buffer& buffer,
                                            uint64_t offset, uint64_t bytes)
{
    std::vector<trace::FindingAccess> writers;
    const trace::Catalog& catalog = session.catalog();
    const trace::Launch& place = catalog.launches[launch.value];
    for (uint64_t index = 0; index < std::min(place.grid.count(), kMaxBlocks) && writers.size() < 2; ++index) {
        Result<std::unique_ptr<replay::BlockCursor>> cursor = session.cursor(launch, BlockIndex{index});
        if (!cursor)
            continue;
        const Result<std::vector<replay::CellAccess>> history =
            cursor.value()->history(buffer.id, offset, bytes, 1 << 20);
        if (!history)
            continue;
        for (const replay::CellAccess& access : history.value()) {
            if (access.kind == trace::SiteKind::Load || writers.size() == 2)
                continue;
            trace::FindingAccess writer;
            writer.where = catalog.sites[access.site.value].where;
            writer.expression = catalog.sites[access.site.value].expression;
            writer.access = access.kind == trace::SiteKind::Atomic ? "atomic" : "write";
            writer.block = positionOf(access.block.value, place.grid);
            writer.thread = access.thread;
            writer.step = access.step;
            const bool known = std::any_of(writers.begin(), writers.end(), [&](const trace::FindingAccess& other) {
                return other.block == writer.block && other.thread == writer.thread;
            });
            if (!known)
                writers.push_back(std::move(writer));
        }
    }
    return writers;
}

std::string baseSchedule(const Exploration& exploration)
{
    return json::parse(exploration.options).value("schedule", "lockstep");
}

Result<trace::Finding> findingOf(Explorer& explorer, const Exploration& exploration, replay::Session& session,
                                 const Difference& difference)
{
    const std::optional<std::pair<uint32_t, uint64_t>> page{{difference.launch, difference.page}};
    const Result<Outputs> base = explorer.runUnder("", page);
    if (!base)
        return base.error();
    const Result<Outputs> other = explorer.runUnder(difference.schedule, page);
    if (!other)
        return other.error();
    const std::vector<uint8_t> mine = bytesOf(base.value(), difference.launch);
    const std::vector<uint8_t> theirs = bytesOf(other.value(), difference.launch);
    const trace::Catalog& catalog = session.catalog();
    const auto buffer = std::find_if(catalog.buffers.begin(), catalog.buffers.end(), [&](const trace::Buffer& b) {
        return b.space == trace::Space::Global && b.deviceAddress == difference.bufferAddress;
    });
    trace::Finding finding;
    finding.kind = FindingKind::ResultDependsOnSchedule;
    finding.severity = Severity::Warning;
    finding.kernel = difference.kernel;
    finding.launch = LaunchId{difference.launch};
    finding.buffer = difference.buffer;
    finding.message = fmt::format("{} differs between the schedules {} and {}", difference.buffer,
                                  baseSchedule(exploration), difference.schedule);
    const auto mismatch = std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end());
    if (buffer == catalog.buffers.end() || mismatch.first == mine.end() || mismatch.second == theirs.end())
        return finding;
    const trace::ValueType& element = buffer->element;
    const uint32_t size = std::max<uint32_t>(element.totalBytes(), 1);
    const uint64_t pageOffset = difference.page - difference.bufferAddress;
    const uint64_t offset = (pageOffset + static_cast<uint64_t>(mismatch.first - mine.begin())) / size * size;
    // An element that lies across two pages is not there whole.
    if (offset < pageOffset || offset - pageOffset + size > std::min(mine.size(), theirs.size()))
        return finding;
    const uint64_t inPage = offset - pageOffset;
    finding.cell = {static_cast<int64_t>(offset / size)};
    finding.message = fmt::format(
        "{}[{}] is {} under the schedule {} and {} under {}{}", difference.buffer, offset / size,
        replay::valueText(element, mine.data() + inPage), baseSchedule(exploration),
        replay::valueText(element, theirs.data() + inPage), difference.schedule,
        isRounding(element, mine.data() + inPage, theirs.data() + inPage) ? ": by rounding, as sums in another order do"
                                                                          : "");
    finding.accesses = writersOf(session, finding.launch, *buffer, offset, size);
    if (finding.accesses.empty() && difference.launch < catalog.launches.size())
        finding.accesses.push_back(
            {catalog.launches[difference.launch].where, difference.kernel, "write", {}, {}, 0, {}});
    return finding;
}

/// A run that stops under one schedule alone.
trace::Finding stopFinding(const Outputs& other, const std::string& schedule, const std::string& base)
{
    trace::Finding finding;
    finding.kind = FindingKind::ResultDependsOnSchedule;
    finding.severity = Severity::Warning;
    finding.message = fmt::format("the run ends in order under the schedule {}; under {} it stops: {}", base, schedule,
                                  other.run.status ? other.run.status->stopMessage : "it was killed");
    return finding;
}

bool stopped(const Outputs& outputs)
{
    return !outputs.run.status || !outputs.run.status->stopCode.empty();
}

/// Tells people who wait how far it is: after a second, then after twice the time.
class Progress {
public:
    explicit Progress(size_t all) : m_all(all), m_tells(wantsProgress()) {}

    void show(size_t done)
    {
        const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
        if (!m_tells || seconds < m_next)
            return;
        m_next = 2 * seconds;
        fmt::print(stderr, "lanescope: {} of {} schedules, {:.0f} s\n", done, m_all, seconds);
    }

private:
    size_t m_all;
    bool m_tells;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    double m_next = 1;
};

}  // namespace

Result<ExploredRun> explore(const Exploration& exploration)
{
    Result<std::unique_ptr<replay::Session>> session = replay::Session::open(exploration.trace);
    if (!session)
        return session.error();
    Explorer explorer(exploration);
    const Result<Outputs> base = explorer.runUnder("", std::nullopt);
    if (!base)
        return base.error();
    std::vector<Difference> differences;
    ExploredRun explored;
    std::vector<trace::Finding>& findings = explored.findings;
    const std::vector<std::string> all = schedulesFor(session.value()->catalog().findings, exploration.schedules);
    for (size_t i = exploration.shard - 1; i < all.size(); i += exploration.shards)
        explored.schedules.push_back(all[i]);
    Progress progress(explored.schedules.size());
    size_t done = 0;
    for (const std::string& schedule : explored.schedules) {
        progress.show(done++);
        const Result<Outputs> other = explorer.runUnder(schedule, std::nullopt);
        if (!other)
            return other.error();
        if (stopped(other.value()) && !stopped(base.value()) && findings.empty())
            findings.push_back(stopFinding(other.value(), schedule, baseSchedule(exploration)));
        for (const Difference& difference : compare(base.value(), other.value(), schedule))
            if (std::none_of(differences.begin(), differences.end(), [&](const Difference& known) {
                    return known.kernel == difference.kernel && known.buffer == difference.buffer;
                }))
                differences.push_back(difference);
    }
    for (const Difference& difference : differences) {
        Result<trace::Finding> finding = findingOf(explorer, exploration, *session.value(), difference);
        if (!finding)
            return finding.error();
        findings.push_back(std::move(finding).value());
    }
    return explored;
}

}  // namespace lanescope::cli
