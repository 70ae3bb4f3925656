// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "core/exercise/exercise.h"

namespace lanescope::exercise {

namespace {

constexpr std::array kMetrics{std::pair(Metric::SectorsPerRequest, "sectors-per-request"),
                              std::pair(Metric::ConflictDegree, "conflict-degree"),
                              std::pair(Metric::GlobalReads, "global-reads"),
                              std::pair(Metric::GlobalWrites, "global-writes"),
                              std::pair(Metric::SharedReads, "shared-reads"),
                              std::pair(Metric::SharedWrites, "shared-writes"),
                              std::pair(Metric::Atomics, "atomics")};

Error bad(const std::string& found, const std::string& expected)
{
    return {Error::Code::BadInput, fmt::format("\"{}\", expected {}", found, expected), "gate"};
}

std::string knownMetrics()
{
    std::string names;
    for (const auto& [metric, name] : kMetrics)
        names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
}

Result<Metric> metricNamed(const std::string& wanted)
{
    for (const auto& [metric, name] : kMetrics)
        if (wanted == name)
            return metric;
    return bad(wanted, "one of " + knownMetrics());
}

Result<Gate::Per> perNamed(const std::string& word)
{
    if (word == "thread")
        return Gate::Per::Thread;
    if (word == "block")
        return Gate::Per::Block;
    return bad(word, "per thread or per block");
}

}  // namespace

std::string_view nameOf(Metric metric)
{
    for (const auto& [known, name] : kMetrics)
        if (known == metric)
            return name;
    return {};
}

Result<Gate> parseGate(const std::string& text)
{
    constexpr const char* kForm = "METRIC [of BUFFER] <=|>= NUMBER [per thread|per block]";
    std::istringstream words(text);
    std::string word;
    words >> word;
    const Result<Metric> metric = metricNamed(word);
    if (!metric)
        return metric.error();
    Gate gate;
    gate.metric = metric.value();
    words >> word;
    if (word == "of" && !(words >> gate.buffer >> word))
        return bad(text, kForm);
    if (word != "<=" && word != ">=")
        return bad(text, kForm);
    gate.atLeast = word == ">=";
    if (!(words >> gate.bound))
        return bad(text, kForm);
    if (!(words >> word))
        return gate;
    if (word != "per" || !(words >> word))
        return bad(text, kForm);
    const Result<Gate::Per> per = perNamed(word);
    if (!per)
        return per.error();
    gate.per = per.value();
    if (words >> word)
        return bad(text, kForm);
    return gate;
}

std::string textOf(const Gate& gate)
{
    std::string text(nameOf(gate.metric));
    if (!gate.buffer.empty())
        text += " of " + gate.buffer;
    text += fmt::format(" {} {:g}", gate.atLeast ? ">=" : "<=", gate.bound);
    if (gate.per != Gate::Per::Run)
        text += gate.per == Gate::Per::Thread ? " per thread" : " per block";
    return text;
}

}  // namespace lanescope::exercise
