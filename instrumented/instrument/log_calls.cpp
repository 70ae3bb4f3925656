// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the logger (instrumented/device/logger.cpp): everything that happens becomes a record.
#include "instrumented/instrument/calls.h"
#include "instrumented/instrument/pieces.h"

namespace lanescope::instrument {

using device::PlaceNumber;
using llvm::Value;

namespace {

class LogCalls final : public Calls {
public:
    LogCalls(DeviceCode& code, llvm::IRBuilder<>& build) : m_code(code), m_build(build)
    {
        llvm::Type *word = build.getInt32Ty(), *wide = build.getInt64Ty(), *pointer = build.getPtrTy();
        m_access[1] = declare(code, "__lanescope_access_1", {word, wide, wide});
        m_access[2] = declare(code, "__lanescope_access_2", {word, wide, wide});
        m_access[4] = declare(code, "__lanescope_access_4", {word, wide, wide});
        m_access[8] = declare(code, "__lanescope_access_8", {word, wide, wide});
        m_access[16] = declare(code, "__lanescope_access_16", {word, wide, wide, wide});
        m_branch = declare(code, "__lanescope_branch", {word, word});
        m_mark = declare(code, "__lanescope_mark", {word});
        m_return = declare(code, "__lanescope_return", {word});
        m_object = declare(code, "__lanescope_object", {word, wide});
        m_copy = declare(code, "__lanescope_copy", {word, pointer, pointer, wide});
        m_set = declare(code, "__lanescope_set", {word, pointer, word, wide});
    }

    void access(uint32_t number, llvm::Instruction&, Value* pointer, Value* value) override
    {
        for (const Piece& piece : piecesOf(m_build, m_code.module->getDataLayout(), value)) {
            llvm::SmallVector<Value*> arguments{place(number), addressOf(m_build, pointer, piece.offset), piece.low};
            if (piece.bytes == 16)
                arguments.push_back(piece.high);
            log(m_access.at(piece.bytes), arguments);
        }
    }
    void branch(uint32_t number, Value* taken) override { log(m_branch, {place(number), taken}); }
    void mark(uint32_t number, llvm::Instruction& instr) override
    {
        const bool ends = llvm::isa<llvm::ReturnInst>(instr) && m_code.programs.contains(instr.getFunction());
        log(ends ? m_return : m_mark, {place(number)});
    }
    void object(uint32_t key, Value* pointer) override
    {
        log(m_object, {m_build.getInt32(key), addressOf(m_build, pointer)});
    }
    void blockOfCluster(uint32_t rank, Value* begin) override
    {
        log(m_object, {m_build.getInt32(device::ObjectKey::ofBlock(rank).value), begin});
    }
    void copy(PlaceNumber place, Value* to, Value* from, Value* length) override
    {
        log(m_copy, {m_build.getInt32(place.value), to, from, length});
    }
    void set(PlaceNumber place, Value* to, Value* byte, Value* length) override
    {
        log(m_set, {m_build.getInt32(place.value), to, byte, length});
    }

private:
    /// Calls from two sides of a branch stay two: lanes that meet in one would log as if they ran together.
    void log(llvm::FunctionCallee callee, llvm::ArrayRef<Value*> arguments)
    {
        m_build.CreateCall(callee, arguments)->addFnAttr(llvm::Attribute::NoMerge);
    }
    Value* place(uint32_t number) { return m_build.getInt32(PlaceNumber::of(number, 0).value); }

    DeviceCode& m_code;
    llvm::IRBuilder<>& m_build;
    std::map<uint32_t, llvm::FunctionCallee> m_access;  ///< by bytes of each lane
    llvm::FunctionCallee m_branch, m_mark, m_return, m_object, m_copy, m_set;
};

}  // namespace

void addLogCalls(DeviceCode& code)
{
    llvm::IRBuilder<> build(code.context);
    LogCalls calls(code, build);
    addCalls(code, calls, build);
}

}  // namespace lanescope::instrument
