// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/process_rank.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace lanescope::trace {

namespace {

constexpr std::string_view kPlace = "%r";

std::optional<uint32_t> numberOf(std::string_view text)
{
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<uint32_t> variable(const char* name)
{
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read before there are threads
    return text ? numberOf(text) : std::nullopt;
}

/// Where the last part of \p path begins.
size_t lastPart(const std::string& path)
{
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? 0 : slash + 1;
}

}  // namespace

std::optional<ProcessRank> processRank()
{
    struct Names {
        const char* rank;
        const char* of;
    };
    static constexpr std::array kNames = {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          Names{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                          Names{"PMI_RANK", "PMI_SIZE"}, Names{"PMIX_RANK", "PMIX_SIZE"}};
    for (const Names& names : kNames)
        if (const std::optional<uint32_t> rank = variable(names.rank))
            return ProcessRank{*rank, variable(names.of).value_or(0)};
    // A batch script has a number of Slurm's as well, 0, but is no step of its job.
    const std::optional<uint32_t> rank = variable("SLURM_PROCID");
    if (!rank || !variable("SLURM_STEP_ID"))
        return std::nullopt;
    return ProcessRank{*rank, variable("SLURM_STEP_NUM_TASKS").value_or(0)};
}

bool isOfRanks(const std::string& path)
{
    return path.find(kPlace, lastPart(path)) != std::string::npos;
}

std::string pathOfRank(const std::string& path, const ProcessRank& rank)
{
    std::string result = path;
    const std::string number = std::to_string(rank.rank);
    for (size_t at = result.find(kPlace, lastPart(path)); at != std::string::npos;
         at = result.find(kPlace, at + number.size()))
        result.replace(at, kPlace.size(), number);
    return result;
}

bool isPathOfRank(const std::string& path, const std::string& pattern)
{
    const size_t at = pattern.find(kPlace, lastPart(pattern));
    if (at == std::string::npos)
        return path == pattern;
    const size_t end = path.find_first_not_of("0123456789", at);
    const std::optional<uint32_t> rank =
        path.size() > at ? numberOf(std::string_view(path).substr(at, end - at)) : std::nullopt;
    return rank && pathOfRank(pattern, {*rank, 0}) == path;
}

std::string rankText(const ProcessRank& rank)
{
    return rank.of > 0 ? std::to_string(rank.rank) + "/" + std::to_string(rank.of) : std::to_string(rank.rank);
}

std::optional<ProcessRank> rankFrom(const std::string& text)
{
    const size_t slash = text.find('/');
    const std::optional<uint32_t> rank = numberOf(std::string_view(text).substr(0, slash));
    const std::optional<uint32_t> of =
        slash == std::string::npos ? 0 : numberOf(std::string_view(text).substr(slash + 1));
    return rank && of ? std::optional(ProcessRank{*rank, *of}) : std::nullopt;
}

}  // namespace lanescope::trace
