// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/trace_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace lanescope::runtime {

namespace {

trace::SessionInfo sessionInfo(const Options& options)
{
    trace::SessionInfo session;
    session.program = options.program;
    session.commandLine = options.commandLine;
    session.mode = options.mode;
    session.schedule = options.scheduleText;
    session.producer = "lanescope 0.1";
    for (const std::string& libraries : options.libraries)
        session.libraries += (session.libraries.empty() ? "" : ", ") + libraries;
    session.variablesRecorded = options.variables && !options.useGpu;
    session.rank = trace::processRank();
    return session;
}

/// Of several processes the first one gets the path itself.
std::string freePath(const std::string& wanted)
{
    const int file = open(wanted.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
        close(file);
        return wanted;
    }
    const std::filesystem::path path = wanted;
    return (path.parent_path() / path.stem()).string() + fmt::format(".{}", getpid()) + path.extension().string();
}

/// What the program may wait for the file, so that no more is lost than must be.
constexpr std::chrono::seconds kPatience{3};
/// Of its time, in percent, it waits no longer at the ends of launches, once it has waited this long in all.
constexpr int kMaxWaiting = 3;
constexpr std::chrono::milliseconds kFreeWaiting{50};
/// From when on people are told how far a launch is; then after twice the time, but at least as often as this.
constexpr double kFirstTold = 1.5;
constexpr double kMostBetween = 30;

/// The same kind at the same places.
bool isSame(const trace::Finding& a, const trace::Finding& b)
{
    const auto samePlace = [](const trace::FindingAccess& x, const trace::FindingAccess& y) {
        return x.where.source == y.where.source && x.where.line == y.where.line && x.where.column == y.where.column &&
               x.access == y.access;
    };
    return a.kind == b.kind && a.kernel == b.kernel && a.accesses.size() == b.accesses.size() && !a.accesses.empty() &&
           std::equal(a.accesses.begin(), a.accesses.end(), b.accesses.begin(), samePlace);
}

}  // namespace

trace::TraceWriter* TraceOutput::writer()
{
    if (m_writer || m_failure || m_options.tracePath.empty())
        return m_writer.get();
    trace::SessionInfo session = sessionInfo(m_options);
    session.device = m_device;
    session.properties = m_properties;
    const std::string path = m_options.command ? freePath(m_options.tracePath) : m_options.tracePath;
    Result<std::unique_ptr<trace::TraceWriter>> created =
        trace::TraceWriter::create(path, session, {m_options.maxBytes, m_options.variables});
    if (created) {
        m_writer = std::move(created).value();
        m_path = path;
    } else {
        m_failure = created.error();
    }
    return m_writer.get();
}

void TraceOutput::start(const Options& options, RunLog& log)
{
    m_options = options;
    m_log = &log;
}

SourceId TraceOutput::sourceOf(const std::string& path)
{
    const auto [known, isNew] = m_sources.try_emplace(path, SourceId{static_cast<uint32_t>(m_sources.size())});
    if (isNew && (m_writer || (!m_options.reportFindings && writer()))) {
        std::ifstream file(path);
        known->second = m_writer->addSource(path, {std::istreambuf_iterator<char>(file), {}});
    }
    return known->second;
}

void TraceOutput::addFindings(const std::vector<trace::Finding>& findings)
{
    // Somebody waits for a trace, if only to read these.
    if (!findings.empty() && !m_options.reportFindings)
        writer();
    if (std::exchange(m_hasFindingsSoFar, false) && m_writer)
        m_writer->removeFindings(m_findings.size());
    const size_t before = m_findings.size();
    for (const trace::Finding& finding : findings) {
        auto known = std::find_if(m_findings.begin(), m_findings.end(),
                                  [&](const trace::Finding& other) { return isSame(other, finding); });
        if (known == m_findings.end())
            known = m_findings.insert(m_findings.end(), finding);
        else
            known->count += finding.count;
        log(*known);
        if (m_writer)
            m_writer->putFinding(static_cast<size_t>(known - m_findings.begin()), *known);
    }
    if (m_findings.size() > before)
        keep(kPatience);
}

void TraceOutput::putFindingsSoFar(const std::vector<trace::Finding>& findings)
{
    if (!findings.empty() && !m_options.reportFindings)
        writer();
    size_t index = m_findings.size();
    if (std::exchange(m_hasFindingsSoFar, true) && m_writer)
        m_writer->removeFindings(index);
    for (const trace::Finding& finding : findings) {
        log(finding);
        const bool isKnown = std::any_of(m_findings.begin(), m_findings.end(),
                                         [&](const trace::Finding& other) { return isSame(other, finding); });
        if (m_writer && !isKnown)
            m_writer->putFinding(index++, finding);
    }
    keep(kPatience);
}

