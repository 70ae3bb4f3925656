// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/trace_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

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
    session.variablesRecorded = options.variables && !options.useGpu;
    return session;
}

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
    Result<std::unique_ptr<trace::TraceWriter>> created =
        trace::TraceWriter::create(m_options.tracePath, session, {m_options.maxBytes, m_options.variables});
    if (created)
        m_writer = std::move(created).value();
    else
        m_failure = created.error();
    return m_writer.get();
}

SourceId TraceOutput::sourceOf(const std::string& path)
{
    const auto [known, isNew] = m_sources.try_emplace(path);
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
    for (const trace::Finding& finding : findings) {
        auto known = std::find_if(m_findings.begin(), m_findings.end(),
                                  [&](const trace::Finding& other) { return isSame(other, finding); });
        if (known == m_findings.end())
            known = m_findings.insert(m_findings.end(), finding);
        else
            known->count += finding.count;
        if (m_writer)
            m_writer->putFinding(static_cast<size_t>(known - m_findings.begin()), *known);
    }
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
    const nlohmann::json line = {{"event", event},
                                 {"launch", launch},
                                 {"kernel", kernel},
                                 {"grid", {grid.x, grid.y, grid.z}},
                                 {"block", {block.x, block.y, block.z}},
                                 {"seconds", seconds},
                                 {"bytes", m_writer ? m_writer->bytesWritten() : 0}};
    const std::string text = line.dump() + "\n";
    if (write(m_options.progressFd, text.data(), text.size()) < 0)
        m_options.progressFd = -1;  // nobody listens any more
}

void TraceOutput::finish(std::optional<int> programExit, const StopReason& stopReason)
{
    if (!m_writer)
        return;
    if (Result<void> finished = m_writer->finish(programExit, stopReason); !finished)
        m_failure = finished.error();
    m_writer.reset();
}

std::string findingText(const trace::Finding& finding, const std::string& file)
{
    std::string text;
    if (!finding.accesses.empty() && finding.accesses[0].where.line > 0) {
        const trace::SourceLocation& where = finding.accesses[0].where;
        text = fmt::format("{}:{}:{}: ", file, where.line, where.column);
    }
    text += fmt::format("{}: {} [{}]", nameOf(finding.severity), finding.message, nameOf(finding.kind));
    if (finding.count > 1)
        text += fmt::format(" ({} times)", finding.count);
    return text;
}

}  // namespace lanescope::runtime
