// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/finding_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "app/cli/json_text.h"

namespace lanescope::cli {

namespace {

constexpr const char* kBold = "1";
constexpr const char* kRed = "1;31";
constexpr const char* kMagenta = "1;35";
constexpr const char* kCyan = "1;36";
constexpr const char* kGreen = "1;32";
/// Longer lines are not shown: generated code.
constexpr size_t kMaxLineShown = 400;
/// Of those that are told together, besides the first.
constexpr size_t kMostTold = 8;

/// Line \p number (1-based) of \p text, without its end.
std::string lineOf(const std::string& text, uint32_t number)
{
    size_t begin = 0;
    for (uint32_t i = 1; i < number; ++i) {
        begin = text.find('\n', begin);
        if (begin == std::string::npos)
            return "";
        ++begin;
    }
    std::string line = text.substr(begin, text.find('\n', begin) - begin);
    if (!line.empty() && line.back() == '\r')
        line.pop_back();
    return line;
}

/// What the kernel's language calls the block of a finding.
std::string blockWord(const trace::Catalog& catalog, const trace::Finding& finding)
{
    return finding.launch.value < catalog.launches.size() ? catalog.launches[finding.launch.value].blockWord : "block";
}

/// "read by block (0,0,0) thread (2,0,0), epoch 1, step 14"; less for an access of the host or of all threads.
std::string whoText(const trace::Catalog& catalog, const trace::Finding& finding, const trace::FindingAccess& access)
{
    if (finding.kernel.empty() || finding.severity == Severity::Advice)
        return access.access;
    return fmt::format("{} by {} ({},{},{}) thread ({},{},{}), epoch {}, step {}", access.access,
                       blockWord(catalog, finding), access.block.x, access.block.y, access.block.z, access.thread.x,
                       access.thread.y, access.thread.z, access.epoch, access.step);
}

/// "s[3]: block (0,0,0) thread (3,0,0) and thread (2,0,0)"
std::string placesText(const trace::Catalog& catalog, const trace::Finding& finding,
                       const trace::FindingInstance& instance)
{
    std::string text = instance.cell.empty() || finding.buffer.empty()
                           ? ""
                           : fmt::format("{}[{}], ", finding.buffer, fmt::join(instance.cell, "]["));
    for (size_t i = 0; i < instance.accesses.size(); ++i) {
        const trace::FindingAccess& access = instance.accesses[i];
        const trace::FindingAccess* before = i > 0 ? &instance.accesses[i - 1] : nullptr;
        if (before && before->block == access.block && before->thread == access.thread)
            continue;
        text += before ? " and " : "";
        if (!before || before->block != access.block)
            text += fmt::format("{} ({},{},{}) ", blockWord(catalog, finding), access.block.x, access.block.y,
                                access.block.z);
        text += fmt::format("thread ({},{},{})", access.thread.x, access.thread.y, access.thread.z);
    }
    return text;
}

/// "prog.cu:21 write, prog.cu:25 read of b_shared; 12 times"
std::string sidesText(const trace::Catalog& catalog, const trace::Finding& pair)
{
    std::string text;
    for (const trace::FindingAccess& access : pair.accesses)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", locationText(catalog, access.where), access.access);
    if (!pair.buffer.empty())
        text += " of " + pair.buffer;
    return text + (pair.count > 1 ? fmt::format("; {} times", pair.count) : "");
}

class Printer {
public:
    explicit Printer(Colours colours) : m_colours(colours) {}

    void add(const TextPart& part);
    void addSummary(const findings::Findings& result);
    std::string take() { return std::move(m_text); }

private:
    [[nodiscard]] std::string painted(const char* colour, const std::string& text) const
    {
        return m_colours == Colours::On ? fmt::format("\033[{}m{}\033[0m", colour, text) : text;
    }
    [[nodiscard]] std::string severityText(Severity severity) const
    {
        const char* const colour = severity == Severity::Error     ? kRed
                                   : severity == Severity::Warning ? kMagenta
                                                                   : kCyan;
        return painted(colour, nameOf(severity) + std::string(":"));
    }
    void add(const findings::ToldFinding& finding, const std::string& where);
    void addHeading(const trace::FindingAccess* access, Severity severity, const std::string& message);
    void addSnippet(const trace::FindingAccess& access, const std::string& label);
    void addOrigin(const trace::Finding& finding);
    void addInstances(const trace::Finding& finding);
    void addTogether(const findings::ToldFinding& finding);

