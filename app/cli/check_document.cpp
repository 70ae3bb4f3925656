// SPDX-License-Identifier: GPL-3.0-or-later
// Reads check's documents again, which may come from anywhere.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "app/cli/check_report.h"

namespace lanescope::cli {

namespace {

/// The members of a finding that are no numbers of a piece of advice.
constexpr const char* kKnown[] = {"count", "launch", "process"};

trace::ProgramEnd endOf(const Json& json)
{
    if (!json.is_object())
        return {};
    trace::ProgramEnd end = trace::ProgramEnd::of(json.value("how", ""));
    if (json.contains("status"))
        end.status = json.at("status").get<int>();
    end.signal = json.value("signal", "");
    return end;
}

Dim3 positionOf(const Json& json)
{
    return {json.at(0).get<uint32_t>(), json.at(1).get<uint32_t>(), json.at(2).get<uint32_t>()};
}

/// Makes one catalog of the places that a document names.
class DocumentReader {
public:
    explicit DocumentReader(trace::Catalog& catalog) : m_catalog(catalog) {}

    findings::ToldFinding read(const Json& json)
    {
        findings::ToldFinding told{findingOf(json), {}};
        for (const char* list : {"pairs", "together"})
            for (const Json& one : json.value(list, Json::array())) {
                trace::Finding finding = findingOf(one);
                finding.kind = told.kind;
                finding.severity = told.severity;
                finding.kernel = told.kernel;
                told.together.push_back(std::move(finding));
            }
        return told;
    }

private:
    SourceId sourceOf(const std::string& path);
    std::vector<trace::FindingAccess> accessesOf(const Json& list);
    trace::Finding findingOf(const Json& json);

    trace::Catalog& m_catalog;
};

/// With its text, where the file is still there.
SourceId DocumentReader::sourceOf(const std::string& path)
{
    for (size_t i = 0; i < m_catalog.sources.size(); ++i)
        if (m_catalog.sources[i].path == path)
            return SourceId{static_cast<uint32_t>(i)};
    trace::Source source;
    source.path = path;
    std::ifstream file(path);
    source.text.assign(std::istreambuf_iterator<char>(file), {});
    m_catalog.sources.push_back(std::move(source));
    return SourceId{static_cast<uint32_t>(m_catalog.sources.size() - 1)};
}

std::vector<trace::FindingAccess> DocumentReader::accessesOf(const Json& list)
{
    std::vector<trace::FindingAccess> accesses;
    for (const Json& json : list) {
        trace::FindingAccess access;
        access.where = {sourceOf(json.at("file")), json.at("line"), json.at("column")};
        access.expression = json.at("expression");
        access.access = json.at("access");
        access.block = positionOf(json.at("block"));
        access.thread = positionOf(json.at("thread"));
        access.epoch = json.at("epoch");
        access.step = json.at("step");
        accesses.push_back(std::move(access));
    }
    return accesses;
}

trace::Finding DocumentReader::findingOf(const Json& json)
{
    trace::Finding finding;
    finding.kind = kindNamed(json.value("kind", "")).value_or(FindingKind::Unknown);
    finding.severity = infoOf(finding.kind).severity;
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Advice})
        if (json.value("severity", "") == nameOf(severity))
            finding.severity = severity;
    finding.message = json.at("message");
    finding.count = json.at("count");
    finding.kernel = json.value("kernel", "");
    finding.launch = LaunchId{json.at("launch").get<uint32_t>()};
    finding.buffer = json.at("buffer");
    finding.cell = json.at("cell").get<std::vector<int64_t>>();
    finding.accesses = accessesOf(json.at("accesses"));
    finding.calls = accessesOf(json.value("calls", Json::array()));
    finding.help = json.value("help", "");
    for (const auto& [name, value] : json.items()) {
        if (value.is_object() && value.contains("cell") && value.contains("accesses"))
            finding.instances.push_back(
                {name, value.at("cell").get<std::vector<int64_t>>(), accessesOf(value.at("accesses"))});
        else if (value.is_number() && std::ranges::find(kKnown, name) == std::end(kKnown))
            finding.numbers.emplace_back(name, value.get<double>());
    }
    return finding;
}

/// Whether \p finding was seen in the run of \p numbers, which is the \p index-th.
bool isOf(const Json& finding, const std::map<std::string, uint32_t>& numbers, size_t index)
{
    if (finding.contains("process"))
        return finding.at("process") == index;
    return std::ranges::all_of(numbers, [&](const auto& number) {
        const auto list = finding.find(number.first + "s");
        return list == finding.end() || std::ranges::find(*list, Json(number.second)) != list->end();
    });
}

std::optional<Explored> exploredOf(const Json& document)
{
    const auto json = document.find("explored");
    if (json == document.end())
        return std::nullopt;
    return Explored{json->at("schedules").get<std::vector<std::string>>(), json->at("asked").get<unsigned>(),
                    json->value("shards", 1U)};
}

/// Of one part; what a merged report tells of several cannot be held against more.
std::optional<BlockPart> blockPartOf(const Json& document)
{
    const auto json = document.find("blockPart");
    if (json == document.end() || !json->contains("buffers"))
        return std::nullopt;
    return BlockPart{json->at("launch"), json->at("blocks"), json->at("parts"), touchedBuffersOf(json->at("buffers"))};
}

CheckedRun runOf(const Json& document, const Json& process, size_t index)
{
    CheckedRun run;
    trace::SessionInfo& session = run.reported.session;
    session.program = process.at("program");
    session.device = process.at("device");
    session.programEnd = endOf(process.at("programEnd"));
    run.result.notChecked = process.at("notChecked").get<std::vector<std::string>>();
    for (const char* kind : {"rank", "shard"})
        if (process.contains(kind))
            run.numbers[kind] = process.at(kind);
    DocumentReader reader(run.reported);
    for (const Json& finding : document.at("findings"))
        if (isOf(finding, run.numbers, index)) {
            run.told.push_back(reader.read(finding));
            run.result.findings.push_back(run.told.back());
        }
    for (const Json& reason : document.at("unsupported"))
        run.result.unsupported.push_back(reason);
    for (const Json& unused : document.value("unusedSuppressions", Json::array()))
        run.result.unusedSuppressions.push_back({unused.at("where"), unused.at("text")});
    return run;
}

}  // namespace

Result<std::vector<CheckedRun>> runsOf(const Json& document)
try {
    if (document.at("schema") != kJsonSchema)
        return Error{Error::Code::BadInput,
                     fmt::format("found schema {}, expected {}", document.at("schema").dump(), kJsonSchema), ""};
    std::vector<CheckedRun> runs;
    if (const auto processes = document.find("processes"); processes != document.end() && !processes->empty())
        for (const Json& process : *processes)
            runs.push_back(runOf(document, process, runs.size()));
    else
        runs.push_back(runOf(document, document, 0));
    runs.front().explored = exploredOf(document);
    if (const std::optional<Explored>& explored = runs.front().explored; explored && runs.size() == 1)
        for (const Json& shard : document.at("explored").value("shard", Json::array()))
            runs.front().numbers["shard"] = shard;
    runs.front().blockPart = blockPartOf(document);
    if (runs.front().blockPart)
        runs.front().numbers["shard"] = document.at("blockPart").at("part").at(0);
    runs.front().result.droppedBlocks = document.value("dropped", uint64_t{0});
    return runs;
} catch (const Json::exception& error) {
    return Error{Error::Code::BadInput, fmt::format("no report of lanescope check --format json ({})", error.what()),
                 ""};
}

}  // namespace lanescope::cli
