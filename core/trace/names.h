// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spellings of the model's enums in the tables, in `report` and in `info`.
#pragma once

#include <optional>
#include <string_view>

#include "core/trace/model.h"

namespace lanescope::trace {

/// A buffer's contents are kept in two: its bytes, and the bits that say which of them are initialised.
enum class ContentPart : uint8_t { Bytes, Initialised };

std::string_view nameOf(Space space);         ///< "global", "shared", "constant", "local"
std::string_view nameOf(SiteKind kind);       ///< "load", "store", …
std::string_view nameOf(OperationKind kind);  ///< "integer", "shuffle", …
std::string_view nameOf(ScalarKind kind);     ///< "signed", "float", …
std::string_view nameOf(ContentPart part);    ///< "bytes", "initialised"

std::optional<Space> spaceOf(std::string_view name);
std::optional<SiteKind> siteKindOf(std::string_view name);
std::optional<OperationKind> operationKindOf(std::string_view name);
std::optional<ScalarKind> scalarKindOf(std::string_view name);
std::optional<ContentPart> contentPartOf(std::string_view name);

}  // namespace lanescope::trace