    const trace::Catalog* m_catalog = nullptr;  ///< of the part that is being added
    Colours m_colours;
    std::map<Severity, size_t> m_counts;
    std::set<FindingKind> m_explained;  ///< kinds whose why and help have been said
    std::string m_text;
};

void Printer::addHeading(const trace::FindingAccess* access, Severity severity, const std::string& message)
{
    if (access && access->where.line > 0)
        m_text += painted(kBold, locationText(*m_catalog, access->where) + ":") + " ";
    m_text += severityText(severity) + " " + message + "\n";
}

void Printer::addSnippet(const trace::FindingAccess& access, const std::string& label)
{
    const size_t source = access.where.source.value;
    const std::string line = source < m_catalog->sources.size() && access.where.line > 0
                                 ? lineOf(m_catalog->sources[source].text, access.where.line)
                                 : "";
    if (line.empty() || line.size() > kMaxLineShown) {
        m_text += fmt::format("      | {}\n", label);
        return;
    }
    const Underline mark = underlineOf(line, access.where.column, access.expression);
    std::string under;
    for (size_t i = 0; i < mark.last; ++i)
        under += i == mark.caret ? '^' : i >= mark.first ? '~' : line[i] == '\t' ? '\t' : ' ';
    m_text += fmt::format("{:5} | {}\n      | {} {}\n", access.where.line, line, painted(kGreen, under), label);
}

void Printer::addOrigin(const trace::Finding& finding)
{
    if (!finding.kernel.empty())
        m_text += fmt::format("  in {}, launch {}{}\n", finding.kernel, finding.launch.value,
                              finding.count > 1 ? fmt::format("; {} times", finding.count) : "");
    else if (finding.count > 1)
        m_text += fmt::format("  {} times\n", finding.count);
}

/// The other places where the same mistake shows.
void Printer::addTogether(const findings::ToldFinding& finding)
{
    const bool isRace = familyOf(finding.kind) == Family::Race;
    const std::string label = isRace ? "unordered, too:" : "as well:";
    for (size_t i = 1; i < std::min(finding.together.size(), kMostTold + 1); ++i)
        m_text +=
            fmt::format("  {:{}} {}\n", i == 1 ? label : "", label.size(), sidesText(*m_catalog, finding.together[i]));
    if (finding.together.size() > kMostTold + 1)
        m_text += fmt::format("  {:{}} and {} more {} (--format json lists them)\n", "", label.size(),
                              finding.together.size() - kMostTold - 1, isRace ? "pairs of lines" : "lines");
}

void Printer::addInstances(const trace::Finding& finding)
{
    // Two that are the same are told once.
    std::string names;
    for (size_t i = 0; i < finding.instances.size(); ++i) {
        const trace::FindingInstance& instance = finding.instances[i];
        names += (names.empty() ? "" : " and ") + instance.which;
        const std::string who = placesText(*m_catalog, finding, instance);
        if (i + 1 < finding.instances.size() && placesText(*m_catalog, finding, finding.instances[i + 1]) == who)
            continue;
        m_text += fmt::format("  {}: {}\n", std::exchange(names, {}), who);
    }
}

void Printer::add(const TextPart& part)
{
    m_catalog = part.catalog;
    for (const findings::ToldFinding& finding : part.told)
        add(finding, part.where);
}

void Printer::add(const findings::ToldFinding& finding, const std::string& where)
{
    ++m_counts[finding.severity];
    const FindingKindInfo& info = infoOf(finding.kind);
    const std::vector<trace::FindingAccess>& accesses = finding.accesses;
    addHeading(accesses.empty() ? nullptr : accesses.data(), finding.severity,
               finding.message + painted(kBold, fmt::format(" [{}]", info.name)));
    for (size_t i = 0; i < accesses.size(); ++i) {
        if (i > 0)
            m_text += fmt::format("{}: {} the other side\n", locationText(*m_catalog, accesses[i].where),
                                  painted(kCyan, "note:"));
        addSnippet(accesses[i], whoText(*m_catalog, finding, accesses[i]));
    }
    for (const trace::FindingAccess& call : finding.calls) {
        m_text += fmt::format("{}: {} the program's line that leads there\n", locationText(*m_catalog, call.where),
                              painted(kCyan, "note:"));
        addSnippet(call, "");
    }
    addOrigin(finding);
    if (!where.empty())
        m_text += fmt::format("  {}\n", where);
    addInstances(finding);
    addTogether(finding);
    // Of work that the host put into streams the message says it all.
    const bool isOfWork = finding.kind == FindingKind::GlobalRace && finding.kernel.empty();
    if (!isOfWork && m_explained.insert(finding.kind).second) {
        if (*info.why)
            m_text += fmt::format("  why:  {}\n", info.why);
        if (*info.help && finding.help.empty())
            m_text += fmt::format("  help: {}\n", info.help);
    }
    if (!finding.help.empty())
        m_text += fmt::format("  help: {}\n", finding.help);
    m_text += '\n';
}

std::string counted(size_t count, const char* one, const char* many)
{
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

void Printer::addSummary(const findings::Findings& result)
{
    for (const findings::UnusedSuppression& unused : result.unusedSuppressions)
        m_text += fmt::format("{}: {} unused suppression: {}\n", unused.where, painted(kCyan, "note:"), unused.text);
    for (const std::string& reason : result.unsupported)
        m_text += fmt::format("{} {}\n", painted(kRed, "stopped:"), reason);
    std::string summary;
    const auto addPart = [&](size_t count, const char* one, const char* many) {
        if (count > 0)
            summary += (summary.empty() ? "" : ", ") + counted(count, one, many);
    };
    addPart(m_counts[Severity::Error], "error", "errors");
    addPart(m_counts[Severity::Warning], "warning", "warnings");
    addPart(m_counts[Severity::Advice], "piece of advice", "pieces of advice");
    for (const std::string& what : result.notChecked)
        m_text += fmt::format("{} {}\n", painted(kMagenta, "not checked:"), what);
    if (summary.empty() && result.unsupported.empty())
        summary = result.complete() ? "no findings" : "no findings in what was checked";
    if (!result.suppressed.empty())
        summary += fmt::format(" ({} suppressed)", result.suppressed.size());
    if (!summary.empty())
        m_text += summary + "\n";
}

/// Where in \p line \p expression is, so that it covers \p column if it can.
size_t placeOf(const std::string& line, size_t column, const std::string& expression)
{
    size_t best = std::string::npos;
    for (size_t at = line.find(expression); at != std::string::npos; at = line.find(expression, at + 1))
        if (at <= column && column < at + expression.size())
            best = at;
    return best;
}

}  // namespace

Underline underlineOf(const std::string& line, uint32_t column, const std::string& expression)
{
    const size_t caret = std::min<size_t>(column > 0 ? column - 1 : 0, line.size());
    const size_t at = expression.empty() ? std::string::npos : placeOf(line, caret, expression);
    if (at != std::string::npos)
        return {at, at + expression.size(), caret};
    if (column == 0) {  // the whole statement
        const size_t first = line.find_first_not_of(" \t");
        const size_t begin = first == std::string::npos ? 0 : first;
        return {begin, std::max(begin + 1, line.find_last_not_of(" \t") + 1), begin};
    }
    return {caret, caret + 1, caret};
}

Colours coloursOfStdout()
{
    const char* const noColour = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    const bool wanted = !(noColour && *noColour) && terminal && std::strcmp(terminal, "dumb") != 0;
    return wanted && isatty(STDOUT_FILENO) ? Colours::On : Colours::Off;
}

std::string findingsText(const std::vector<TextPart>& parts, const findings::Findings& result, Colours colours)
{
    Printer printer(colours);
    for (const TextPart& part : parts)
        printer.add(part);
    printer.addSummary(result);
    return printer.take();
}

}  // namespace lanescope::cli
