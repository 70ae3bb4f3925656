// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the counter (instrumented/device/counter.cpp), each with the entries of the table that it adds to.
#include <llvm/Analysis/ValueTracking.h>

#include "core/cuda/device_counts.h"
#include "instrumented/instrument/calls.h"
#include "instrumented/instrument/pieces.h"

namespace lanescope::instrument {

using cuda::CountSpace;
using llvm::Value;
using simt::PlaceNumber;

namespace {

constexpr unsigned kSharedSpace = 3;
constexpr unsigned kConstantSpace = 4;
constexpr unsigned kPieceSizes = 5;  ///< 1, 2, 4, 8, 16 bytes

/// Where a pointer points, as far as the code says so.
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

class CountCalls final : public Calls {
public:
    CountCalls(DeviceCode& code, llvm::IRBuilder<>& build) : m_code(code), m_build(build)
    {
        llvm::Type *word = build.getInt32Ty(), *wide = build.getInt64Ty(), *pointer = build.getPtrTy();
        m_access = declare(code, "__lanescope_count_access", {wide, word, word, word});
        m_branch = declare(code, "__lanescope_count_branch", {word, word});
        m_mark = declare(code, "__lanescope_count_mark", {word});
        m_copy = declare(code, "__lanescope_count_copy", {word, pointer, pointer, wide});
        m_set = declare(code, "__lanescope_count_set", {word, pointer, word, wide});
    }

    void access(uint32_t number, llvm::Instruction&, Value* pointer, Value* value) override
    {
        const CountSpace space = spaceOf(pointer);
        for (const Piece& piece : piecesOf(m_build, m_code.module->getDataLayout(), value))
            call(m_access,
                 {addressOf(m_build, pointer, piece.offset), entry(PlaceNumber::of(number, 0), piece.bytes, space),
                  m_build.getInt32(piece.bytes), m_build.getInt32(static_cast<uint32_t>(space))});
    }
    void branch(uint32_t number, Value* taken) override
    {
        call(m_branch, {entry(PlaceNumber::of(number, 0), 0, CountSpace::Other), taken});
    }
    void mark(uint32_t number, llvm::Instruction& instr) override
    {
        if (!llvm::isa<llvm::ReturnInst>(instr))
            call(m_mark, {entry(PlaceNumber::of(number, 0), 0, CountSpace::Other)});
    }
    void object(uint32_t, Value*) override {}
    void copy(PlaceNumber place, Value* to, Value* from, Value* length) override
    {
        Value* first = entriesOfPieces(place);
        entriesOfPieces({place.value + 1});
        call(m_copy, {first, to, from, length});
    }
    void set(PlaceNumber place, Value* to, Value* byte, Value* length) override
    {
        call(m_set, {entriesOfPieces(place), to, byte, length});
    }

private:
    void call(llvm::FunctionCallee callee, llvm::ArrayRef<Value*> arguments)
    {
        m_build.CreateCall(callee, arguments)->addFnAttr(llvm::Attribute::NoMerge);
    }

    /// The first of the entries of such an access.
    Value* entry(PlaceNumber place, unsigned bytes, CountSpace space)
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

    Value* entriesOfPieces(PlaceNumber place)
    {
        Value* first = entry(place, 1, CountSpace::Unknown);
        for (unsigned i = 1; i < kPieceSizes; ++i)
            entry(place, 1u << i, CountSpace::Unknown);
        return first;
    }

    DeviceCode& m_code;
    llvm::IRBuilder<>& m_build;
    llvm::FunctionCallee m_access, m_branch, m_mark, m_copy, m_set;
};

}  // namespace

void addCountCalls(DeviceCode& code)
{
    llvm::IRBuilder<> build(code.context);
    CountCalls calls(code, build);
    addCalls(code, calls, build);
}

}  // namespace lanescope::instrument
