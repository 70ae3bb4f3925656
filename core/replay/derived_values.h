// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the values of variable writes that were not stored (trace::Site::derivation).
#pragma once

#include <array>
#include <functional>

#include "core/trace/model.h"

namespace lanescope::replay {

/// One value per lane; floats in the low four bytes.
using LaneBits = std::array<uint64_t, kWarpSize>;

/// What an operand holds in all lanes: step.op is Variable or Load.
using OperandSource = std::function<LaneBits(const trace::DerivationStep& step)>;

/// The value of \p derivation in all lanes, in floats of \p bytes (4 or 8). The derivation is complete (as checked when
/// a trace is opened) and not empty.
LaneBits evaluate(const trace::Derivation& derivation, uint32_t bytes, const OperandSource& operands);

/// Load sites that some derivation asks for.
std::vector<uint8_t> derivationOperands(const trace::Catalog& catalog);

}  // namespace lanescope::replay
