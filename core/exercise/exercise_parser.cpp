// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <sstream>

#include "core/exercise/exercise.h"

namespace lanescope::exercise {

namespace {

std::string trimmed(const std::string& text)
{
    const size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

/// Line by line: the exercise's own keys and text, then its sections.
class Parser {
public:
    Parser(const std::string& text, const std::string& name) : m_text(text) { m_exercise.name = name; }

    Result<Exercise> run()
    {
        std::istringstream lines(m_text);
        for (std::string line; std::getline(lines, line);) {
            ++m_line;
            if (Result<void> done = take(line); !done)
                return done.error();
        }
        if (Result<void> done = checkWhole(); !done)
            return done.error();
        return m_exercise;
    }

private:
    enum class Part : uint8_t { Keys, Text, Hint, AttemptKeys, Code, Solution };

    [[nodiscard]] Error bad(const std::string& message) const
    {
        return {Error::Code::BadInput, message, fmt::format("{}:{}", m_exercise.name, m_line)};
    }

    Result<void> take(const std::string& line)
    {
        const std::string text = trimmed(line);
        if (line.starts_with("== "))
            return beginSection(trimmed(line.substr(3)));
        switch (m_part) {
        case Part::Keys:
            if (text.starts_with("#"))
                return {};
            if (text.empty()) {
                m_part = m_exercise.title.empty() ? Part::Keys : Part::Text;
                return {};
            }
            return key(text);
        case Part::Text:
            addProse(m_exercise.text, text);
            return {};
        case Part::Hint:
            addProse(m_exercise.hints.back(), text);
            return {};
        case Part::AttemptKeys:
            return attemptKey(text);
        case Part::Code:
            attempt().code += line + '\n';
            return {};
        case Part::Solution:
            if (!m_exercise.solution.empty() || !text.empty())
                m_exercise.solution += line + '\n';
            return {};
        }
        return {};
    }

    Result<void> beginSection(const std::string& title)
    {
        m_paragraphEnds = false;
        if (title == "hint") {
            m_exercise.hints.emplace_back();
            m_part = Part::Hint;
        } else if (title == "hole") {
            m_inWrong = false;
            m_part = Part::AttemptKeys;
        } else if (title == "solution") {
            m_part = Part::Solution;
        } else if (title.starts_with("wrong ")) {
            m_exercise.wrong.emplace_back().title = trimmed(title.substr(6));
            m_inWrong = true;
            m_part = Part::AttemptKeys;
        } else {
            return bad(fmt::format("unknown section \"{}\", expected hint, hole, solution or wrong TITLE", title));
        }
        return {};
    }

    Attempt& attempt() { return m_inWrong ? m_exercise.wrong.back() : m_exercise.start; }

    void addProse(std::string& prose, const std::string& line)
    {
        if (line.empty()) {
            m_paragraphEnds = !prose.empty();
            return;
        }
        if (!prose.empty())
            prose += m_paragraphEnds ? '\n' : ' ';
        prose += line;
        m_paragraphEnds = false;
    }

    /// "key: value"; splits \p line into both.
    Result<std::string> splitKey(const std::string& line, std::string& value) const
    {
        const size_t colon = line.find(':');
        if (colon == std::string::npos)
            return bad(fmt::format("\"{}\", expected `key: value`", line));
        value = trimmed(line.substr(colon + 1));
        return line.substr(0, colon);
    }

    Result<void> key(const std::string& line)
    {
        std::string value;
        const Result<std::string> name = splitKey(line, value);
        if (!name)
            return name.error();
        const std::pair<const char*, std::string*> texts[] = {{"exercise", &m_exercise.title},
                                                              {"summary", &m_exercise.summary},
                                                              {"program", &m_exercise.program},
                                                              {"from", &m_exercise.from},
                                                              {"to", &m_exercise.to}};
        for (const auto& [known, text] : texts)
            if (name.value() == known) {
                *text = value;
                return {};
            }
        if (name.value() == "kind")
            return kind(value);
        if (name.value() == "gate")
            return gate(m_exercise.gates, value);
        if (name.value() == "test" || name.value() == "hidden")
            return test(value, name.value() == "hidden");
        return bad(fmt::format("unknown key \"{}\", expected exercise, kind, summary, program, from, to, test, hidden "
                               "or gate",
                               name.value()));
    }

    Result<void> kind(const std::string& value)
    {
        if (value != "puzzle" && value != "repair")
            return bad(fmt::format("kind \"{}\", expected puzzle or repair", value));
        m_exercise.isRepair = value == "repair";
        return {};
    }

    Result<void> gate(std::vector<Gate>& gates, const std::string& text) const
    {
        const Result<Gate> parsed = parseGate(text);
        if (!parsed)
            return bad(parsed.error().message);
        gates.push_back(parsed.value());
        return {};
    }

    /// "12 30 | GATE | GATE"
    Result<void> test(const std::string& value, bool hidden)
    {
        Test made;
        made.hidden = hidden;
        std::istringstream parts(value);
        std::string part;
        std::getline(parts, part, '|');
        made.arguments = trimmed(part);
        while (std::getline(parts, part, '|'))
            if (Result<void> done = gate(made.gates, trimmed(part)); !done)
                return done;
        m_exercise.tests.push_back(std::move(made));
        return {};
    }

    Result<void> attemptKey(const std::string& line)
    {
        if (line.empty()) {
            m_part = Part::Code;
            return {};
        }
        std::string value;
        const Result<std::string> name = splitKey(line, value);
        if (!name)
            return name.error();
        if (name.value() != "fails")
            return bad(fmt::format("unknown key \"{}\", expected fails", name.value()));
        std::istringstream words(value);
        for (std::string word; words >> word;)
            attempt().fails.push_back(word);
        return {};
    }

    Result<void> checkWhole()
    {
        for (const auto& [name, text] : {std::pair("exercise", &m_exercise.title),
                                         std::pair("program", &m_exercise.program), std::pair("from", &m_exercise.from),
                                         std::pair("to", &m_exercise.to), std::pair("summary", &m_exercise.summary)})
            if (text->empty())
                return bad(fmt::format("an exercise without `{}: …`", name));
        if (m_exercise.tests.empty())
            return bad("an exercise without a test, expected at least one `test: ARGUMENTS`");
        if (m_exercise.text.empty())
            return bad("an exercise without a text, expected paragraphs after its keys");
        trimEnd(m_exercise.solution);
        for (Attempt* one : attempts())
            if (Result<void> done = checkAttempt(*one); !done)
                return done;
        return {};
    }

    static void trimEnd(std::string& code)
    {
        while (code.ends_with("\n\n"))
            code.pop_back();
    }

    std::vector<Attempt*> attempts()
    {
        std::vector<Attempt*> all{&m_exercise.start};
        for (Attempt& wrong : m_exercise.wrong)
            all.push_back(&wrong);
        return all;
    }

    Result<void> checkAttempt(Attempt& one)
    {
        trimEnd(one.code);
        if (one.code.find_first_not_of(" \n") == std::string::npos)
            return bad(one.title.empty() ? "an exercise without code in its hole, expected `== hole`, an empty line "
                                           "and code"
                                         : fmt::format("no code for the wrong answer \"{}\"", one.title));
        if (one.fails.empty())
            return bad("code without `fails: CHECK …`, expected what is wrong with it");
        return {};
    }

    const std::string& m_text;
    Exercise m_exercise;
    uint32_t m_line = 0;
    Part m_part = Part::Keys;
    bool m_inWrong = false;
    bool m_paragraphEnds = false;
};

}  // namespace

Result<Exercise> parse(const std::string& text, const std::string& name)
{
    return Parser(text, name).run();
}

}  // namespace lanescope::exercise
