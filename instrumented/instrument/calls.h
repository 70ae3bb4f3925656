// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instrumented code calls at its places: the logger, or the counter.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "core/device/place_numbers.h"
#include "instrumented/instrument/device_code.h"

namespace lanescope::instrument {

/// Makes the calls of one kind of instrumentation, where the builder stands: after a load or an atomic, else before
/// the instruction.
class Calls {
public:
    virtual ~Calls() = default;
    /// \p value: read, stored, or what an atomic leaves in memory.
    virtual void access(uint32_t number, llvm::Instruction& instr, llvm::Value* pointer, llvm::Value* value) = 0;
    virtual void branch(uint32_t number, llvm::Value* taken) = 0;
    /// A barrier or a return.
    virtual void mark(uint32_t number, llvm::Instruction& instr) = 0;
    /// A memory object lies there from now on.
    virtual void object(uint32_t key, llvm::Value* pointer) = 0;
    /// Shared memory of the block of \p rank in the cluster begins there, or, of ranks there are not, the block's own.
    virtual void blockOfCluster(uint32_t, llvm::Value*) {}
    /// After the objects of a kernel's entry; once all other calls are made.
    virtual void kernelEntry() {}
    virtual void finish() {}
    /// Instead of memcpy and memset. \p place: of the load, the next one of the store.
    virtual void copy(device::PlaceNumber place, llvm::Value* to, llvm::Value* from, llvm::Value* length) = 0;
    virtual void set(device::PlaceNumber place, llvm::Value* to, llvm::Value* byte, llvm::Value* length) = 0;

protected:
    static llvm::FunctionCallee declare(DeviceCode& code, const char* name, llvm::ArrayRef<llvm::Type*> parameters);
};

void addCalls(DeviceCode& code, Calls& calls, llvm::IRBuilder<>& build);

/// A copy of all code as it was, made before anything is added to it.
class PlainCode {
public:
    explicit PlainCode(DeviceCode& code);
    /// From now on each kernel asks the logger, first of all, which of both a block runs.
    void connect();

private:
    void copyFunctions();
    void copyKernel(llvm::Function& kernel);
    void callPlain(llvm::Instruction& instr);

    struct Kernel {
        llvm::Function* function;
        llvm::BasicBlock* plain;
    };
    DeviceCode& m_code;
    llvm::DenseMap<llvm::Function*, llvm::Function*> m_plain;  ///< by what they are copies of
    std::vector<Kernel> m_kernels;
};

}  // namespace lanescope::instrument
