// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the values of variable writes that were not stored (trace::Site::derivation).
#pragma once

#include <array>
#include <functional>

#include "core/trace/model.h"

namespace lanescope::replay {

/// One value per lane, in its low bits, below zeros.
using LaneBits = std::array<uint64_t, kWarpSize>;

/// Gives what an operand holds in all lanes: step.op is Variable, Load or Coordinate.
using OperandSource = std::function<void(const trace::DerivationStep& step, LaneBits& values)>;

/// The value of \p derivation in all lanes. The derivation is complete (as checked when a trace is opened) and not
/// empty.
LaneBits evaluate(const trace::Derivation& derivation, const OperandSource& operands);

/// Of a warp's threads in a block; \p step is a Coordinate.
LaneBits coordinates(const trace::DerivationStep& step, const trace::Launch& launch, BlockIndex block, uint32_t warp);

/// Load sites that some derivation asks for.
std::vector<uint8_t> derivationOperands(const trace::Catalog& catalog);

}  // namespace lanescope::replay
