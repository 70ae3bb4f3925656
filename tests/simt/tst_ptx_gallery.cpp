// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the gallery's programs as Mojo's compiler writes their kernels (tests/ptx/mojo/cases.txt): results as expected,
// and the findings, at the lines of the Mojo source.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <QtTest>

#include "ptx_device.h"

using namespace lanescope;

namespace {

struct Case {
    std::string program;
    std::vector<std::string> buffers;
    std::vector<std::string> launches;
    std::vector<float> expected;
    std::set<std::string> findings;
};

std::string textOf(const std::string& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string trimmed(const std::string& text)
{
    const size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// Adds a line of cases.txt to \p cases.
void read(const std::string& line, std::vector<Case>& cases)
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

std::vector<Case> readCases()
{
    std::ifstream file(SOURCE_DIR "/tests/ptx/mojo/cases.txt");
    std::vector<Case> cases;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#')
            read(line, cases);
    return cases;
}

/// "3x2"
Dim3 extentOf(const std::string& text)
{
    std::istringstream words(text);
    Dim3 extent{1, 1, 1};
    char separator = 0;
    words >> extent.x >> separator >> extent.y;
    return extent.y == 0 ? Dim3{extent.x, 1, 1} : extent;
}

std::vector<float> valuesOf(const std::string& kind, size_t count, float factor)
{
    std::vector<float> values(count, kind == "ones" ? 1.0f : 0.0f);
    for (size_t i = 0; kind == "iota" && i < count; ++i)
        values[i] = static_cast<float>(i) * factor;
    return values;
}

/// A program's memory and what was found in it.
class Run {
public:
    explicit Run(const Case& run) : m_case(run)
    {
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
            m_found.insert(describe(finding));
        return {};
    }

    [[nodiscard]] std::vector<float> output(size_t count) const { return m_device.values<float>(m_first, count); }
    /// Of all launches, and of the host's reading the whole first buffer.
    std::set<std::string> found()
    {
        for (const trace::Finding& finding : m_device.findingsOfHostRead(m_first, m_firstBytes))
            m_found.insert(describe(finding));
        return m_found;
    }

private:
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

    const Case& m_case;
    test::PtxDevice m_device;
    std::map<std::string, uint64_t> m_buffers;
    uint64_t m_first = 0;
    uint64_t m_firstBytes = 0;
    std::set<std::string> m_found;
};

std::string joined(const std::set<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

}  // namespace

class TestPtxGallery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsAsInCuda_data()
    {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < m_cases.size(); ++i)
            QTest::addRow("%s", m_cases[i].program.c_str()) << static_cast<int>(i);
    }

    void runsAsInCuda()
    {
        QFETCH(int, index);
        const Case& wanted = m_cases[static_cast<size_t>(index)];
        Run run(wanted);
        for (const std::string& line : wanted.launches)
            QCOMPARE(run.launch(line), std::string());
        QCOMPARE(run.output(wanted.expected.size()), wanted.expected);
        QCOMPARE(QString::fromStdString(joined(run.found())), QString::fromStdString(joined(wanted.findings)));
    }

private:
    std::vector<Case> m_cases = readCases();
};

QTEST_APPLESS_MAIN(TestPtxGallery)
#include "tst_ptx_gallery.moc"
