// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// liblanescope_native.so: from code to machine code.
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "core/simt/native/block_writer.h"
#include "core/simt/native/divisions.h"
#include "core/simt/native/embedded_bitcode.h"
#include "core/simt/native/held_addresses.h"
#include "core/simt/native/seldom_values.h"
#include "core/simt/native/warp_files.h"

namespace lanescope::simt::native {
namespace {

/// LLVM's passes, and what they know of functions.
class Optimiser {
public:
    Optimiser()
    {
        llvm::PassBuilder builder;
        builder.registerModuleAnalyses(m_modules);
        builder.registerCGSCCAnalyses(m_cycles);
        builder.registerFunctionAnalyses(m_functions);
        builder.registerLoopAnalyses(m_loops);
        builder.crossRegisterProxies(m_loops, m_functions, m_cycles, m_modules);
    }

    void inlineAll(llvm::Module& module)
    {
        llvm::ModulePassManager passes;
        passes.addPass(llvm::GlobalDCEPass());
        passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
        passes.addPass(llvm::GlobalDCEPass());
        passes.run(module, m_modules);
    }
    /// So that accesses to registers are seen. Returns what they go to, as assumeWarp.
    WarpFiles simplify(llvm::Function& function, const NativeJob& job)
    {
        run(function, simplified());
        WarpFiles files = assumeWarp(function, job);
        forget(function);
        llvm::FunctionPassManager passes = simplified();
        passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(2, /*OnlyWhenForced=*/false)));
        passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
        passes.addPass(llvm::InstCombinePass());
        run(function, std::move(passes));
        return files;
    }
    void shorten(llvm::Function& function)
    {
        forget(function);
        llvm::FunctionPassManager passes = simplified();
        passes.addPass(llvm::JumpThreadingPass());
        passes.addPass(llvm::GVNPass());
        passes.addPass(llvm::InstCombinePass());
        passes.addPass(llvm::DSEPass());
        passes.addPass(llvm::ADCEPass());
        passes.addPass(llvm::SimplifyCFGPass());
        passes.addPass(llvm::InstCombinePass());
        run(function, std::move(passes));
    }

private:
    void forget(llvm::Function& function) { m_functions.invalidate(function, llvm::PreservedAnalyses::none()); }
    static llvm::FunctionPassManager simplified()
    {
        llvm::FunctionPassManager passes;
        passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
        passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
        passes.addPass(llvm::InstCombinePass());
        passes.addPass(llvm::SimplifyCFGPass());
        return passes;
    }
    void run(llvm::Function& function, llvm::FunctionPassManager passes) { passes.run(function, m_functions); }

    llvm::LoopAnalysisManager m_loops;
    llvm::FunctionAnalysisManager m_functions;
    llvm::CGSCCAnalysisManager m_cycles;
    llvm::ModuleAnalysisManager m_modules;
};

/// The stretch of \p region that instruction \p index is in.
const Stretch& partOf(const Region& region, size_t index)
{
    return *std::ranges::find_if(region,
                                 [index](const Stretch& part) { return part.begin <= index && index < part.end; });
}

/// Of each 4 bytes of a warp's register file, the lane whose they are, as a mask of lanes.
std::function<LaneMask(uint64_t)> lanesOfRegisters(const NativeJob& job)
{
    return [wide = job.wideRegisters](uint64_t offset) {
        // Registers are aligned to those of narrow lanes.
        const uint64_t row = offset / kRegisterBytes * kRegisterBytes;
        const auto isWide = [&](uint64_t reg) { return std::ranges::binary_search(wide, reg); };
        if (isWide(row))
            return kLaneBits[(offset - row) / sizeof(uint64_t)];
        if (row >= kRegisterBytes && isWide(row - kRegisterBytes))
            return kLaneBits[(offset - row + kRegisterBytes) / sizeof(uint64_t)];
        return kLaneBits[(offset - row) / sizeof(uint32_t)];
    };
}

/// What is made of a region, or of a stretch alone for warps that lack lanes: inlined.
struct Body {
    llvm::Function* function;
    Region region;
};

llvm::Expected<std::vector<Body>> write(const NativeJob& job, const std::vector<Region>& regions, BlockWriter& writer)
{
    std::vector<Body> bodies;
    for (const Region& region : regions) {
        auto body = job.lacksLanes() ? writer.writeForPart(region.front()) : writer.writeForWhole(region);
        if (!body)
            return body.takeError();
        bodies.push_back({*body, region});
    }
    return bodies;
}

