// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/instrument/library_code.h"

#include <algorithm>
#include <filesystem>

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "core/simt/ir/prepared_module.h"

namespace lanescope::instrument {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

namespace fs = std::filesystem;

bool isBelow(const std::string& file, const std::string& folder)
{
    const fs::path inside = fs::path(file).lexically_relative(folder);
    return !inside.empty() && *inside.begin() != "..";
}

std::string wholePath(const llvm::DIFile& file)
{
    return (fs::path(file.getDirectory().str()) / file.getFilename().str()).lexically_normal().string();
}

}  // namespace

FileOwners::FileOwners(const llvm::Module& module, std::vector<std::string> libraries, std::vector<std::string> own,
                       std::string ours)
    : m_libraries(std::move(libraries)), m_own(std::move(own)), m_ours(std::move(ours))
{
    for (const llvm::DICompileUnit* unit : module.debug_compile_units()) {
        m_program.insert(fs::path(wholePath(*unit->getFile())).parent_path().string());
        m_program.insert(unit->getDirectory().str());
    }
    for (const llvm::Function* kernel : simt::kernelsOf(const_cast<llvm::Module&>(module)))
        if (const llvm::DISubprogram* of = kernel->getSubprogram(); of && of->getFile())
            m_withKernels.insert(wholePath(*of->getFile()));
}

bool FileOwners::isLibrary(const llvm::DIFile& file) const
{
    const std::string path = wholePath(file);
    const auto holds = [&](const std::string& folder) { return isBelow(path, folder); };
    if (holds(m_ours) || std::ranges::any_of(m_own, holds))
        return false;
    if (std::ranges::none_of(m_program, holds))
        return true;
    return std::ranges::any_of(m_libraries, holds) && !m_withKernels.contains(path);
}

bool FileOwners::isLibrary(const llvm::Function& function) const
{
    const llvm::DISubprogram* of = function.getSubprogram();
    return of && of->getFile() && isLibrary(*of->getFile());
}

namespace {

/// LLVM's passes, with what they know of one another.
struct Passes {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassInstrumentationCallbacks callbacks;
    llvm::OptNoneInstrumentation leaving;
    llvm::PassBuilder builder;

    static llvm::PipelineTuningOptions options()
    {
        llvm::PipelineTuningOptions options;
        options.LoopVectorization = false;
        options.SLPVectorization = false;
        return options;
    }

    Passes() : leaving(false), builder(nullptr, options(), std::nullopt, &callbacks)
    {
        leaving.registerCallbacks(callbacks);
        builder.registerModuleAnalyses(modules);
        builder.registerCGSCCAnalyses(components);
        builder.registerFunctionAnalyses(functions);
        builder.registerLoopAnalyses(loops);
        builder.crossRegisterProxies(loops, functions, components, modules);
    }
};

constexpr const char* kVolatile = "lanescope.volatile";  ///< of what the source made so
constexpr const char* kKeeper = "__lanescope_keep";

class OwnFunctions {
public:
    OwnFunctions(llvm::Module& module, const FileOwners& owners)
    {
        for (llvm::Function& function : module)
            if (!function.isDeclaration() && !owners.isLibrary(function))
                m_own.push_back(&function);
    }

    /// No pass of LLVM's touches these functions, nor puts them into others.
    void fence()
    {
        for (llvm::Function* function : m_own) {
            if (function->hasFnAttribute(llvm::Attribute::AlwaysInline))
                m_always.push_back(function);
            if (!function->hasFnAttribute(llvm::Attribute::NoInline))
                m_inlinable.push_back(function);
            function->removeFnAttr(llvm::Attribute::AlwaysInline);
            function->addFnAttr(llvm::Attribute::NoInline);
            function->addFnAttr(llvm::Attribute::OptimizeNone);
        }
    }

    void unfence()
    {
        for (llvm::Function* function : m_own)
            function->removeFnAttr(llvm::Attribute::OptimizeNone);
        for (llvm::Function* function : m_inlinable)
            function->removeFnAttr(llvm::Attribute::NoInline);
        for (llvm::Function* function : m_always)
            function->addFnAttr(llvm::Attribute::AlwaysInline);
    }

    /// What the own lines do to memory stays as it is, and their variables in memory; temporaries may go.
    void pin(llvm::Module& module)
    {
        addKeeper(module);
        for (llvm::Function* function : m_own) {
            for (llvm::Instruction& instr : llvm::instructions(*function))
                for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instr.getDbgRecordRange()))
                    if (auto* local = record.isDbgDeclare()
                                          ? llvm::dyn_cast_or_null<llvm::AllocaInst>(record.getAddress())
                                          : nullptr)
                        keep(*local);
            for (llvm::Instruction& instr : llvm::instructions(*function))
                if (!isOfTemporaries(instr))
                    setVolatile(instr, true);
        }
    }

    void unpin()
    {
        for (llvm::User* user : llvm::make_early_inc_range(m_keeper.getCallee()->users()))
            cast<llvm::Instruction>(user)->eraseFromParent();
        cast<llvm::Function>(m_keeper.getCallee())->eraseFromParent();
        for (llvm::Function* function : m_own)
            for (llvm::Instruction& instr : llvm::instructions(*function))
                setVolatile(instr, false);
    }

    [[nodiscard]] const std::vector<llvm::Function*>& all() const { return m_own; }

