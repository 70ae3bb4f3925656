// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/instrument/count_calls.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "instrumented/instrument/pieces.h"

namespace lanescope::instrument {

using cuda::CountSpace;
using device::PlaceNumber;
using llvm::Value;

namespace {

constexpr unsigned kPieceSizes = 5;  ///< 1, 2, 4, 8, 16 bytes

}  // namespace

CountSpace spaceOf(Value* pointer)
{
    const Value* object = llvm::getUnderlyingObject(pointer, 0);
    if (llvm::isa<llvm::AllocaInst>(object))
        return CountSpace::Other;
    if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object))
        return global->getAddressSpace() == kSharedSpace                             ? CountSpace::Shared
               : global->getAddressSpace() == kConstantSpace || global->isConstant() ? CountSpace::Other
                                                                                     : CountSpace::Global;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object))
        if (argument->getParent()->getCallingConv() == llvm::CallingConv::PTX_Kernel)
            return argument->hasByValAttr() ? CountSpace::Other : CountSpace::Global;
    switch (object->getType()->getPointerAddressSpace()) {
    case kSharedSpace:
        return CountSpace::Shared;
    case 1:
        return CountSpace::Global;
    case kConstantSpace:
    case 5:
        return CountSpace::Other;
    default:
        return CountSpace::Unknown;
    }
}

CountCalls::CountCalls(DeviceCode& code, llvm::IRBuilder<>& build) : m_code(code), m_build(build)
{
    llvm::Type *word = build.getInt32Ty(), *wide = build.getInt64Ty(), *pointer = build.getPtrTy();
    m_access = declare(code, "__lanescope_count_access", {wide, word, word, word});
    m_branch = declare(code, "__lanescope_count_branch", {word, word});
    m_mark = declare(code, "__lanescope_count_mark", {word});
    m_copy = declare(code, "__lanescope_count_copy", {word, pointer, pointer, wide});
    m_set = declare(code, "__lanescope_count_set", {word, pointer, word, wide});
}

void CountCalls::access(uint32_t number, llvm::Instruction&, Value* pointer, Value* value)
{
    const CountSpace space = spaceOf(pointer);
    for (const Piece& piece : piecesOf(m_build, m_code.module->getDataLayout(), value))
        call(m_access,
             {addressOf(m_build, pointer, piece.offset), entry(PlaceNumber::of(number, 0), piece.bytes, space),
              m_build.getInt32(piece.bytes), m_build.getInt32(static_cast<uint32_t>(space))});
}

void CountCalls::branch(uint32_t number, Value* taken)
{
    call(m_branch, {entry(PlaceNumber::of(number, 0), 0, CountSpace::Other), taken});
}

void CountCalls::mark(uint32_t number, llvm::Instruction& instr)
{
    if (llvm::isa<llvm::ReturnInst>(instr))
        return;
    // The barrier wants whole warps, which the driver's compiler may have split around our calls.
    m_build.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {m_build.getInt32(UINT32_MAX)});
    m_build.SetInsertPoint(instr.getNextNode());
    call(m_mark, {entry(PlaceNumber::of(number, 0), 0, CountSpace::Other)});
}

void CountCalls::copy(PlaceNumber place, Value* to, Value* from, Value* length)
{
    Value* first = entriesOfPieces(place);
    entriesOfPieces({place.value + 1});
    call(m_copy, {first, to, from, length});
}

void CountCalls::set(PlaceNumber place, Value* to, Value* byte, Value* length)
{
    call(m_set, {entriesOfPieces(place), to, byte, length});
}

void CountCalls::call(llvm::FunctionCallee callee, llvm::ArrayRef<Value*> arguments)
{
    m_build.CreateCall(callee, arguments)->addFnAttr(llvm::Attribute::NoMerge);
}

/// The first of the entries of such an access.
Value* CountCalls::entry(PlaceNumber place, unsigned bytes, CountSpace space)
{
    Value* first = m_build.getInt32(static_cast<uint32_t>(m_code.countEntries.size()));
    const auto add = [&](CountSpace known) {
        m_code.countEntries.push_back({place.value, static_cast<uint16_t>(bytes), static_cast<uint16_t>(known)});
    };
    if (space != CountSpace::Unknown) {
        add(space);
        return first;
    }
    for (const CountSpace each : {CountSpace::Global, CountSpace::Shared, CountSpace::Other})
        add(each);
    return first;
}

Value* CountCalls::entriesOfPieces(PlaceNumber place)
{
    Value* first = entry(place, 1, CountSpace::Unknown);
    for (unsigned i = 1; i < kPieceSizes; ++i)
        entry(place, 1u << i, CountSpace::Unknown);
    return first;
}

void addCountCalls(DeviceCode& code)
{
    llvm::IRBuilder<> build(code.context);
    CountCalls calls(code, build);
    addCalls(code, calls, build);
}

}  // namespace lanescope::instrument
