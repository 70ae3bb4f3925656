// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places an object file's code in memory. Of ELF it knows what LLVM makes of one module of handlers, for x86-64: code
// and constants, and references that are relative. That is a page of code, where loading LLVM for it takes longer than
// most launches.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lanescope::simt {

/// Where a symbol lies that the object does not have; none: nobody knows.
using FindSymbol = std::function<std::optional<const void*>(std::string_view name)>;
/// A function that others may call.
using VisitFunction = std::function<void(std::string_view name, const void* at)>;

/// Calls \p visit for each function, once all can be called, which they can until the process ends. Empty, or why there
/// is nothing: the object is damaged, refers to what nobody knows, or has what is not known here; or no page may become
/// executable.
std::string linkObject(std::span<const std::byte> object, const FindSymbol& find, const VisitFunction& visit);

}  // namespace lanescope::simt
