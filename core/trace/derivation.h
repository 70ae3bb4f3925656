// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The postfix text of trace::Derivation: "v8 l20 l21 fma" is variable 8 × load 20 + load 21.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trace/model.h"

namespace lanescope::trace {

/// Of a buffer that derivations load from without values of its own: what replay has of one.
inline constexpr uint64_t kMaxDerivedBufferBytes = uint64_t{64} << 20;

std::string textOf(const Derivation& derivation);
/// None when the text is no complete expression, or longer or deeper than a producer makes them.
std::optional<Derivation> derivationOf(std::string_view text);

}  // namespace lanescope::trace