private:
    /// Pointers to variables go to it, which keeps them in memory and hides nothing from alias analysis.
    void addKeeper(llvm::Module& module)
    {
        llvm::LLVMContext& context = module.getContext();
        m_keeper =
            module.getOrInsertFunction(kKeeper, llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                                                        {llvm::PointerType::get(context, 0)}, false));
        auto* keeper = cast<llvm::Function>(m_keeper.getCallee());
        keeper->setDoesNotThrow();
        keeper->setDoesNotAccessMemory();
        keeper->addParamAttr(0, llvm::Attribute::NoCapture);
    }

    static void setVolatile(llvm::Instruction& instr, bool isSo)
    {
        if (instr.hasMetadata(kVolatile))
            return;
        if (auto* load = dyn_cast<llvm::LoadInst>(&instr))
            load->setVolatile(isSo);
        else if (auto* store = dyn_cast<llvm::StoreInst>(&instr))
            store->setVolatile(isSo);
        else if (auto* memory = dyn_cast<llvm::MemIntrinsic>(&instr))
            memory->setVolatile(llvm::ConstantInt::getBool(instr.getContext(), isSo));
    }

    [[nodiscard]] bool isTemporary(const llvm::Value* pointer) const
    {
        const auto* local = dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
        return local && !m_kept.contains(local);
    }

    [[nodiscard]] bool isOfTemporaries(const llvm::Instruction& instr) const
    {
        if (const auto* copy = dyn_cast<llvm::MemTransferInst>(&instr))
            return isTemporary(copy->getRawDest()) && isTemporary(copy->getRawSource());
        if (const auto* set = dyn_cast<llvm::MemIntrinsic>(&instr))
            return isTemporary(set->getRawDest());
        const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instr);
        return pointer && isTemporary(pointer);
    }

    void keep(llvm::AllocaInst& local)
    {
        if (local.getAddressSpace() == 0 && m_kept.insert(&local).second)
            llvm::CallInst::Create(m_keeper, {&local}, "", std::next(local.getIterator()));
    }

    llvm::FunctionCallee m_keeper;
    std::vector<llvm::Function*> m_own;
    std::vector<llvm::Function*> m_always;
    std::vector<llvm::Function*> m_inlinable;
    std::set<const llvm::AllocaInst*> m_kept;
};

bool isVolatile(const llvm::Instruction& instr)
{
    const auto* memory = dyn_cast<llvm::MemIntrinsic>(&instr);
    return memory ? memory->isVolatile() : isa<llvm::LoadInst, llvm::StoreInst>(instr) && instr.isVolatile();
}

void markVolatiles(llvm::Module& module)
{
    for (llvm::Function& function : module)
        for (llvm::Instruction& instr : llvm::instructions(function))
            if (isVolatile(instr))
                instr.setMetadata(kVolatile, llvm::MDNode::get(module.getContext(), {}));
}

void unmarkVolatiles(llvm::Module& module)
{
    for (llvm::Function& function : module)
        for (llvm::Instruction& instr : llvm::instructions(function))
            instr.setMetadata(kVolatile, nullptr);
}

/// Nobody looks at a library's variables.
void forgetVariables(llvm::Function& function)
{
    for (llvm::Instruction& instr : llvm::instructions(function))
        instr.dropDbgRecords();
}

/// Calls of libraries, as long as there are any that are not recursive.
void inlineLibraries(llvm::Function& function, const FileOwners& owners, const std::set<const llvm::Function*>& kept)
{
    std::vector<llvm::CallBase*> calls;
    const auto add = [&](llvm::CallBase& call) {
        const llvm::Function* callee = call.getCalledFunction();
        if (callee && !callee->isDeclaration() && owners.isLibrary(*callee) && !kept.contains(callee))
            calls.push_back(&call);
    };
    for (llvm::Instruction& instr : llvm::instructions(function))
        if (auto* call = dyn_cast<llvm::CallBase>(&instr))
            add(*call);
    while (!calls.empty()) {
        llvm::CallBase* call = calls.back();
        calls.pop_back();
        llvm::InlineFunctionInfo info;
        if (llvm::InlineFunction(*call, info).isSuccess())
            for (llvm::CallBase* inner : info.InlinedCallSites)
                add(*inner);
    }
}

std::set<const llvm::Function*> recursiveIn(llvm::Module& module)
{
    std::set<const llvm::Function*> recursive;
    llvm::CallGraph calls(module);
    for (auto component = llvm::scc_begin(&calls); !component.isAtEnd(); ++component)
        if (component.hasCycle())
            for (const llvm::CallGraphNode* node : *component)
                recursive.insert(node->getFunction());
    return recursive;
}