void TraceOutput::keepLaunch()
{
    const auto start = std::chrono::steady_clock::now();
    if (!m_writer || (m_keeping > kFreeWaiting && m_keeping * 100 > (start - m_started) * kMaxWaiting))
        return;
    keep(kPatience);
    m_keeping += std::chrono::steady_clock::now() - start;
}

void TraceOutput::log(const trace::Finding& finding)
{
    if (!m_log || !m_log->isOpen())
        return;
    std::string key = fmt::format("{} {}", nameOf(finding.kind), finding.kernel);
    for (const trace::FindingAccess& access : finding.accesses)
        key += fmt::format(" {}:{}:{} {}", access.where.source.value, access.where.line, access.where.column,
                           access.access);
    if (m_logged.insert(key).second)
        m_log->finding(textOf(finding));
}

void TraceOutput::print(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (m_writer)
        m_writer->addOutput(false, text);
}

void TraceOutput::progress(const char* event, uint32_t launch, const std::string& kernel, Dim3 grid, Dim3 block,
                           double seconds)
{
    if (m_options.progressFd < 0)
        return;
    writeProgress(nlohmann::json({{"event", event},
                                  {"launch", launch},
                                  {"kernel", kernel},
                                  {"grid", {grid.x, grid.y, grid.z}},
                                  {"block", {block.x, block.y, block.z}},
                                  {"seconds", seconds},
                                  {"bytes", m_writer ? m_writer->bytesWritten() : 0}})
                      .dump());
}

void TraceOutput::progressOf(uint32_t launch, const std::string& kernel, const device::LaunchProgress& progress)
{
    if (m_options.progressFd >= 0)
        writeProgress(nlohmann::json({{"event", "progress"},
                                      {"launch", launch},
                                      {"kernel", kernel},
                                      {"blocksDone", progress.blocksDone},
                                      {"blocks", progress.blocks},
                                      {"warpInstructions", progress.warpInstructions},
                                      {"seconds", progress.seconds},
                                      {"bytes", m_writer ? m_writer->bytesWritten() : 0}})
                          .dump());
    if (std::exchange(m_toldOf, launch) != launch)
        m_nextTold = kFirstTold;
    if (!m_options.tellsProgress || progress.seconds < m_nextTold)
        return;
    m_nextTold = progress.seconds + std::min(progress.seconds, kMostBetween);
    std::fprintf(stderr, "lanescope: launch %u, %s: %llu of %llu blocks, %.3g million warp instructions, %.0f s\n",
                 launch, kernel.c_str(), static_cast<unsigned long long>(progress.blocksDone),
                 static_cast<unsigned long long>(progress.blocks), static_cast<double>(progress.warpInstructions) / 1e6,
                 progress.seconds);
}

void TraceOutput::writeProgress(const std::string& line)
{
    const std::string text = line + '\n';
    if (write(m_options.progressFd, text.data(), text.size()) < 0)
        m_options.progressFd = -1;  // nobody listens any more
}

void TraceOutput::finish(const trace::ProgramEnd& programEnd, const StopReason& stopReason)
{
    if (!m_writer)
        return;
    if (Result<void> finished = m_writer->finish(programEnd, stopReason); !finished)
        m_failure = finished.error();
    m_writer.reset();
}

std::string TraceOutput::pathOf(const trace::Finding& finding, const trace::FindingAccess& access) const
{
    const SourceId source = access.where.source;
    std::string path;
    if (!finding.kernel.empty() && m_kernelPaths)
        path = m_kernelPaths(source);
    for (const auto& [host, id] : m_sources)
        if (path.empty() && id == source)
            path = host;
    // As the user spells it.
    std::error_code ignored;
    return path.empty() || std::filesystem::equivalent(path, m_options.program, ignored) ? m_options.program : path;
}

std::string TraceOutput::textOf(const trace::Finding& finding) const
{
    std::string text;
    if (!finding.accesses.empty() && finding.accesses[0].where.line > 0) {
        const trace::SourceLocation& where = finding.accesses[0].where;
        text = fmt::format("{}:{}:{}: ", pathOf(finding, finding.accesses[0]), where.line, where.column);
    }
    text += fmt::format("{}: {} [{}]", nameOf(finding.severity), finding.message, nameOf(finding.kind));
    if (finding.count > 1)
        text += fmt::format(" ({} times)", finding.count);
    if (!finding.calls.empty())
        text += fmt::format(", by way of {}:{}", pathOf(finding, finding.calls[0]), finding.calls[0].where.line);
    return text;
}

}  // namespace lanescope::runtime
