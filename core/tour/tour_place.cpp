// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "core/tour/tour.h"

namespace lanescope::tour {

namespace {

/// Finds one stop's place in one session.
class Locator {
public:
    Locator(replay::Session& session, const Stop& stop) : m_session(session), m_stop(stop) {}

    Result<Place> run()
    {
        for (auto step : {&Locator::start, &Locator::afterLine, &Locator::selectCell, &Locator::aim})
            if (Result<void> done = (this->*step)(); !done)
                return done.error();
        return m_place;
    }

private:
    [[nodiscard]] Error missing(const std::string& message) const
    {
        return {Error::Code::NotFound, message, fmt::format("stop at line {}, \"{}\"", m_stop.line, m_stop.title)};
    }

    Result<void> start()
    {
        auto opening = m_session.openingFocus();
        if (!opening)
            return opening.error();
        m_place.focus = opening.value();
        if (m_session.catalog().launches.empty())
            return missing("the trace holds no launch");
        if (!m_stop.finding.empty())
            if (Result<void> done = atFinding(); !done)
                return done;
        if (m_stop.focus.empty())
            return {};
        auto focus = m_session.parseFocus(m_stop.focus, m_place.focus);
        if (!focus)
            return missing(focus.error().text());
        m_place.focus = focus.value();
        return {};
    }

    Result<void> atFinding()
    {
        uint32_t time = 0;
        for (const trace::Finding& finding : m_session.catalog().findings) {
            if (nameOf(finding.kind) != m_stop.finding || finding.accesses.empty() || ++time != m_stop.time)
                continue;
            const trace::FindingAccess& access = finding.accesses.back();
            m_place.focus = {finding.launch, access.block, access.step, access.thread, {}, 0};
            auto cursor = cursorOf();
            if (!cursor)
                return cursor.error();
            m_place.focus.step = std::min(access.step + 1, cursor.value()->stepCount());
            return {};
        }
        return missing(
            fmt::format("found {} findings of kind {}, expected at least {}", time, m_stop.finding, m_stop.time));
    }

    Result<std::unique_ptr<replay::BlockCursor>> cursorOf()
    {
        const trace::Launch& launch = m_session.catalog().launches[m_place.focus.launch.value];
        return m_session.cursor(m_place.focus.launch, BlockIndex{linearIndex(m_place.focus.block, launch.grid)});
    }

    /// The one source line with sites that contains the stop's text.
    Result<trace::SourceLocation> wantedLine() const
    {
        const trace::Catalog& catalog = m_session.catalog();
        std::vector<trace::SourceLocation> found;
        for (const trace::Source& source : catalog.sources) {
            std::istringstream lines(source.text);
            uint32_t number = 0;
            for (std::string line; std::getline(lines, line);) {
                ++number;
                const bool runs = line.find(m_stop.after) != std::string::npos &&
                                  std::any_of(catalog.sites.begin(), catalog.sites.end(), [&](const trace::Site& site) {
                                      return site.where.source == source.id && site.where.line == number;
                                  });
                if (runs)
                    found.push_back({source.id, number, 0});
            }
        }
        if (found.size() != 1)
            return missing(
                fmt::format("found {} lines that run and contain \"{}\", expected one", found.size(), m_stop.after));
        return found.front();
    }

    Result<void> afterLine()
    {
        if (m_stop.after.empty())
            return {};
        auto line = wantedLine();
        if (!line)
            return line.error();
        auto cursor = cursorOf();
        if (!cursor)
            return cursor.error();
        auto steps = cursor.value()->summary();
        if (!steps)
            return steps.error();
        return afterLine(line.value(), *steps.value());
    }

    /// After the last event of the wanted run of the line by the focused thread.
    Result<void> afterLine(const trace::SourceLocation& line, const std::vector<replay::StepSummary>& steps)
    {
        const trace::Launch& launch = m_session.catalog().launches[m_place.focus.launch.value];
        const uint64_t thread = linearIndex(m_place.focus.thread, launch.block);
        uint32_t time = 0;
        bool inRun = false;
        for (StepIndex step = 0; step < steps.size(); ++step) {
            if (steps[step].warp != thread / kWarpSize)
                continue;
            const trace::SourceLocation& where = m_session.catalog().sites[steps[step].site.value].where;
            const bool here = where.source == line.source && where.line == line.line &&
                              (steps[step].mask >> thread % kWarpSize & 1u) != 0;
            time += here && !inRun ? 1 : 0;
            inRun = here;
            if (time > m_stop.time)
                break;
            if (here && time == m_stop.time)
                m_place.focus.step = step + 1;
        }
        if (time < m_stop.time)
            return missing(
                fmt::format("the thread runs line {} {} times, expected at least {}", line.line, time, m_stop.time));
        return {};
    }

    Result<trace::Buffer> bufferNamed(const std::string& name)
    {
        auto buffers = m_session.buffersOf(m_place.focus.launch);
        if (!buffers)
            return buffers.error();
        for (const trace::Buffer& buffer : buffers.value())
            if (buffer.name == name)
                return buffer;
        return missing(fmt::format("no buffer \"{}\" in launch {}", name, m_place.focus.launch.value));
    }

    /// "name[i][j]" with as many subscripts as the buffer has dims, or one.
    Result<void> selectCell()
    {
        if (m_stop.cell.empty())
            return {};
        const size_t bracket = m_stop.cell.find('[');
        auto buffer = bufferNamed(m_stop.cell.substr(0, bracket));
        if (!buffer)
            return buffer.error();
        const std::vector<uint64_t>& dims = buffer.value().dims;
        uint64_t element = 0;
        size_t count = 0;
        for (size_t at = bracket; at < m_stop.cell.size(); ++count) {
            uint64_t index = 0;
            const char* end = m_stop.cell.data() + m_stop.cell.size();
            const auto [rest, status] = std::from_chars(m_stop.cell.data() + at + 1, end, index);
            if (status != std::errc() || rest == end || *rest != ']')
                return missing(fmt::format("cell \"{}\", expected name[index]", m_stop.cell));
            element = element * (count > 0 && count < dims.size() ? dims[count] : 1) + index;
            at = static_cast<size_t>(rest - m_stop.cell.data()) + 1;
        }
        const uint64_t elements = buffer.value().bytes / std::max(1u, buffer.value().element.totalBytes());
        if ((count != dims.size() && count != 1) || element >= elements)
            return missing(
                fmt::format("cell \"{}\" is not one of the {} of {}", m_stop.cell, elements, buffer.value().name));
        m_place.focus.buffer = buffer.value().id;
        m_place.focus.cell = element;
        return {};
    }

    Result<void> aim()
    {
        for (const std::string& name : m_stop.camera) {
            m_place.threads |= name == "threads";
            m_place.blocks |= name == "blocks";
            if (name == "threads" || name == "blocks")
                continue;
            auto buffer = bufferNamed(name);
            if (!buffer)
                return buffer.error();
            m_place.camera.push_back(buffer.value().id);
        }
        return {};
    }

    replay::Session& m_session;
    const Stop& m_stop;
    Place m_place;
};

}  // namespace

Result<Place> placeOf(replay::Session& session, const Stop& stop)
{
    return Locator(session, stop).run();
}

}  // namespace lanescope::tour
