// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of boxes of tensors: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor. Each is
// a call that says what is copied by its name (ops_tensor.cpp).
#include <algorithm>
#include <array>
#include <string_view>

#include "core/simt/ptx/ptx_translator.h"

namespace lanescope::simt {

using llvm::Value;

namespace {

constexpr std::array<std::string_view, 8> kReductions = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

/// 1 to 5; 0: the instruction does not say.
unsigned dimensionsOf(const PtxStatement& s)
{
    for (const std::string& part : s.opcode)
        if (part.size() == 2 && part[1] == 'd' && part[0] >= '1' && part[0] <= '5')
            return static_cast<unsigned>(part[0] - '0');
    return 0;
}

bool isKnownPart(const std::string& part)
{
    constexpr auto kParts = std::to_array<std::string_view>({"cp",
                                                             "reduce",
                                                             "async",
                                                             "bulk",
                                                             "prefetch",
                                                             "tensor",
                                                             "1d",
                                                             "2d",
                                                             "3d",
                                                             "4d",
                                                             "5d",
                                                             "global",
                                                             "shared::cluster",
                                                             "shared::cta",
                                                             "L2",
                                                             "tile",
                                                             "im2col",
                                                             "im2col_no_offs",
                                                             "bulk_group",
                                                             "multicast::cluster",
                                                             "L2::cache_hint",
                                                             "mbarrier::complete_tx::bytes"});
    return std::ranges::find(kParts, part) != kParts.end() || std::ranges::find(kReductions, part) != kReductions.end();
}

}  // namespace

/// The call for a tensor, a box in shared memory (null: none) and the offsets of im2col: bytes that a barrier counts,
/// and those from the box's beginning to its end.
Value* PtxTranslator::tensorCall(const PtxStatement& s, const std::string& what, const PtxOperand& tensor, Value* tile,
                                 const PtxOperand* offsets)
{
    const unsigned rank = dimensionsOf(s);
    if (tensor.kind != PtxOperand::Kind::Tensor || tensor.elements.at(1).elements.size() != rank || rank == 0)
        unknown(s);
    const bool isIm2col = s.has("im2col") || s.has("im2col_no_offs");
    std::vector<Value*> arguments{address(tensor.elements[0], false)};
    arguments.push_back(tile ? tile : llvm::ConstantPointerNull::get(m_build.getPtrTy()));
    for (const PtxOperand& coordinate : tensor.elements[1].elements)
        arguments.push_back(get(coordinate, bits(32)));
    if (s.has("im2col")) {
        if (rank < 3 || !offsets || offsets->elements.size() != rank - 2)
            unknown(s);
        for (const PtxOperand& offset : offsets->elements)
            arguments.push_back(m_build.CreateZExt(get(offset, bits(16)), bits(32)));
    }
    return intrinsic("__ls_tensor." + what + (isIm2col ? ".im2col." : ".tile.") + std::to_string(rank),
                     llvm::StructType::get(bits(32), bits(32)), arguments);
}

void PtxTranslator::copyTensor(const PtxStatement& s)
{
    if (!std::ranges::all_of(s.opcode, isKnownPart))
        unknown(s);
    const auto operand = [&](size_t index) { return index < s.operands.size() ? &s.operands[index] : nullptr; };
    if (s.has("prefetch")) {
        tensorCall(s, "prefetch", s.operands.at(0), nullptr, operand(1));
        return;
    }
    if (s.has("bulk_group")) {
        const auto* reduction = std::ranges::find_if(kReductions, [&](std::string_view name) { return s.has(name); });
        if ((reduction == kReductions.end()) == s.has("reduce"))
            unknown(s);
        const std::string what = s.has("reduce") ? std::string(*reduction) : "store";
        Value* tile = address(s.operands.at(1), true);
        Value* copied = tensorCall(s, what, s.operands.at(0), tile, nullptr);
        return noteRead(AsyncStream::Bulk, tile, m_build.CreateExtractValue(copied, 1));
    }
    Value *tile = address(s.operands.at(0), true), *barrier = address(s.operands.at(2), true);
    const size_t offsets = s.has("im2col") ? 1 : 0;
    const auto copy = [&](Value* to, Value* counted) {
        Value* copied = tensorCall(s, "load", s.operands.at(1), to, operand(3));
        noteBulkCopy(to, m_build.CreateExtractValue(copied, 1), counted);
        completeBytes(s, counted, m_build.CreateExtractValue(copied, 0));
    };
    if (!s.has("multicast::cluster"))
        return copy(tile, barrier);
    forRanks(get(s, 3 + offsets, bits(16)),
             [&](Value* rank) { copy(pointerInRank(tile, rank), pointerInRank(barrier, rank)); });
}

}  // namespace lanescope::simt
