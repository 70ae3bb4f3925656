// SPDX-License-Identifier: GPL-3.0-or-later
// Trace objects as JSON and as text, as all subcommands write them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/findings/told_once.h"
#include "core/trace/model.h"

namespace lanescope::cli {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonSchema = 1;

/// With its last line's end; bytes that are no UTF-8 are replaced.
std::string jsonText(const Json& document);
/// One document on stdout; bytes that are no UTF-8 are replaced.
void printJson(const Json& document);

/// [x, y, z]
Json toJson(Dim3 position);
/// {"how": "exited", "status": 3} or {"how": "signal", "signal": "SIGSEGV"}; null when nobody saw it end.
Json toJson(const trace::ProgramEnd& end);
/// The exit status; null when there is none.
Json exitJson(const trace::ProgramEnd& end);
/// "(1,0)" or "(1,0,2)" when z is used, "(3)" when only x is.
std::string positionText(Dim3 position, Dim3 extent);
/// "file:line:column"
std::string locationText(const trace::Catalog& catalog, const trace::SourceLocation& where);
/// "global", "shared", "constant" or "local".
const char* spaceName(trace::Space space);
/// A number, whole ones without a fraction.
Json numberJson(double value);
/// With its pairs of lines where there are several.
Json toJson(const trace::Catalog& catalog, const findings::ToldFinding& finding);
/// One value: a number, true/false, a string for pointers and for what JSON has no number for, an array for vectors.
Json valueJson(const trace::ValueType& type, const void* bytes);

}  // namespace lanescope::cli
