// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/findings/suppressions.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace lanescope::findings {

namespace {

constexpr std::string_view kMarker = "lanescope: allow ";

struct Suppression {
    std::string kind;    ///< or "*"
    std::string file;    ///< pattern; empty: any
    uint32_t line = 0;   ///< 0: any
    std::string kernel;  ///< empty: any
    std::string reason;
    UnusedSuppression origin;
    bool inSource = false;
    bool used = false;
};

std::string trimmed(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return "";
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// Takes "(why)" off the end of \p text.
std::string takeReason(std::string& text)
{
    const size_t open = text.find('(');
    if (open == std::string::npos)
        return "";
    const size_t close = text.rfind(')');
    std::string reason = text.substr(open + 1, close == std::string::npos || close < open ? close : close - open - 1);
    text = trimmed(text.substr(0, open));
    return reason;
}

bool matchesPath(const std::string& pattern, const std::string& path)
{
    return fnmatch(pattern.c_str(), path.c_str(), 0) == 0 || fnmatch(("*/" + pattern).c_str(), path.c_str(), 0) == 0;
}

bool allows(const Suppression& suppression, const trace::Catalog& catalog, const trace::Finding& finding)
{
    if (suppression.kind != "*" && suppression.kind != nameOf(finding.kind))
        return false;
    if (!suppression.kernel.empty() && suppression.kernel != finding.kernel)
        return false;
    if (suppression.file.empty())
        return true;
    const auto isThere = [&](const trace::FindingAccess& access) {
        const std::string path = trace::pathOf(catalog, access.where.source);
        return (suppression.line == 0 || suppression.line == access.where.line) &&
               (suppression.inSource ? path == suppression.file : matchesPath(suppression.file, path));
    };
    return std::ranges::any_of(finding.accesses, isThere) || std::ranges::any_of(finding.calls, isThere);
}

/// Several kinds may be allowed at once, separated by commas or spaces.
void readComment(const std::string& path, uint32_t line, bool alone, std::string text, std::vector<Suppression>& all)
{
    const std::string reason = takeReason(text);
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    for (std::string kind; words >> kind;)
        all.push_back({kind,
                       path,
                       alone ? line + 1 : line,
                       "",
                       reason,
                       {fmt::format("{}:{}", path, line), "allow " + kind},
                       true,
                       false});
}

void readComments(const trace::Source& source, std::vector<Suppression>& all)
{
    std::istringstream lines(source.text);
    uint32_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const size_t marker = line.find(kMarker);
        const size_t comment = line.find("//");
        if (marker == std::string::npos || comment == std::string::npos || comment > marker)
            continue;
        const bool alone = trimmed(line.substr(0, comment)).empty();
        readComment(source.path, number, alone, line.substr(marker + kMarker.size()), all);
    }
}

void setPlace(Suppression& suppression, const std::string& place)
{
    suppression.file = place;
    const size_t colon = place.rfind(':');
    if (colon == std::string::npos)
        return;
    const char* const end = place.data() + place.size();
    const auto [stop, error] = std::from_chars(place.data() + colon + 1, end, suppression.line);
    if (error == std::errc() && stop == end)
        suppression.file = place.substr(0, colon);
}

/// None when \p text is no suppression.
std::optional<Suppression> parseLine(std::string text)
{
    Suppression suppression;
    suppression.reason = takeReason(text);
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    if (words.empty() || (words[0] != "*" && !kindNamed(words[0])))
        return std::nullopt;
    suppression.kind = words[0];
    if (words.size() == 3 && words[1] == "in")
        suppression.kernel = words[2];
    else if (words.size() == 2)
        setPlace(suppression, words[1]);
    else if (words.size() != 1)
        return std::nullopt;
    suppression.origin.text = text;
    return suppression;
}

Result<void> readFile(const std::string& path, std::vector<Suppression>& all)
{
    std::ifstream file(path);
    if (!file)
        return Error{Error::Code::NotFound, "cannot be read", path};
    uint32_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        const std::string text = trimmed(std::string_view(line).substr(0, line.find('#')));
        if (text.empty())
            continue;
        std::optional<Suppression> suppression = parseLine(text);
        if (!suppression)
            return Error{Error::Code::BadInput,
                         fmt::format("found '{}', expected KIND, KIND FILE[:LINE] or KIND in KERNEL", text),
                         fmt::format("{}:{}", path, number)};
        suppression->origin.where = fmt::format("{}:{}", path, number);
        all.push_back(std::move(*suppression));
    }
    return {};
}

}  // namespace

Result<Judged> applySuppressions(const trace::Catalog& catalog, const std::string& file,
                                 std::vector<trace::Finding> findings)
{
    std::vector<Suppression> all;
    for (const trace::Source& source : catalog.sources)
        readComments(source, all);
    if (!file.empty())
        if (Result<void> read = readFile(file, all); !read)
            return read.error();
    Judged judged;
    for (trace::Finding& finding : findings) {
        const Suppression* first = nullptr;
        for (Suppression& suppression : all)
            if (allows(suppression, catalog, finding)) {
                suppression.used = true;
                first = first ? first : &suppression;
            }
        if (first)
            judged.suppressed.push_back({std::move(finding), first->inSource, first->reason});
        else
            judged.kept.push_back(std::move(finding));
    }
    for (const Suppression& suppression : all)
        if (!suppression.used)
            judged.unused.push_back(suppression.origin);
    return judged;
}

}  // namespace lanescope::findings
