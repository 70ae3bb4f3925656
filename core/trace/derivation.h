// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The postfix text of trace::Derivation: "v8.32 l20.32 l21.32 fma.32" is variable 8 × load 20 + load 21, in floats.
// Each word has its operand, if any, and behind a point how many bits its result has; before schema 8 all had those of
// the site's type.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trace/model.h"

namespace lanescope::trace {

/// Of a buffer that derivations load from without values of its own: what replay has of one.
inline constexpr uint64_t kMaxDerivedBufferBytes = uint64_t{64} << 20;

/// How many values \p op takes from the stack.
int operandCount(DerivationStep::Op op);
std::string textOf(const Derivation& derivation);
/// None when the text is no complete expression, longer or deeper than a producer makes them, or of widths that a step
/// cannot have.
std::optional<Derivation> derivationOf(std::string_view text);

}  // namespace lanescope::trace
