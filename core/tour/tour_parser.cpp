// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "core/tour/tour.h"

namespace lanescope::tour {

namespace {

std::string trimmed(const std::string& text)
{
    const size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::vector<std::string> words(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string word; stream >> word;)
        all.push_back(word);
    return all;
}

/// Line by line: the tour's own keys, then for each stop its title, its keys, an empty line, its caption.
class Parser {
public:
    Parser(const std::string& text, const std::string& name) : m_text(text), m_name(name) {}

    Result<Tour> run()
    {
        std::istringstream lines(m_text);
        for (std::string line; std::getline(lines, line);) {
            ++m_line;
            if (Result<void> done = take(trimmed(line)); !done)
                return done.error();
        }
        if (Result<void> done = endStop(); !done)
            return done.error();
        if (m_tour.title.empty() || m_tour.program.empty())
            return bad("a tour without a title or a program, expected `tour: TITLE` and `program: FILE` at its start");
        if (m_tour.stops.empty())
            return bad("a tour without stops, expected at least one `== TITLE`");
        return m_tour;
    }

private:
    [[nodiscard]] Error bad(const std::string& message) const
    {
        return {Error::Code::BadInput, message, fmt::format("{}:{}", m_name, m_line)};
    }

    Result<void> take(const std::string& line)
    {
        if (line.starts_with("#") && !m_inCaption)
            return {};
        if (line.starts_with("== "))
            return beginStop(trimmed(line.substr(3)));
        if (line.empty()) {
            m_inCaption = !m_tour.stops.empty();
            m_paragraphEnds = true;
            return {};
        }
        return m_inCaption ? caption(line) : key(line);
    }

    Result<void> beginStop(const std::string& title)
    {
        if (Result<void> done = endStop(); !done)
            return done;
        Stop stop;
        stop.line = m_line;
        stop.title = title;
        m_tour.stops.push_back(stop);
        m_inCaption = false;
        return {};
    }

    Result<void> endStop()
    {
        if (!m_tour.stops.empty() && m_tour.stops.back().caption.empty())
            return bad(fmt::format("the stop \"{}\" has no caption, expected text after an empty line",
                                   m_tour.stops.back().title));
        return {};
    }

    Result<void> caption(const std::string& line)
    {
        std::string& caption = m_tour.stops.back().caption;
        if (!caption.empty())
            caption += m_paragraphEnds ? '\n' : ' ';
        caption += line;
        m_paragraphEnds = false;
        return {};
    }

    Result<void> key(const std::string& line)
    {
        const size_t colon = line.find(':');
        if (colon == std::string::npos)
            return bad(fmt::format("\"{}\", expected `key: value`, `== TITLE` or an empty line", line));
        const std::string name = line.substr(0, colon);
        const std::string value = trimmed(line.substr(colon + 1));
        return m_tour.stops.empty() ? tourKey(name, value) : stopKey(m_tour.stops.back(), name, value);
    }

    Result<void> tourKey(const std::string& name, const std::string& value)
    {
        if (name == "tour")
            m_tour.title = value;
        else if (name == "program")
            m_tour.program = value;
        else
            return bad(fmt::format("unknown key \"{}\", expected tour or program", name));
        return {};
    }

    Result<void> stopKey(Stop& stop, const std::string& name, const std::string& value)
    {
        const std::pair<const char*, std::string*> texts[] = {{"focus", &stop.focus},
                                                              {"after", &stop.after},
                                                              {"finding", &stop.finding},
                                                              {"cell", &stop.cell},
                                                              {"view", &stop.view}};
        for (const auto& [key, text] : texts)
            if (name == key) {
                *text = value;
                return {};
            }
        if (name == "camera")
            stop.camera = words(value);
        else if (name == "overlays")
            stop.overlays = words(value);
        else if (name == "time")
            return time(stop, value);
        else
            return bad(
                fmt::format("unknown key \"{}\", expected focus, after, time, finding, cell, camera, overlays or "
                            "view",
                            name));
        return {};
    }

    Result<void> time(Stop& stop, const std::string& value)
    {
        const char* end = value.data() + value.size();
        const auto [rest, status] = std::from_chars(value.data(), end, stop.time);
        if (status != std::errc() || rest != end || stop.time == 0)
            return bad(fmt::format("time \"{}\", expected a number from 1", value));
        return {};
    }

    const std::string& m_text;
    const std::string& m_name;
    Tour m_tour;
    uint32_t m_line = 0;
    bool m_inCaption = false;
    bool m_paragraphEnds = false;
};

}  // namespace

Result<Tour> parse(const std::string& text, const std::string& name)
{
    return Parser(text, name).run();
}

}  // namespace lanescope::tour
