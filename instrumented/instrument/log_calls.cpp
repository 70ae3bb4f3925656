// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the logger (instrumented/device/logger.cpp): everything that happens becomes a record.
#include "instrumented/instrument/calls.h"
#include "instrumented/instrument/pieces.h"

namespace lanescope::instrument {

using llvm::Value;
using simt::PlaceNumber;

namespace {

class LogCalls final : public Calls {
public:
    LogCalls(DeviceCode& code, llvm::IRBuilder<>& build) : m_module(*code.module), m_build(build)
    {
        llvm::Type *word = build.getInt32Ty(), *wide = build.getInt64Ty(), *pointer = build.getPtrTy();
        m_access = declare(code, "__lanescope_access", {word, wide, wide, wide, word});
        m_branch = declare(code, "__lanescope_branch", {word, word});
        m_mark = declare(code, "__lanescope_mark", {word});
        m_object = declare(code, "__lanescope_object", {word, wide});
        m_copy = declare(code, "__lanescope_copy", {word, pointer, pointer, wide});
        m_set = declare(code, "__lanescope_set", {word, pointer, word, wide});
    }

    void access(uint32_t number, llvm::Instruction&, Value* pointer, Value* value) override
    {
        for (const Piece& piece : piecesOf(m_build, m_module.getDataLayout(), value))
            log(m_access, {place(number), addressOf(m_build, pointer, piece.offset), piece.low, piece.high,
                           m_build.getInt32(piece.bytes)});
    }
    void branch(uint32_t number, Value* taken) override { log(m_branch, {place(number), taken}); }
    void mark(uint32_t number, llvm::Instruction&) override { log(m_mark, {place(number)}); }
    void object(uint32_t key, Value* pointer) override
    {
        log(m_object, {m_build.getInt32(key), addressOf(m_build, pointer)});
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

    llvm::Module& m_module;
    llvm::IRBuilder<>& m_build;
    llvm::FunctionCallee m_access, m_branch, m_mark, m_object, m_copy, m_set;
};

}  // namespace

void addLogCalls(DeviceCode& code)
{
    llvm::IRBuilder<> build(code.context);
    LogCalls calls(code, build);
    addCalls(code, calls, build);
}

}  // namespace lanescope::instrument
