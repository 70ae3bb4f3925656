// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/derived_values.h"

#include <bit>
#include <cmath>

namespace lanescope::replay {

namespace {

using Op = trace::DerivationStep::Op;

template <typename Float>
Float apply(Op op, const Float* operands)
{
    switch (op) {
    case Op::Add:
        return operands[0] + operands[1];
    case Op::Subtract:
        return operands[0] - operands[1];
    case Op::Multiply:
        return operands[0] * operands[1];
    case Op::Divide:
        return operands[0] / operands[1];
    case Op::Negate:
        return -operands[0];
    case Op::MultiplyAdd:
        return std::fma(operands[0], operands[1], operands[2]);
    case Op::Variable:
    case Op::Load:
    case Op::Constant:
        break;
    }
    return 0;
}

size_t operandCount(Op op)
{
    return op == Op::MultiplyAdd ? 3 : op == Op::Negate ? 1 : 2;
}

/// Every operation rounds to \p Float: nothing is kept in wider registers or contracted.
template <typename Float, typename Bits>
LaneBits evaluateAs(const trace::Derivation& derivation, const OperandSource& operands)
{
    std::vector<LaneBits> stack;
    for (const trace::DerivationStep& step : derivation) {
        if (step.op == Op::Variable || step.op == Op::Load) {
            stack.push_back(operands(step));
            continue;
        }
        if (step.op == Op::Constant) {
            stack.emplace_back().fill(step.operand);
            continue;
        }
        const size_t count = operandCount(step.op);
        const size_t first = stack.size() - count;
        for (size_t lane = 0; lane < kWarpSize; ++lane) {
            std::array<Float, 3> values{};
            for (size_t i = 0; i < count; ++i)
                values[i] = std::bit_cast<Float>(static_cast<Bits>(stack[first + i][lane]));
            stack[first][lane] = std::bit_cast<Bits>(apply(step.op, values.data()));
        }
        stack.resize(first + 1);
    }
    return stack.back();
}

}  // namespace

LaneBits evaluate(const trace::Derivation& derivation, uint32_t bytes, const OperandSource& operands)
{
    return bytes == 8 ? evaluateAs<double, uint64_t>(derivation, operands)
                      : evaluateAs<float, uint32_t>(derivation, operands);
}

std::vector<uint8_t> derivationOperands(const trace::Catalog& catalog)
{
    std::vector<uint8_t> wanted(catalog.sites.size());
    for (const trace::Site& site : catalog.sites)
        for (const trace::DerivationStep& step : site.derivation)
            if (step.op == Op::Load)
                wanted[step.operand] = 1;
    return wanted;
}

}  // namespace lanescope::replay
