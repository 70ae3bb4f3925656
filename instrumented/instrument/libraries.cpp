// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links what instrumented code calls: the logger, and the math functions of NVIDIA's libdevice.
#include <algorithm>

#include <fmt/format.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "instrumented/instrument/device_code.h"
#include "instrumented/instrument/tensor_copies.h"

namespace lanescope::instrument {

using llvm::dyn_cast;

namespace {

constexpr llvm::StringRef kMathPrefix = "__ls_math_";

/// libdevice's function for a call that the GPU has no instruction for; empty: not such a call.
std::string deviceMathName(const llvm::CallInst& call)
{
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || !callee->isDeclaration())
        return {};
    llvm::StringRef name = callee->getName();
    if (name.consume_front(kMathPrefix))
        return "__nv_" + name.str();
    const bool isFloat = call.getType()->isFloatTy();
    if (!isFloat && !call.getType()->isDoubleTy())
        return {};
    switch (callee->getIntrinsicID()) {
    case llvm::Intrinsic::exp:
    case llvm::Intrinsic::exp2:
    case llvm::Intrinsic::exp10:
    case llvm::Intrinsic::log:
    case llvm::Intrinsic::log2:
    case llvm::Intrinsic::log10:
    case llvm::Intrinsic::sin:
    case llvm::Intrinsic::cos:
    case llvm::Intrinsic::pow:
    case llvm::Intrinsic::round: {
        const std::string base = llvm::Intrinsic::getBaseName(callee->getIntrinsicID()).drop_front(5).str();
        return "__nv_" + base + (isFloat ? "f" : "");
    }
    default:
        return {};
    }
}

void link(DeviceCode& code, const std::string& path, unsigned flags)
{
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> library = llvm::parseIRFile(path, problem, code.context);
    if (!library)
        throw Refused{{Error::Code::NotFound, problem.getMessage().str(), path}};
    library->setDataLayout(code.module->getDataLayout());
    library->setTargetTriple(code.module->getTargetTriple());
    if (llvm::Linker::linkModules(*code.module, std::move(library), flags))
        throw Refused{{Error::Code::BadInput, "cannot be linked to the device code", path}};
}

/// True when some call goes to libdevice.
bool callDeviceMath(llvm::Module& module)
{
    bool any = false;
    for (llvm::Function& function : module)
        for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* call = dyn_cast<llvm::CallInst>(&instr);
            const std::string name = call ? deviceMathName(*call) : std::string();
            if (name.empty())
                continue;
            call->setCalledFunction(module.getOrInsertFunction(name, call->getFunctionType()));
            any = true;
        }
    return any;
}

/// Asynchronous copies and products are made where they are started, as the simulator makes them; what remains of them
/// says only, to the simulator's checks, when they may be used.
void dropBookkeeping(llvm::Module& module)
{
    constexpr llvm::StringRef kNames[] = {"__ls_async_", "__ls_products_fence", "__ls_phase_barrier",
                                          "__ls_matrix_descriptor", "__ls_grid_wait"};
    for (llvm::Function& function : module)
        for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::instructions(function))) {
            const auto* call = dyn_cast<llvm::CallInst>(&instr);
            const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
            if (callee && callee->isDeclaration() && std::ranges::any_of(kNames, [&](llvm::StringRef name) {
                    return callee->getName().starts_with(name);
                })) {
                if (!instr.getType()->isVoidTy())
                    instr.replaceAllUsesWith(llvm::Constant::getNullValue(instr.getType()));
                instr.eraseFromParent();
            }
        }
}

