// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree between an expression's parser and its evaluation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/replay/expression.h"

namespace lanescope::replay {

struct Expression::Node {
    enum class Kind : uint8_t {
        Constant,  ///< value
        Name,      ///< text
        Member,    ///< of operands[0]: text is "x"
        Index,     ///< operands[0] [ operands[1] ]
        Unary,     ///< text is the operator
        Binary,
        Choice,  ///< operands: condition ? then : else
        Cast,    ///< operands[0] as value.type
        Call,    ///< text is the function, operands its arguments
        SizeOf,  ///< of operands[0], which is not evaluated where it names a buffer
    };

    Kind kind = Kind::Constant;
    std::string text;
    Value value;
    std::vector<std::shared_ptr<const Node>> operands;
};

}  // namespace lanescope::replay
