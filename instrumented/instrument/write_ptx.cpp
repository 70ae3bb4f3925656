// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>
#include <set>

#include <fmt/format.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include "instrumented/instrument/device_code.h"

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace lanescope::instrument {

namespace {

constexpr const char* kProcessor = "sm_90";
constexpr const char* kFeatures = "+ptx83";

std::unique_ptr<llvm::TargetMachine> targetMachine(const llvm::Module& module)
{
    std::string problem;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), problem);
    if (!target)
        throw Refused{{Error::Code::Unsupported, problem, module.getTargetTriple()}};
    llvm::TargetOptions options;
    // Multiply-adds are fused where the source says so, and nowhere else: as the simulator computes them.
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine(module.getTargetTriple(), kProcessor, kFeatures, options, std::nullopt,
                                    std::nullopt, llvm::CodeGenOptLevel::Default));
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine)
{
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

/// .loc directives and nothing else: with more, the driver would compile without optimisation.
void keepLinesOnly(llvm::Module& module)
{
    llvm::stripNonLineTableDebugInfo(module);
    llvm::NamedMDNode* units = module.getNamedMetadata("llvm.dbg.cu");
    if (!units)
        return;
    std::map<const llvm::DICompileUnit*, llvm::DICompileUnit*> replaced;
    for (unsigned i = 0; i < units->getNumOperands(); ++i) {
        auto* unit = llvm::cast<llvm::DICompileUnit>(units->getOperand(i));
        auto* lines = llvm::DICompileUnit::getDistinct(
            module.getContext(), unit->getSourceLanguage(), unit->getFile(), unit->getProducer(), true, "", 0, "",
            llvm::DICompileUnit::DebugDirectivesOnly, {}, {}, {}, {}, {}, 0, false, false,
            llvm::DICompileUnit::DebugNameTableKind::None, false, "", "");
        replaced[unit] = lines;
        units->setOperand(i, lines);
    }
    llvm::DebugInfoFinder found;
    found.processModule(module);
    for (llvm::DISubprogram* subprogram : found.subprograms())
        if (auto unit = replaced.find(subprogram->getUnit()); unit != replaced.end())
            subprogram->replaceUnit(unit->second);
}

/// ptxas knows no sources in .file directives.
std::string withoutSources(llvm::StringRef text)
{
    std::string result;
    while (!text.empty()) {
        auto [line, rest] = text.split('\n');
        if (line.starts_with("\t.file"))
            line = line.substr(0, line.find("\" source \"") == llvm::StringRef::npos ? line.size()
                                                                                     : line.find("\" source \"") + 1);
        result += line;
        result += '\n';
        text = rest;
    }
    return result;
}

}  // namespace

void initialiseTarget()
{
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

std::string writePtx(DeviceCode& code)
{
    llvm::Module& module = *code.module;
    const std::unique_ptr<llvm::TargetMachine> machine = targetMachine(module);
    module.setDataLayout(machine->createDataLayout());
    keepLinesOnly(module);
    for (llvm::Function& function : module) {
        function.removeFnAttr("target-features");
        function.removeFnAttr("target-cpu");
    }
    std::set<std::string> kept{
        "__lanescope_control", "__lanescope_counters", "__lanescope_races", kRaceShape, kVariableTable, kCodeTotal,
        kCountEntries};
    for (llvm::Function* kernel : code.kernels)
        kept.insert(kernel->getName().str());
    llvm::internalizeModule(module,
                            [&](const llvm::GlobalValue& value) { return kept.contains(value.getName().str()); });
    std::string problem;
    llvm::raw_string_ostream problems(problem);
    if (llvm::verifyModule(module, &problems))
        throw Refused{{Error::Code::Unsupported, "the instrumented code is not valid: " + problem, ""}};
    optimise(module, *machine);

    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
        throw Refused{{Error::Code::Unsupported, "LLVM has no PTX back end", ""}};
    passes.run(module);
    return withoutSources(text);
}

}  // namespace lanescope::instrument