void keepFilesAsValues(const NativeJob& job, const ListedHandlers& handlers, const std::vector<Body>& bodies,
                       BlockWriter& writer, Optimiser& optimiser)
{
    const bool lacksLanes = job.lacksLanes();
    std::vector<WarpFiles> files;
    std::vector<FileValues> values;
    std::vector<Pieces> exposed;
    std::vector<Stretch> heads;
    for (const auto& [function, region] : bodies) {
        heads.push_back(region.front());
        const WarpFiles& found = files.emplace_back(optimiser.simplify(*function, job));
        const WarpFile registers{found.registers, job.registerBytes / kPieceBytes, kPieceBytes, lanesOfRegisters(job),
                                 lacksLanes ? static_cast<llvm::Value*>(found.mask) : nullptr};
        const FileValues& kept = values.emplace_back(
            *function, registers, [&writer](const llvm::CallBase& call) { return writer.touchedBy(call); });
        exposed.push_back(kept.exposed());
        if (!kept.areKnown())
            for (const Stretch& part : region)
                for (size_t k = part.begin; k < part.end; ++k)
                    exposed.back() |= usesOf(job, handlers, k);
    }
    const RegisterUses uses(job, handlers, heads, exposed);
    // Of scalars and patterns it is not known who reads them: all are written back.
    const auto scalars = static_cast<unsigned>(job.scalars.size());
    const unsigned words = job.patterns * sizeof(LanePattern) / kPatternPieceBytes;
    const auto keep = [](FileValues kept, unsigned pieces) {
        kept.make([&](const llvm::CallBase&) { return Pieces(pieces, true); });
    };
    for (size_t i = 0; i < bodies.size(); ++i) {
        const auto& [function, region] = bodies[i];
        // What is made of lanes that are missing must not get into their registers.
        if (lacksLanes && !values[i].areKnown()) {
            writer.giveUp(*function, region.front());
            continue;
        }
        values[i].make([&](const llvm::CallBase& mark) {
            const uint64_t index = llvm::cast<llvm::ConstantInt>(mark.getArgOperand(0))->getZExtValue();
            return uses.behind(partOf(region, index), index);
        });
        // Once an undefined value is seen, a split's scalars need more room.
        keep({*function,
              WarpFile{
                  .start = files[i].scalars, .pieces = scalars, .bytesPerPiece = kScalarPieceBytes, .mayMove = true},
              [&writer](const llvm::CallBase& call) { return writer.scalarsTouchedBy(call); }},
             scalars);
        keep({*function, WarpFile{files[i].patterns, words, kPatternPieceBytes},
              [&writer](const llvm::CallBase& call) { return writer.patternsTouchedBy(call); }},
             words);
        eraseExitMarks(*function);
    }
}

llvm::Expected<llvm::orc::JITTargetMachineBuilder> targetMachine()
{
    auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
    // What is far away is in a table that each process fills for itself (object_linker.h).
    if (machine)
        machine->setRelocationModel(llvm::Reloc::PIC_).setCodeModel(llvm::CodeModel::Small);
    return machine;
}

llvm::Expected<MadeCode> compile(const NativeJob& job, const ListedHandlers& handlers,
                                 const std::vector<Region>& regions)
{
    llvm::LLVMContext context;
    const std::string_view bytes = embeddedBitcode(job.handlers->name);
    // Of some thousand handlers a kernel has a few.
    auto bitcode = llvm::getLazyBitcodeModule({{bytes.data(), bytes.size()}, "handlers"}, context);
    if (!bitcode)
        return bitcode.takeError();
    BlockWriter writer(**bitcode, job, handlers);
    auto bodies = write(job, regions, writer);
    if (!bodies)
        return bodies.takeError();
    if (llvm::Error error = writer.closeModule())
        return error;
    {
        Optimiser optimiser;  // what it knows of values must not outlive them
        optimiser.inlineAll(**bitcode);
        keepFilesAsValues(job, handlers, *bodies, writer, optimiser);
        for (const Body& body : *bodies) {
            optimiser.shorten(*body.function);
            divideByDoubles(*body.function);
            computeWhereWanted(*body.function);
        }
    }
    writer.placeConstants();
    auto builder = targetMachine();
    if (!builder)
        return builder.takeError();
    auto machine = builder->createTargetMachine();
    if (!machine)
        return machine.takeError();
    const bool mayBeKept = !holdsAddresses(**bitcode);
    (*bitcode)->setDataLayout((*machine)->createDataLayout());
    auto object = llvm::orc::SimpleCompiler(**machine)(**bitcode);
    if (!object)
        return object.takeError();
    const auto* const bytesOfObject = reinterpret_cast<const std::byte*>((*object)->getBufferStart());
    return MadeCode{{bytesOfObject, bytesOfObject + (*object)->getBufferSize()}, writer.hasForeseen(), mayBeKept};
}

llvm::Expected<MadeCode> make(const NativeJob& job)
{
    const ListedHandlers handlers(job);
    const std::vector<Stretch> stretches = stretchesOf(job, handlers);
    std::vector<Region> regions;
    if (!job.lacksLanes())
        regions = regionsOf(job, stretches);
    else
        for (const Stretch& stretch : stretches)
            if (stretch.end - stretch.begin > 1)
                regions.push_back({stretch});
    if (regions.empty())
        return MadeCode{{}, false, true};
    return compile(job, handlers, regions);
}

}  // namespace
}  // namespace lanescope::simt::native

extern "C" [[gnu::visibility("default")]] const char* lanescope_make_code(const lanescope::simt::NativeJob& job,
                                                                          lanescope::simt::MadeCode& made)
{
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    static const bool isReady = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
    if (!isReady)
        return "LLVM does not know this processor";
    static std::string trouble;
    auto code = lanescope::simt::native::make(job);
    if (!code) {
        trouble = llvm::toString(code.takeError());
        return trouble.c_str();
    }
    made = std::move(*code);
    return nullptr;
}
