// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that people type to watch: "acc / (k + 1)", "tile[threadIdx.y][k] == a[row * n + k]". C's operators and
// precedence over what one lane sees; for watches and for breakpoints' conditions.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/replay/replay.h"

namespace lanescope::replay {

/// What an expression comes to: a value with its type, as a variable or a buffer's element has one.
struct Value {
    trace::ValueType type;
    std::array<uint8_t, 16> bytes{};

    /// Not zero; vectors and raw bytes are false.
    [[nodiscard]] bool isTrue() const;
    /// As valueText; a pointer as the buffer it points into.
    [[nodiscard]] std::string text(const trace::Catalog& catalog) const;
};

/// Where an expression is evaluated. The cursor says the step.
struct LanePlace {
    BlockCursor& cursor;
    const trace::Catalog& catalog;
    const std::vector<trace::Buffer>& buffers;  ///< that names may mean: Session::buffersOf the launch
    uint32_t warp = 0;
    uint32_t lane = 0;
};

class Expression {
public:
    struct Node;

    /// Names are variables of the lane (of several with one name the one written last), threadIdx, blockIdx, blockDim,
    /// gridDim, lane, warp, epoch, step, and buffers, which are indexed as declared or flat; a pointer variable is
    /// indexed as in C. Integers count in 64 bits, floats as wide as their operands. Casts to C's scalar types, sizeof,
    /// and the functions of expression_calls.h. Errors: what was expected, and at which character.
    static Result<Expression> parse(const std::string& text);

    /// Errors say why the lane has no value: a variable not written yet, an index outside, an element not initialised.
    [[nodiscard]] Result<Value> evaluate(const LanePlace& place) const;

private:
    explicit Expression(std::shared_ptr<const Node> root) : m_root(std::move(root)) {}

    std::shared_ptr<const Node> m_root;
};

}  // namespace lanescope::replay
