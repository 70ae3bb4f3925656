// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/job_symbols.h"

#include <charconv>
#include <iterator>
#include <string_view>

namespace lanescope::simt {
namespace {

/// By JobSymbol.
constexpr const char* kPrefixes[] = {"lanescope.code.",   "lanescope.table.",  "lanescope.own.",
                                     "lanescope.before.", "lanescope.callee.", "lanescope.partly."};

constexpr const char* kStretchPrefix = "stretch_";

/// All of \p name is \p prefix and that number.
std::optional<size_t> numberBehind(std::string_view name, std::string_view prefix)
{
    if (!name.starts_with(prefix))
        return std::nullopt;
    size_t number = 0;
    const char* const end = name.data() + name.size();
    const auto [at, trouble] = std::from_chars(name.data() + prefix.size(), end, number);
    return trouble == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

std::optional<const void*> addressOf(const NativeJob& job, JobSymbol symbol, size_t index)
{
    const bool isOfInstruction = symbol == JobSymbol::Table || symbol == JobSymbol::Own || symbol == JobSymbol::Before;
    if (isOfInstruction && index >= job.count)
        return std::nullopt;
    switch (symbol) {
    case JobSymbol::Code:
        return job.code;
    case JobSymbol::Table:
        return reinterpret_cast<const void*>(job.code[index].imm);
    case JobSymbol::Own:
        return reinterpret_cast<const void*>(job.own[index]);
    case JobSymbol::Before:
        return reinterpret_cast<const void*>(job.code[index].run);
    case JobSymbol::Callee: {
        const HandlerLists& lists = job.handlers->lists;
        if (index >= lists.calleeBytes / sizeof(void*))
            return std::nullopt;
        return static_cast<const void* const*>(lists.callees)[index];
    }
    case JobSymbol::PartlyExecuted:
        return job.partlyExecuted;
    }
    return std::nullopt;
}

}  // namespace

std::string symbolOf(JobSymbol symbol, size_t index)
{
    return kPrefixes[static_cast<size_t>(symbol)] + std::to_string(index);
}

std::string symbolOfStretch(size_t begin)
{
    return kStretchPrefix + std::to_string(begin);
}

std::optional<size_t> stretchOf(std::string_view name)
{
    return numberBehind(name, kStretchPrefix);
}

std::optional<const void*> addressOf(const NativeJob& job, std::string_view name)
{
    for (size_t i = 0; i < std::size(kPrefixes); ++i)
        if (const std::optional<size_t> index = numberBehind(name, kPrefixes[i]))
            return addressOf(job, static_cast<JobSymbol>(i), *index);
    return std::nullopt;
}

}  // namespace lanescope::simt
