// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/exercise/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <sstream>

#include "core/analysis/analysis.h"
#include "core/findings/findings_of.h"
#include "core/replay/replay.h"

namespace lanescope::exercise {

namespace {

/// A line of values that a program printed, and what it should have been.
struct Printed {
    std::string name;
    std::vector<std::string> values;
    std::vector<std::string> expected;

    /// Of the first value that differs; values.size() where one is missing; none where all agree.
    [[nodiscard]] std::optional<size_t> firstDifference() const
    {
        const auto [found, wanted] = std::ranges::mismatch(values, expected);
        if (found == values.end() && wanted == expected.end())
            return std::nullopt;
        return static_cast<size_t>(found - values.begin());
    }
};

std::vector<std::string> wordsOf(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

/// Every line "expected: …" and the one before it.
std::vector<Printed> printedIn(const std::string& output)
{
    std::vector<Printed> all;
    std::istringstream lines(output);
    std::string before;
    for (std::string line; std::getline(lines, line); before = line) {
        const size_t colon = before.find(':');
        if (!line.starts_with("expected:") || colon == std::string::npos)
            continue;
        all.push_back({before.substr(0, colon), wordsOf(before.substr(colon + 1)), wordsOf(line.substr(9))});
    }
    return all;
}

/// Looks at one run.
class Judge {
public:
    explicit Judge(const Run& run) : m_run(run) {}

    Result<std::vector<Check>> run(const std::vector<Gate>& gates)
    {
        if (m_run.trace.empty()) {
            add({"ends", false, "the program launched no kernel", {}});
            return m_checks;
        }
        Result<std::unique_ptr<replay::Session>> session = replay::Session::open(m_run.trace);
        if (!session)
            return session.error();
        m_session = std::move(session).value();
        if (Result<void> done = checkFindings(); !done)
            return done.error();
        if (Result<void> done = checkOutput(); !done)
            return done.error();
        // What went wrong says why the rest was not looked at.
        if (!m_notChecked.empty() && std::ranges::all_of(m_checks, &Check::passed))
            add({"ends", false, "not everything was looked at: " + m_notChecked, {}});
        for (const trace::Launch& launch : catalog().launches) {
            Result<analysis::LaunchMetrics> numbers = analysis::measureLaunch(m_session->reader(), launch.id);
            if (!numbers)
                return numbers.error();
            m_metrics.push_back(std::move(numbers).value());
        }
        for (const Gate& gate : gates)
            if (Result<void> done = checkGate(gate); !done)
                return done.error();
        return m_checks;
    }

private:
    [[nodiscard]] const trace::Catalog& catalog() const { return m_session->catalog(); }

    void add(Check check) { m_checks.push_back(std::move(check)); }

    /// Errors and warnings; of advice the gates say what counts.
    Result<void> checkFindings()
    {
        findings::FindingsOptions options;
        options.withAdvice = false;
        const Result<findings::Findings> found = findings::findingsOf(m_session->reader(), options);
        if (!found)
            return found.error();
        for (const findings::ToldFinding& finding : found.value().told())
            if (finding.severity != Severity::Advice)
                add({std::string(nameOf(finding.kind)), false, finding.message, focusOf(finding)});
        if (!found.value().complete())
            m_notChecked = found.value().notChecked.front();
        else if (m_checks.empty())
            add({"findings", true, "nothing is found in it", {}});
        return {};
    }

    /// The moment after its last access by a thread; empty where the host's call is what is wrong.
    [[nodiscard]] std::string focusOf(const trace::Finding& finding) const
    {
        if (finding.accesses.empty() || finding.launch.value >= catalog().launches.size())
            return {};
        const trace::FindingAccess& access = finding.accesses.back();
        const Dim3 grid = catalog().launches[finding.launch.value].grid;
        if (access.block.x >= grid.x || access.block.y >= grid.y || access.block.z >= grid.z)
            return {};
        return replay::focusText({finding.launch, access.block, access.step + 1, access.thread, {}, 0});
    }

    Result<void> checkOutput()
    {
        const std::vector<Printed> all = printedIn(m_run.output);
        for (size_t i = 0; i < all.size(); ++i)
            if (const std::optional<size_t> at = all[i].firstDifference()) {
                const Result<std::string> focus = focusOfCell(all[i].name, *at, i, all.size());
                if (!focus)
                    return focus.error();
                const auto value = [&](const std::vector<std::string>& values) {
                    return *at < values.size() ? values[*at] : "missing";
                };
                add({"output", false,
                     fmt::format("{}[{}] is {}, expected {}", all[i].name, *at, value(all[i].values),
                                 value(all[i].expected)),
                     focus.value()});
                return {};
            }
        if (m_run.status != 0 || all.empty())
            add({"output",
                 false,
                 fmt::format("the program ended with exit status {}{}", m_run.status,
                             all.empty() ? " and printed no result" : ""),
                 {}});
        else
            add({"output", true, "the output is as expected", {}});
        return {};
    }

    /// After the last write of cell \p element of the buffer \p name, in the \p index-th of \p count results; the end
    /// of the launch where nobody wrote it. A result belongs to the launch of its number where there are as many.
    Result<std::string> focusOfCell(const std::string& name, uint64_t element, size_t index, size_t count)
    {
        const auto buffer = std::ranges::find(catalog().buffers, name, &trace::Buffer::name);
        if (catalog().launches.empty() || buffer == catalog().buffers.end())
            return std::string();
        const trace::Launch& launch =
            catalog().launches.size() == count ? catalog().launches[index] : catalog().launches.back();
        replay::Focus focus;
        focus.launch = launch.id;
        focus.buffer = buffer->id;
        focus.cell = element;
        const uint64_t bytes = std::max(1U, buffer->element.totalBytes());
        const auto isOfCell = [&](const trace::Event& event, int lane) {
            return (event.mask >> lane & 1U) != 0 && event.bufferOf(lane) == buffer->id &&
                   event.offset[static_cast<size_t>(lane)] / bytes == element;
        };
        const auto noteWrite = [&](BlockIndex block, StepIndex step, const trace::Event& event) {
            for (int lane = 0; lane < static_cast<int>(kWarpSize); ++lane)
                if (step + 1 > focus.step && isOfCell(event, lane)) {
                    focus.block = positionOf(block.value, launch.grid);
                    focus.thread =
                        positionOf(uint64_t{event.warp} * kWarpSize + static_cast<uint64_t>(lane), launch.block);
                    focus.step = step + 1;
                }
        };
        if (Result<void> visited = m_session->reader().visitGlobalWrites(launch.id, noteWrite); !visited)
            return visited.error();
        return textOf(focus);
    }

    /// Step 0: nobody wrote the cell.
    static std::string textOf(const replay::Focus& focus)
    {
        const std::string place = fmt::format("buffer={} cell={}", focus.buffer->value, focus.cell);
        if (focus.step == 0)
            return fmt::format("launch={} {} step=last", focus.launch.value, place);
        return fmt::format("launch={} block={},{},{} step={} thread={},{},{} {}", focus.launch.value, focus.block.x,
                           focus.block.y, focus.block.z, focus.step, focus.thread.x, focus.thread.y, focus.thread.z,
                           place);
    }

    Result<void> checkGate(const Gate& gate)
    {
        const bool isOfLines = gate.metric == Metric::SectorsPerRequest || gate.metric == Metric::ConflictDegree;
        return isOfLines ? checkWorstLine(gate) : checkCount(gate);
    }

    static bool isOf(const analysis::LineMetrics& line, const Gate& gate)
    {
        return gate.buffer.empty() || line.expression.starts_with(gate.buffer + "[");
    }

    static bool keeps(const Gate& gate, double value)
    {
        return gate.atLeast ? value >= gate.bound : value <= gate.bound;
    }

    static double valueOf(const Gate& gate, const analysis::LineMetrics& line)
    {
        if (gate.metric == Metric::ConflictDegree)
            return line.maxDegree;
        return static_cast<double>(line.sectors) / static_cast<double>(std::max<uint64_t>(1, line.requests));
    }

    Result<void> checkWorstLine(const Gate& gate)
    {
        const trace::Space space = gate.metric == Metric::ConflictDegree ? trace::Space::Shared : trace::Space::Global;
        const analysis::LaunchMetrics* launch = nullptr;
        const analysis::LineMetrics* worst = nullptr;
        for (const analysis::LaunchMetrics& metrics : m_metrics)
            for (const analysis::LineMetrics& line : metrics.lines)
                if (line.space == space && isOf(line, gate) &&
                    (worst == nullptr || valueOf(gate, line) > valueOf(gate, *worst))) {
                    worst = &line;
                    launch = &metrics;
                }
        const double value = worst != nullptr ? valueOf(gate, *worst) : 0;
        Check check{std::string(nameOf(gate.metric)),
                    keeps(gate, value),
                    fmt::format("{:g} {}", value,
                                gate.metric == Metric::ConflictDegree
                                    ? "lanes wait for one bank where it is worst"
                                    : "sectors of 32 bytes a request where it is worst"),
                    {}};
        if (worst != nullptr)
            check.message += fmt::format(", in {} (line {})", worst->expression, worst->where.line);
        check.message += "; " + boundText(gate);
        if (!check.passed && worst != nullptr) {
            Result<std::string> focus = firstRunOf(launch->launch, worst->where);
            if (!focus)
                return focus.error();
            check.focus = std::move(focus).value();
        }
        add(std::move(check));
        return {};
    }

    static std::string boundText(const Gate& gate)
    {
        return fmt::format("{} {:g} {}", gate.atLeast ? "at least" : "at most", gate.bound,
                           gate.atLeast ? "are wanted" : "may be");
    }

    /// The moment after the line has first run, in the first block in which it does.
    Result<std::string> firstRunOf(LaunchId launch, const trace::SourceLocation& where)
    {
        const trace::Launch& of = catalog().launches[launch.value];
        Result<std::vector<BlockIndex>> blocks = m_session->reader().blocks(launch);
        if (!blocks)
            return blocks.error();
        for (const BlockIndex block : blocks.value()) {
            Result<std::unique_ptr<replay::BlockCursor>> cursor = m_session->cursor(launch, block);
            if (!cursor)
                return cursor.error();
            const auto steps = cursor.value()->summary();
            if (!steps)
                return steps.error();
            const auto& all = *steps.value();
            const auto step = std::ranges::find_if(
                all, [&](const replay::StepSummary& one) { return catalog().sites[one.site.value].where == where; });
            if (step == all.end())
                continue;
            const auto thread = uint64_t{step->warp} * kWarpSize + static_cast<uint64_t>(std::countr_zero(step->mask));
            return replay::focusText({launch,
                                      positionOf(block.value, of.grid),
                                      static_cast<StepIndex>(step - all.begin()) + 1,
                                      positionOf(thread, of.block),
                                      {},
                                      0});
        }
        return std::string();
    }

    static bool counts(const Gate& gate, const analysis::LineMetrics& line)
    {
        using trace::SiteKind;
        using trace::Space;
        switch (gate.metric) {
        case Metric::GlobalReads:
            return line.space == Space::Global && line.access == SiteKind::Load;
        case Metric::GlobalWrites:
            return line.space == Space::Global && line.access == SiteKind::Store;
        case Metric::SharedReads:
            return line.space == Space::Shared && line.access == SiteKind::Load;
        case Metric::SharedWrites:
            return line.space == Space::Shared && line.access == SiteKind::Store;
        case Metric::Atomics:
            return line.access == SiteKind::Atomic;
        default:
            return false;
        }
    }

    static const char* nounOf(Metric metric)
    {
        switch (metric) {
        case Metric::GlobalReads:
            return "reads of global memory";
        case Metric::GlobalWrites:
            return "writes to global memory";
        case Metric::SharedReads:
            return "reads of shared memory";
        case Metric::SharedWrites:
            return "writes to shared memory";
        default:
            return "atomic operations";
        }
    }

    [[nodiscard]] double partsOf(Gate::Per per) const
    {
        uint64_t parts = 0;
        for (const trace::Launch& launch : catalog().launches)
            parts += launch.grid.count() * (per == Gate::Per::Thread ? launch.threadsPerBlock() : 1);
        return per == Gate::Per::Run ? 1 : static_cast<double>(std::max<uint64_t>(1, parts));
    }

    Result<void> checkCount(const Gate& gate)
    {
        uint64_t count = 0;
        const analysis::LaunchMetrics* launch = nullptr;
        const analysis::LineMetrics* most = nullptr;
        for (const analysis::LaunchMetrics& metrics : m_metrics)
            for (const analysis::LineMetrics& line : metrics.lines) {
                if (!counts(gate, line) || !isOf(line, gate))
                    continue;
                count += line.laneAccesses;
                if (most == nullptr || line.laneAccesses > most->laneAccesses) {
                    most = &line;
                    launch = &metrics;
                }
            }
        const double value = static_cast<double>(count) / partsOf(gate.per);
        const char* per = gate.per == Gate::Per::Run ? "" : gate.per == Gate::Per::Thread ? " a thread" : " a block";
        Check check{std::string(nameOf(gate.metric)),
                    keeps(gate, value),
                    fmt::format("{:.4g} {}{}{}; {}", value, nounOf(gate.metric),
                                gate.buffer.empty() ? "" : ", of " + gate.buffer, per, boundText(gate)),
                    {}};
        if (!check.passed && most != nullptr) {
            Result<std::string> focus = firstRunOf(launch->launch, most->where);
            if (!focus)
                return focus.error();
            check.focus = std::move(focus).value();
        }
        add(std::move(check));
        return {};
    }

    const Run& m_run;
    std::unique_ptr<replay::Session> m_session;
    std::vector<analysis::LaunchMetrics> m_metrics;
    std::vector<Check> m_checks;
    std::string m_notChecked;  ///< why not everything was looked at; empty: it was
};

}  // namespace

Result<std::vector<Check>> judge(const Run& run, const std::vector<Gate>& gates)
{
    return Judge(run).run(gates);
}

}  // namespace lanescope::exercise
