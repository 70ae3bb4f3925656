// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lane and register holds which element of the matrices that warps multiply, load and store, by the PTX ISA's
// tables ("Matrix Fragments for mma…", "ldmatrix", "Register Fragments … for wgmma").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::analysis {

struct FragmentElement {
    uint8_t lane = 0;
    uint8_t reg = 0;   ///< register of the operand, from 0
    uint8_t part = 0;  ///< of those packed in it, the lowest first
};

/// One matrix of a warp; of a warpgroup's product the 16 rows that are the warp's.
struct Fragment {
    std::string name;  ///< "A", "D", "matrix 2"
    std::string type;  ///< of an element, as the opcode has it: "f16"; of what is moved "b16"
    uint32_t rows = 0;
    uint32_t cols = 0;
    uint32_t perRegister = 1;               ///< elements that a register packs
    std::vector<FragmentElement> elements;  ///< [row][col]

    [[nodiscard]] const FragmentElement& at(uint32_t row, uint32_t col) const
    {
        return elements[uint64_t{row} * cols + col];
    }
};

struct MatrixInstruction {
    std::string title;  ///< "mma m16n8k16, f32 = f16 x f16"
    std::vector<Fragment> fragments;
    bool movesMemory = false;  ///< ldmatrix, stmatrix: matrix i is the instruction's access number i
    bool isTransposed = false;
};

/// \p instruction: an opcode, as trace::Site has it. No fragments: it multiplies or moves no matrix, or one whose
/// tables are not here (m8n8k4 of half precision, sparse ones).
MatrixInstruction fragmentsOf(const std::string& instruction);

}  // namespace lanescope::analysis
