// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the counter (instrumented/device/counter.cpp), each with the entries of the table that it adds to.
#pragma once

#include "core/cuda/device_counts.h"
#include "instrumented/instrument/calls.h"

namespace lanescope::instrument {

/// Where a pointer points, as far as the code says so.
cuda::CountSpace spaceOf(llvm::Value* pointer);

class CountCalls : public Calls {
public:
    CountCalls(DeviceCode& code, llvm::IRBuilder<>& build);

    void access(uint32_t number, llvm::Instruction& instr, llvm::Value* pointer, llvm::Value* value) override;
    void branch(uint32_t number, llvm::Value* taken) override;
    void mark(uint32_t number, llvm::Instruction& instr) override;
    void object(uint32_t, llvm::Value*) override {}
    void copy(device::PlaceNumber place, llvm::Value* to, llvm::Value* from, llvm::Value* length) override;
    void set(device::PlaceNumber place, llvm::Value* to, llvm::Value* byte, llvm::Value* length) override;

protected:
    void call(llvm::FunctionCallee callee, llvm::ArrayRef<llvm::Value*> arguments);

    DeviceCode& m_code;
    llvm::IRBuilder<>& m_build;

private:
    llvm::Value* entry(device::PlaceNumber place, unsigned bytes, cuda::CountSpace space);
    llvm::Value* entriesOfPieces(device::PlaceNumber place);

    llvm::FunctionCallee m_access, m_branch, m_mark, m_copy, m_set;
};

}  // namespace lanescope::instrument
