// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/names.h"

#include <array>

namespace lanescope::trace {

namespace {

// In enum order.
constexpr std::array<std::string_view, 4> kSpaces{"global", "shared", "constant", "local"};
constexpr std::array<std::string_view, 9> kSiteKinds{"load",    "store", "atomic", "variable-write", "branch",
                                                     "barrier", "exit",  "call",   "return"};
constexpr std::array<std::string_view, 7> kOperationKinds{"integer", "float",     "shuffle", "vote",
                                                          "match",   "reduction", "matrix"};
constexpr std::array<std::string_view, 7> kScalarKinds{"signed", "unsigned", "float", "bool",
                                                       "char",   "pointer",  "bytes"};
constexpr std::array<std::string_view, 2> kContentParts{"bytes", "initialised"};

template <typename Enum, size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name)
{
    for (size_t i = 0; i < N; ++i)
        if (names[i] == name)
            return static_cast<Enum>(i);
    return std::nullopt;
}

}  // namespace

std::string_view nameOf(Space space)
{
    return kSpaces[static_cast<size_t>(space)];
}

std::string_view nameOf(SiteKind kind)
{
    return kSiteKinds[static_cast<size_t>(kind)];
}

std::string_view nameOf(OperationKind kind)
{
    return kOperationKinds[static_cast<size_t>(kind)];
}

std::string_view nameOf(ScalarKind kind)
{
    return kScalarKinds[static_cast<size_t>(kind)];
}

std::string_view nameOf(ContentPart part)
{
    return kContentParts[static_cast<size_t>(part)];
}

std::optional<Space> spaceOf(std::string_view name)
{
    return find<Space>(kSpaces, name);
}

std::optional<SiteKind> siteKindOf(std::string_view name)
{
    return find<SiteKind>(kSiteKinds, name);
}

std::optional<OperationKind> operationKindOf(std::string_view name)
{
    return find<OperationKind>(kOperationKinds, name);
}

std::optional<ScalarKind> scalarKindOf(std::string_view name)
{
    return find<ScalarKind>(kScalarKinds, name);
}

std::optional<ContentPart> contentPartOf(std::string_view name)
{
    return find<ContentPart>(kContentParts, name);
}

}  // namespace lanescope::trace
