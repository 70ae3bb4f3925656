// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX text as statements and operands: of an inline assembly statement, or of a function of a module.
#pragma once

#include <cstdint>
#include <map>
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
        List,     ///< (elements), of a call
        Tensor,   ///< [address, {coordinates}]: elements
        Nothing,  ///< _
    };
    Kind kind = Kind::Nothing;
    std::string name;
    std::string selector;  ///< of a register: "b0", "h1"
    int64_t integer = 0;   ///< of a name: what is added to it
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
    std::string problem;  ///< not empty: what of the statement was not understood
    uint32_t line = 0;    ///< of the text, 1-based
    uint32_t scope = 0;   ///< the block in braces that it stands in
    int32_t place = -1;   ///< index into PtxText::places

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
    std::string type;    ///< "pred", "b32", …
    uint32_t scope = 0;  ///< the block in braces that declares it
};

/// A variable or a parameter.
struct PtxVariable {
    std::string name;
    std::string space;               ///< "global", "const", "shared", "local", "param"
    std::string type;                ///< of an element: "b8", "f32"
    uint64_t alignment = 0;          ///< bytes; 0: that of the type
    uint64_t count = 1;              ///< elements; 0: as many as the launch says
    std::vector<PtxOperand> values;  ///< the first elements; the others are zero
    bool isArray = false;
    bool isExternal = false;
    bool isManaged = false;
    bool isPointer = false;  ///< of a parameter: .ptr
    uint32_t line = 0;
    uint32_t scope = 0;
};

/// .loc: where the following statements come from.
struct PtxPlace {
    uint32_t file = 0, line = 0, column = 0;
    std::string function;  ///< label of the name of the function that was inlined; empty: none was
    int64_t functionOffset = 0;
    uint32_t callerFile = 0, callerLine = 0, callerColumn = 0;
};

/// .callprototype
struct PtxPrototype {
    std::vector<PtxVariable> results, parameters;
};

struct PtxText {
    std::vector<PtxRegister> registers;
    std::vector<PtxStatement> statements;
    std::vector<PtxVariable> variables;
    std::vector<PtxPlace> places;
    std::map<std::string, std::vector<std::string>> tables;  ///< .branchtargets and .calltargets, by label
    std::map<std::string, PtxPrototype> prototypes;
};

/// None when the text is not understood; \p problem then names the place.
std::optional<PtxText> parsePtx(std::string_view text, std::string& problem);

}  // namespace lanescope::simt
