// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spellings of the model's enums in the tables, in `report` and in `info`.
#pragma once

#include <optional>
#include <string_view>

#include "core/trace/model.h"

namespace lanescope::trace {

std::string_view nameOf(Space space);      ///< "global", "shared", "constant", "local"
std::string_view nameOf(SiteKind kind);    ///< "load", "store", …
std::string_view nameOf(ScalarKind kind);  ///< "signed", "float", …

std::optional<Space> spaceOf(std::string_view name);
std::optional<SiteKind> siteKindOf(std::string_view name);
std::optional<ScalarKind> scalarKindOf(std::string_view name);

}  // namespace lanescope::trace