/// Those in code that logs nothing; the others are loops already.
void expandTensorCopies(DeviceCode& code)
{
    std::vector<llvm::CallInst*> copies;
    for (llvm::Function& function : *code.module)
        for (llvm::Instruction& instr : llvm::instructions(function))
            if (isTensorCopy(instr))
                copies.push_back(llvm::cast<llvm::CallInst>(&instr));
    llvm::IRBuilder<> build(code.context);
    const BoxMoves moves{[&](llvm::Value* to, llvm::Value* from, llvm::Value* length) {
                             build.CreateMemCpy(to, llvm::Align(1), from, llvm::Align(1), length);
                         },
                         [&](llvm::Value* to, llvm::Value* length) {
                             build.CreateMemSet(to, build.getInt8(0), length, llvm::Align(1));
                         }};
    for (llvm::CallInst* copy : copies)
        expandTensorCopy(*copy, build, moves);
}

bool isCarryCall(const llvm::Instruction& instr)
{
    const auto* call = dyn_cast<llvm::CallInst>(&instr);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && (callee->getName() == "__ls_carry" || callee->getName() == "__ls_set_carry");
}

using Functions = llvm::SmallPtrSet<const llvm::Function*, 8>;

/// Itself, or through functions that it calls. \p seen: functions that have been asked.
bool usesCarry(const llvm::Function& function, Functions& seen)
{
    if (!seen.insert(&function).second)
        return false;
    const auto all = llvm::instructions(function);
    return std::any_of(all.begin(), all.end(), [&](const llvm::Instruction& instr) {
        const auto* call = dyn_cast<llvm::CallInst>(&instr);
        const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        return isCarryCall(instr) || (callee && usesCarry(*callee, seen));
    });
}

bool usesCarry(const llvm::Function& function)
{
    Functions seen;
    return usesCarry(function, seen);
}

/// A call in \p function of another one that uses the carry flag; null: there is none.
llvm::CallInst* callThatUsesCarry(llvm::Function& function)
{
    for (llvm::Instruction& instr : llvm::instructions(function)) {
        auto* call = dyn_cast<llvm::CallInst>(&instr);
        const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (callee && callee != &function && !callee->isDeclaration() && usesCarry(*callee))
            return call;
    }
    return nullptr;
}

/// The carry flag between inline assembly statements becomes a variable of the kernel, into which the functions that
/// use the flag are inlined.
void keepCarry(llvm::Function& function)
{
    constexpr int kMostCalls = 10'000;  // more are made by functions that call one another in a circle
    int calls = 0;
    while (llvm::CallInst* call = callThatUsesCarry(function)) {
        llvm::InlineFunctionInfo info;
        if (++calls > kMostCalls || !llvm::InlineFunction(*call, info).isSuccess())
            throw Refused{{Error::Code::Unsupported,
                           "a carry flag that another function uses is not supported on a GPU", placeOf(*call)}};
    }
    if (!usesCarry(function))  // of which only its own instructions are left
        return;
    llvm::IRBuilder<> entry(&function.getEntryBlock(), function.getEntryBlock().begin());
    llvm::AllocaInst* flag = entry.CreateAlloca(entry.getInt1Ty());
    entry.CreateStore(entry.getFalse(), flag);
    for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::instructions(function))) {
        if (!isCarryCall(instr))
            continue;
        llvm::IRBuilder<> build(&instr);
        if (instr.getType()->isVoidTy())
            build.CreateStore(instr.getOperand(0), flag);
        else
            instr.replaceAllUsesWith(build.CreateLoad(build.getInt1Ty(), flag));
        instr.eraseFromParent();
    }
}

/// Kernels first: functions on their own keep nothing from call to call, and nobody calls them any more.
void keepCarries(DeviceCode& code)
{
    if (!code.module->getFunction("__ls_carry") && !code.module->getFunction("__ls_set_carry"))
        return;
    for (llvm::Function* kernel : code.kernels)
        keepCarry(*kernel);
    for (llvm::Function& function : *code.module)
        if (!function.isDeclaration())
            keepCarry(function);
}

/// {$0, $1, …}; \p next moves on.
std::string operandList(unsigned count, unsigned& next)
{
    std::string list = "{";
    for (unsigned i = 0; i < count; ++i)
        list += (i ? ", $" : "$") + std::to_string(next++);
    return list + "}";
}

