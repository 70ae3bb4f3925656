// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/instrument/tensor_copies.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "instrumented/instrument/device_code.h"

namespace lanescope::instrument {

using llvm::Value;

namespace {

constexpr llvm::StringRef kTensorCopies = "__ls_tensor.";
constexpr unsigned kDimensions = 5;
constexpr uint64_t kPieceBytes = 16;

/// One call on its way to a loop. Functions called are those of instrumented/device/tensors.cpp.
class TensorCopyLoop {
public:
    TensorCopyLoop(llvm::CallInst& call, llvm::IRBuilder<>& build, const BoxMoves& moves)
        : m_call(call), m_build(build), m_moves(moves), m_location(call.getDebugLoc())
    {
        llvm::SmallVector<llvm::StringRef> parts;
        call.getCalledFunction()->getName().split(parts, '.');
        m_way = parts[1];
        m_rank = static_cast<unsigned>(parts.back().front() - '0');
        if (parts[2] != "tile" || (m_way != "load" && m_way != "store" && m_way != "prefetch"))
            throw Refused{{Error::Code::Unsupported,
                           fmt::format("a tensor copy of the kind '{}' is not supported on a GPU",
                                       call.getCalledFunction()->getName().drop_front(kTensorCopies.size()).str()),
                           placeOf(call)}};
        if (!m_location && call.getFunction()->getSubprogram())
            m_location = llvm::DILocation::get(call.getContext(), 0, 0, call.getFunction()->getSubprogram());
    }

    void expand()
    {
        at(&m_call);
        if (m_way == "prefetch")
            return replace(m_build.getInt64(0));
        Value* map = m_call.getArgOperand(0);
        Value* box = ask("__lanescope_box", m_build.getInt64Ty(), {map, m_build.getInt32(m_rank)});
        Value* pieces = ask("__lanescope_box_pieces", m_build.getInt32Ty(), {map});
        replace(box);
        const auto [body, index] = llvm::SplitBlockAndInsertSimpleForLoop(pieces, &m_call);
        at(body);
        movePiece(map, index);
        m_call.eraseFromParent();
    }

private:
    void at(llvm::Instruction* place)
    {
        m_build.SetInsertPoint(place);
        m_build.SetCurrentDebugLocation(m_location);
    }

    Value* ask(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments)
    {
        llvm::SmallVector<llvm::Type*> types;
        for (const Value* argument : arguments)
            types.push_back(argument->getType());
        return m_build.CreateCall(
            m_call.getModule()->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
    }

    /// The call's two results are the halves of \p box.
    void replace(Value* box)
    {
        Value* both = llvm::PoisonValue::get(m_call.getType());
        both = m_build.CreateInsertValue(both, m_build.CreateTrunc(box, m_build.getInt32Ty()), 0);
        both =
            m_build.CreateInsertValue(both, m_build.CreateTrunc(m_build.CreateLShr(box, 32), m_build.getInt32Ty()), 1);
        m_call.replaceAllUsesWith(both);
        if (m_way == "prefetch")
            m_call.eraseFromParent();
    }

    void movePiece(Value* map, Value* index)
    {
        llvm::Type* words = llvm::ArrayType::get(m_build.getInt64Ty(), 4);
        llvm::Instruction* body = &*m_build.GetInsertPoint();
        m_build.SetInsertPoint(&*m_call.getFunction()->getEntryBlock().getFirstInsertionPt());
        llvm::AllocaInst* piece = m_build.CreateAlloca(words);
        at(body);
        Value* tile = m_build.CreatePtrToInt(m_call.getArgOperand(1), m_build.getInt64Ty());
        llvm::SmallVector<Value*> arguments{map, tile};
        for (unsigned i = 0; i < kDimensions; ++i)
            arguments.push_back(i < m_rank ? m_call.getArgOperand(2 + i) : m_build.getInt32(0));
        arguments.push_back(index);
        arguments.push_back(piece);
        ask("__lanescope_box_piece", m_build.getVoidTy(), arguments);
        const auto word = [&](unsigned i) {
            return m_build.CreateLoad(m_build.getInt64Ty(), m_build.CreateConstInBoundsGEP2_64(words, piece, 0, i));
        };
        Value *global = word(0), *shared = word(1), *first = word(2), *end = word(3);
        const auto pointer = [&](Value* begin, Value* offset) {
            return m_build.CreateIntToPtr(m_build.CreateAdd(begin, offset), m_build.getPtrTy());
        };
        Value *inside = m_build.CreateSub(end, first), *in = pointer(global, first), *out = pointer(shared, first);
        const bool loads = m_way == "load";
        when(inside, [&] { loads ? m_moves.copy(out, in, inside) : m_moves.copy(in, out, inside); });
        if (!loads)
            return;
        Value* behind = m_build.CreateSub(m_build.getInt64(kPieceBytes), end);
        when(first, [&] { m_moves.clear(pointer(shared, m_build.getInt64(0)), first); });
        when(behind, [&] { m_moves.clear(pointer(shared, end), behind); });
    }

    /// Does what \p body makes where there are bytes.
    void when(Value* bytes, llvm::function_ref<void()> body)
    {
        llvm::Instruction* next = &*m_build.GetInsertPoint();
        at(llvm::SplitBlockAndInsertIfThen(m_build.CreateIsNotNull(bytes), next, false));
        body();
        at(next);
    }

    llvm::CallInst& m_call;
    llvm::IRBuilder<>& m_build;
    const BoxMoves& m_moves;
    llvm::DebugLoc m_location;
    llvm::StringRef m_way;
    unsigned m_rank = 0;
};

}  // namespace

bool isTensorCopy(const llvm::Instruction& instr)
{
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instr);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName().starts_with(kTensorCopies);
}

void expandTensorCopy(llvm::CallInst& call, llvm::IRBuilder<>& build, const BoxMoves& moves)
{
    TensorCopyLoop(call, build, moves).expand();
}

}  // namespace lanescope::instrument
