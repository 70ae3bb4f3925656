// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be told of a kernel's parameters without its compiler: their types by the mangled name, their names by the
// program's text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/model.h"

namespace lanescope::attach {

/// How memory is shown about which nothing is known.
inline const trace::ValueType kUnknownWord{trace::ScalarKind::Unsigned, 4, 1, "unsigned int"};

/// "matmul" of "void ns::matmul<int>(float const*, int)": as the source names it.
[[nodiscard]] std::string plainName(const std::string& demangled);
/// {"float const*", "int"} of "matmul(float const*, int)"; empty for a name without parameters.
[[nodiscard]] std::vector<std::string> parameterTypes(const std::string& demangled);
/// What a pointer of that type points to: "float const*" gives float. None: no pointer, or to nothing that is known.
[[nodiscard]] std::optional<trace::ValueType> pointeeOf(const std::string& type);
/// A scalar or vector type by its demangled name.
[[nodiscard]] std::optional<trace::ValueType> scalarNamed(std::string_view name);
/// {"a", "n"} where \p source declares or defines kernel \p name with \p count parameters; else empty.
[[nodiscard]] std::vector<std::string> parameterNames(const std::string& source, const std::string& name, size_t count);

}  // namespace lanescope::attach