/// What a library decides by constants is decided; the own lines' branches stay.
void foldConstantBranches(llvm::Function& function)
{
    for (llvm::BasicBlock& block : function)
        llvm::ConstantFoldTerminator(&block, true);
    llvm::removeUnreachableBlocks(function);
    for (llvm::BasicBlock& block : llvm::make_early_inc_range(function))
        llvm::MergeBlockIntoPredecessor(&block);
}

// An access is told by the place of its subscript, which is its address's. Equal addresses become one, so that each
// access keeps the place of its own.
constexpr const char* kAddressAt = "lanescope.address-at";

llvm::GetElementPtrInst* subscriptOf(const llvm::Instruction& access)
{
    return llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(
        const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&access)));
}

/// Of the own lines' accesses, before anything is inlined.
void noteAddresses(llvm::Function& function)
{
    for (llvm::Instruction& instr : llvm::instructions(function))
        if (const llvm::GetElementPtrInst* address = subscriptOf(instr); address && address->getDebugLoc())
            instr.setMetadata(kAddressAt, address->getDebugLoc().getAsMDNode());
}

/// Libraries' addresses have none, so that their accesses are told by their own.
void forgetAddresses(llvm::Function& function, const FileOwners& owners)
{
    for (llvm::Instruction& instr : llvm::instructions(function))
        if (const llvm::DILocation* location = instr.getDebugLoc().get();
            location && isa<llvm::GetElementPtrInst>(instr) && owners.isLibrary(*location->getFile()))
            instr.setDebugLoc({});
}

void restoreAddresses(llvm::Function& function)
{
    for (llvm::Instruction& instr : llvm::instructions(function)) {
        llvm::GetElementPtrInst* address = subscriptOf(instr);
        if (!address)
            continue;
        const llvm::DebugLoc wanted(llvm::dyn_cast_or_null<llvm::DILocation>(instr.getMetadata(kAddressAt)));
        instr.setMetadata(kAddressAt, nullptr);
        if (address->getDebugLoc() == wanted)
            continue;
        if (!address->hasOneUse()) {
            llvm::Instruction* own = address->clone();
            own->insertBefore(&instr);
            instr.replaceUsesOfWith(address, own);
            address = cast<llvm::GetElementPtrInst>(own);
        }
        address->setDebugLoc(wanted);
    }
}

/// The innermost place of the program that \p location was inlined into.
const llvm::DILocation* ownPlace(const llvm::DILocation* location, const FileOwners& owners)
{
    for (const llvm::DILocation* at = location; at; at = at->getInlinedAt())
        if (!owners.isLibrary(*at->getFile()))
            return at;
    return location;
}

/// Who steps is at the program's lines. An access of a library's keeps its place as well, which a finding tells.
void tellOwnLines(llvm::Function& function, const FileOwners& owners)
{
    for (llvm::Instruction& instr : llvm::instructions(function)) {
        const llvm::DILocation* location = instr.getDebugLoc().get();
        const llvm::DILocation* own = location ? ownPlace(location, owners) : nullptr;
        if (own == location)
            continue;
        if (isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::MemIntrinsic>(
                instr))
            instr.setMetadata(simt::kOwnPlace, const_cast<llvm::DILocation*>(own));
        else
            instr.setDebugLoc(own);
    }
}

}  // namespace

void optimiseLibraries(llvm::Module& module, const FileOwners& owners)
{
    Passes passes;
    OwnFunctions own(module, owners);
    markVolatiles(module);
    for (llvm::Function& function : module)
        if (!function.isDeclaration() && owners.isLibrary(function)) {
            forgetVariables(function);
            function.removeFnAttr(llvm::Attribute::NoInline);  // all have it at -O0
        }
    own.fence();
    llvm::ModulePassManager libraries;
    libraries.addPass(llvm::GlobalDCEPass());
    libraries.addPass(passes.builder.buildInlinerPipeline(llvm::OptimizationLevel::O2, llvm::ThinOrFullLTOPhase::None));
    libraries.run(module, passes.modules);
    own.unfence();

    own.pin(module);
    const std::set<const llvm::Function*> recursive = recursiveIn(module);
    for (llvm::Function* function : own.all()) {
        noteAddresses(*function);
        inlineLibraries(*function, owners, recursive);
        forgetAddresses(*function, owners);
    }
    passes.modules.clear();
    passes.functions.clear();
    llvm::FunctionPassManager simplifying;
    for (int round = 0; round < 2; ++round) {
        simplifying.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
        simplifying.addPass(llvm::EarlyCSEPass(true));
        simplifying.addPass(llvm::InstSimplifyPass());
    }
    for (llvm::Function* function : own.all()) {
        simplifying.run(*function, passes.functions);
        foldConstantBranches(*function);
        restoreAddresses(*function);
        tellOwnLines(*function, owners);
    }
    own.unpin();
    unmarkVolatiles(module);
    llvm::ModulePassManager rest;
    rest.addPass(llvm::AlwaysInlinerPass());
    rest.addPass(llvm::GlobalDCEPass());
    passes.modules.clear();
    passes.functions.clear();
    rest.run(module, passes.modules);
}

}  // namespace lanescope::instrument