/// Matrix products, which the simulator knows as calls named after the PTX instruction, become that again.
void restoreMatrixProduct(llvm::CallInst& call, llvm::StringRef instruction)
{
    auto* results = llvm::cast<llvm::StructType>(call.getType());
    unsigned rows = 0, columns = 0;
    llvm::SmallVector<llvm::StringRef> parts;
    instruction.split(parts, '.');
    for (llvm::StringRef part : parts)
        if (part.consume_front("m") && !part.consumeInteger(10, rows) && part.consume_front("n"))
            part.consumeInteger(10, columns);
    const unsigned sums = results->getNumElements();
    const unsigned factors = call.arg_size() - sums;
    if (rows == 0 || columns == 0)
        throw Refused{{Error::Code::Unsupported, "the PTX instruction '" + instruction.str() + "'", placeOf(call)}};
    // Elements of equal size: the factors' registers are as their rows and columns.
    const unsigned first = factors * rows / (rows + columns);
    unsigned next = 0;
    std::string text = instruction.str() + " " + operandList(sums, next);
    for (const unsigned count : {first, factors - first, sums})
        text += ", " + operandList(count, next);
    std::string constraints;
    for (llvm::Type* result : results->elements())
        constraints += result->isIntegerTy(64) ? "=l," : "=r,";
    for (const llvm::Use& argument : call.args())
        constraints += argument->getType()->isIntegerTy(64) ? "l," : "r,";
    constraints.pop_back();
    auto* assembly = llvm::InlineAsm::get(call.getFunctionType(), text + ";", constraints, true);
    call.setCalledOperand(assembly);
    call.setConvergent();
}

void restoreMatrixProducts(llvm::Module& module)
{
    for (llvm::Function& function : module)
        for (llvm::Instruction& instr : llvm::instructions(function)) {
            auto* call = dyn_cast<llvm::CallInst>(&instr);
            const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
            if (llvm::StringRef name = callee ? callee->getName() : "";
                name.consume_front("__ls_") && name.starts_with("mma."))
                restoreMatrixProduct(*call, name);
        }
}

/// The first call of a function that nobody defines.
void refuseUndefinedCalls(llvm::Module& module)
{
    for (llvm::Function& function : module)
        for (llvm::Instruction& instr : llvm::instructions(function)) {
            const auto* call = dyn_cast<llvm::CallInst>(&instr);
            const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
            if (!callee || !callee->isDeclaration() || callee->isIntrinsic())
                continue;
            const llvm::StringRef name = callee->getName();
            if (name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail" ||
                name == "__nvvm_reflect")
                continue;
            throw Refused{{Error::Code::Unsupported,
                           name == "__ls_launch" || name == "__ls_wait_for_children"
                               ? std::string("a kernel that launches kernels is not supported on a GPU")
                               : fmt::format("the function {} is not supported on a GPU", name.str()),
                           placeOf(instr)}};
        }
}

}  // namespace

void addLibraries(DeviceCode& code, const LibraryPaths& paths)
{
    dropBookkeeping(*code.module);
    expandTensorCopies(code);
    restoreMatrixProducts(*code.module);
    keepCarries(code);
    for (const std::string& library : paths.device)
        link(code, library, llvm::Linker::None);
    link(code, paths.tensors, llvm::Linker::LinkOnlyNeeded);
    // Shared memory has no initial values.
    for (llvm::GlobalVariable& global : code.module->globals())
        if (global.getAddressSpace() == 3 && global.hasInitializer())
            global.setInitializer(llvm::UndefValue::get(global.getValueType()));
    if (callDeviceMath(*code.module)) {
        if (paths.math.empty())
            throw Refused{{Error::Code::NotFound,
                           "the program calls math functions that are in the CUDA toolkit's libdevice.10.bc; "
                           "install the toolkit or set LANESCOPE_LIBDEVICE",
                           ""}};
        link(code, paths.math, llvm::Linker::LinkOnlyNeeded);
    }
    refuseUndefinedCalls(*code.module);
}

}  // namespace lanescope::instrument
