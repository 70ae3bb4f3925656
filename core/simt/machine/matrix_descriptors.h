// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in a block's shared memory things lie, for instructions that are told so in 18 bits: wgmma by its descriptors
// of matrices. Lane functions whose imm is the Program.
#pragma once

#include <cstdint>

namespace lanescope::simt {

/// __ls_shared_base(number of a shared array): where it begins.
void sharedBase(const uint64_t* in, uint64_t* out, uint64_t program);

/// __ls_matrix_row.k(descriptor, row, piece) and __ls_matrix_row.mn(descriptor, piece, k): generic address of 16 bytes
/// of a matrix, of which a row (or column, of B) has two pieces that follow each other along k; or, where it lies the
/// other way round, each k has pieces of eight rows. Layouts as in the PTX manual: bits 0 to 13 of a descriptor are the
/// start, from 16 on the leading, from 32 on the stride byte offset, all in units of 16 bytes; bits 62 and 63 say how
/// the 16-byte pieces of 128, 64 or 32 bytes (1, 2, 3) are exchanged.
void matrixRowAlongK(const uint64_t* in, uint64_t* out, uint64_t program);
void matrixRowAcrossK(const uint64_t* in, uint64_t* out, uint64_t program);

}  // namespace lanescope::simt
