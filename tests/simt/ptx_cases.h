// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gallery's programs as Mojo's compiler writes their kernels: what tests/ptx/mojo/cases.txt says of them, and runs.
#pragma once

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "ptx_device.h"

namespace lanescope::test {

/// A program of tests/ptx/mojo/cases.txt.
struct PtxCase {
    std::string program;
    std::vector<std::string> buffers;
    std::vector<std::string> launches;
    std::vector<float> expected;
    std::set<std::string> findings;
};

inline std::string textOf(const std::string& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string trimmed(const std::string& text)
{
    const size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// Adds a line of cases.txt to \p cases.
inline void read(const std::string& line, std::vector<PtxCase>& cases)
{
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    std::string rest;
    std::getline(words, rest);
    rest = trimmed(rest);
    if (kind == "program")
        cases.push_back({rest, {}, {}, {}, {}});
    else if (kind == "buffer")
        cases.back().buffers.push_back(rest);
    else if (kind == "launch")
        cases.back().launches.push_back(rest);
    else if (kind == "finding")
        cases.back().findings.insert(rest);
    else if (kind == "expect") {
        std::istringstream numbers(rest);
        for (float number = 0; numbers >> number;)
            cases.back().expected.push_back(number);
    }
}

inline std::vector<PtxCase> readCases()
{
    std::ifstream file(SOURCE_DIR "/tests/ptx/mojo/cases.txt");
    std::vector<PtxCase> cases;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#')
            read(line, cases);
    return cases;
}

/// "3x2"
inline Dim3 extentOf(const std::string& text)
{
    std::istringstream words(text);
    Dim3 extent{1, 1, 1};
    char separator = 0;
    words >> extent.x >> separator >> extent.y;
    return extent.y == 0 ? Dim3{extent.x, 1, 1} : extent;
}

inline std::vector<float> valuesOf(const std::string& kind, size_t count, float factor)
{
    std::vector<float> values(count, kind == "ones" ? 1.0f : 0.0f);
    for (size_t i = 0; kind == "iota" && i < count; ++i)
        values[i] = static_cast<float>(i) * factor;
    return values;
}

/// A program's memory and what was found in it.
class PtxRun {
public:
    /// \p writer: records the launches; null: nothing does.
    explicit PtxRun(const PtxCase& run, trace::TraceWriter* writer = nullptr) : m_case(run)
    {
        m_device.writer = writer;
        for (const std::string& line : run.buffers) {
            std::istringstream words(line);
            std::string name, kind;
            size_t count = 0;
            float factor = 1;
            words >> name >> kind >> count;
            words >> factor;
            if (words.fail())
                factor = 1;
            const uint64_t address = m_device.buffer(valuesOf(kind, count, factor));
            m_buffers[name] = address;
            if (m_first == 0) {
                m_first = address;
                m_firstBytes = count * sizeof(float);
            }
        }
    }

    /// Empty, or why it could not be launched.
    std::string launch(const std::string& line)
    {
        std::istringstream words(line);
        std::string kernel, grid, block, word;
        words >> kernel >> word >> grid >> word >> block;
        std::vector<uint64_t> arguments;
        while (words >> word)
            arguments.push_back(m_buffers.at(word));
        const std::string wrong =
            m_device.load(textOf(SOURCE_DIR "/tests/ptx/mojo/" + m_case.program + "." + kernel + ".ptx"));
        if (!wrong.empty())
            return wrong;
        const auto result = m_device.run(kernel, extentOf(grid), extentOf(block), arguments);
        if (!result)
            return result.error().text();
        for (const trace::Finding& finding : result.value().findings)
            note(finding);
        return {};
    }

    [[nodiscard]] std::vector<float> output(size_t count) const { return m_device.values<float>(m_first, count); }
    /// Of all launches, and of the host's reading the whole first buffer.
    std::set<std::string> found()
    {
        for (const trace::Finding& finding : m_device.findingsOfHostRead(m_first, m_firstBytes))
            note(finding);
        return m_found;
    }

private:
    void note(const trace::Finding& finding)
    {
        if (m_device.writer)
            m_device.writer->putFinding(m_recorded++, finding);
        m_found.insert(describe(finding));
    }

    /// "shared-race | a line | another line": the program's lines in the order of its text, each once. What is in a
    /// library is named by the program's line that leads there.
    [[nodiscard]] std::string describe(const trace::Finding& finding) const
    {
        std::set<uint32_t> lines;
        for (const auto* places : {&finding.accesses, &finding.calls})
            for (const trace::FindingAccess& access : *places)
                if (m_device.module().sourcePath(access.where.source).ends_with(m_case.program + ".mojo"))
                    lines.insert(access.where.line);
        std::string text = nameOf(finding.kind);
        for (const uint32_t line : lines) {
            std::ifstream source(SOURCE_DIR "/kernels/mojo/" + m_case.program + ".mojo");
            std::string code;
            for (uint32_t i = 0; i < line; ++i)
                std::getline(source, code);
            text += " | " + trimmed(code);
        }
        return text;
    }

    const PtxCase& m_case;
    PtxDevice m_device;
    std::map<std::string, uint64_t> m_buffers;
    uint64_t m_first = 0;
    uint64_t m_firstBytes = 0;
    std::set<std::string> m_found;
    size_t m_recorded = 0;
};

}  // namespace lanescope::test
