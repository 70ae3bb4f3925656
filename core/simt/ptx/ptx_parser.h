// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of an inline assembly statement, as PTX instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::simt {

struct PtxOperand {
    enum class Kind : uint8_t {
        Register,  ///< name: "$0" of an operand of the statement, "%laneid", or a register of the block
        Integer,
        Float,    ///< bits in `integer`: of a double, or of a float when isSingle
        Address,  ///< [name + integer]
        Vector,   ///< {elements}
        Pair,     ///< a|b: elements
        Nothing,  ///< _
    };
    Kind kind = Kind::Nothing;
    std::string name;
    std::string selector;  ///< of a register: "b0", "h1"
    int64_t integer = 0;
    bool isSingle = false;
    bool isNegated = false;  ///< !p, or −a
    std::vector<PtxOperand> elements;
};

struct PtxStatement {
    std::string label;      ///< not empty: nothing but the place of that name
    std::string predicate;  ///< empty: always
    bool predicateNegated = false;
    std::string text;                 ///< the opcode as written, "ld.global.v4.f32"
    std::vector<std::string> opcode;  ///< its parts
    std::vector<PtxOperand> operands;

    /// Whether its last type is: "add.s32".
    [[nodiscard]] bool isSigned() const { return opcode.back()[0] == 's'; }
    [[nodiscard]] bool has(std::string_view part) const
    {
        for (const std::string& each : opcode)
            if (each == part)
                return true;
        return false;
    }
};

struct PtxRegister {
    std::string name;
    std::string type;  ///< "pred", "b32", …
};

struct PtxText {
    std::vector<PtxRegister> registers;
    std::vector<PtxStatement> statements;
};

/// None when the text is not understood; \p problem then names the place.
std::optional<PtxText> parsePtx(std::string_view text, std::string& problem);

}  // namespace lanescope::simt
