// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads device code, lowers kernels when they are first launched, and launches them.
#include "core/simt/launch/loaded_module.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <tuple>

#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>

#include "core/device/judge.h"
#include "core/simt/ir/program_calls.h"
#include "core/simt/launch/begun_launch.h"
#include "core/simt/launch/block_queue.h"
#include "core/simt/launch/stage_shapes.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/ptx/ptx_module_to_ir.h"

namespace lanescope::simt {

namespace {

// Sites and variables are numbered over the whole session, whatever module they come from.
std::atomic<uint32_t> g_nextSite{0};
std::atomic<uint32_t> g_nextVariable{0};

constexpr uint64_t kHeapBytes = 8 << 20;  ///< as cudaLimitMallocHeapSize is at first

}  // namespace

Result<LoadedModule::Variant*> LoadedModule::variantFor(llvm::Function& kernel, Dim3 block,
                                                        const device::LaunchOptions& options)
{
    const bool record = options.writer != nullptr;
    // What is recorded must not depend on how wide the block is: a kernel's launches share its sites.
    const bool wholeRows = !record && !options.device && block.x % kWarpSize == 0;
    const int key = record ? (options.recordVariables ? 2 : 1) : wholeRows ? 3 : 0;
    Variant& variant = m_variants[{&kernel, key}];
    if (!variant.program) {
        LoweringOptions lowering;
        lowering.record = record;
        lowering.wholeRows = wholeRows;
        lowering.recordVariables = record && options.recordVariables;
        lowering.firstSite = record ? g_nextSite.load() : 0;
        lowering.firstVariable = record ? g_nextVariable.load() : 0;
        if (options.device && !m_numbers)
            m_numbers = std::make_unique<CodeNumbers>(*m_module);
        lowering.numbers = m_numbers.get();
        auto program = ProgramBuilder(*m_module, m_sources, m_globals, m_functionAddresses, lowering).build(kernel);
        if (!program)
            return program.error();
        variant.program = program.value();
        if (record) {
            g_nextSite += static_cast<uint32_t>(variant.program->sites.size());
            g_nextVariable += static_cast<uint32_t>(variant.program->variables.size());
        }
    }
    if (record && !variant.declared)
        declare(variant, *options.writer);
    return &variant;
}

void LoadedModule::addSources(trace::TraceWriter& writer)
{
    const auto& files = m_sources.files();
    while (m_writerSources.size() < files.size())
        m_writerSources.push_back(
            writer.addSource(files[m_writerSources.size()].path, files[m_writerSources.size()].text));
}

void LoadedModule::declare(Variant& variant, trace::TraceWriter& writer)
{
    addSources(writer);
    std::vector<trace::Site> sites = variant.program->sites;
    for (trace::Site& site : sites)
        site.where.source = writerSource(site.where.source);
    std::vector<trace::Variable> variables = variant.program->variables;
    for (trace::Variable& variable : variables)
        variable.declared.source = writerSource(variable.declared.source);
    writer.addVariables(variables);
    writer.addSites(sites);
    variant.declared = true;
}

Result<void> LoadedModule::placeHeap()
{
    if (m_heap.placed())
        return {};
    auto heap = m_memory.allocate(kHeapBytes, device::kHeapOrigin, false);
    if (!heap)
        return heap.error();
    m_heap.place(heap.value().address, kHeapBytes);
    return {};
}

void LoadedModule::addCalls(trace::Finding& finding, const LaunchPlan& plan)
{
    ProgramCalls calls(*m_functions.at(plan.function), m_sources);
    const auto isTold = [&](const trace::SourceLocation& where) {
        return std::ranges::any_of(finding.calls, [&](const trace::FindingAccess& call) {
            return std::tie(call.where.source, call.where.line, call.where.column) ==
                   std::tie(where.source, where.line, where.column);
        });
    };
    for (trace::FindingAccess& access : finding.accesses)
        if (const auto place = calls.libraryPlaceOf(access.where)) {
            access.where = *place;
            access.expression = m_sources.expressionAt(*place);
        }
    for (const trace::FindingAccess& access : finding.accesses)
        for (const trace::SourceLocation& where : calls.leadingTo(access.where))
            if (!isTold(where))
                finding.calls.push_back({where, m_sources.expressionAt(where), "call", access.block, access.thread,
                                         access.epoch, access.step});
}

/// The trace's id for a source of the module's.
SourceId LoadedModule::placedSource(SourceId own, const device::LaunchOptions& options) const
{
    if (options.writer)
        return writerSource(own);
    return options.sourceId ? options.sourceId(sourcePath(own)) : own;
}

/// From the module's own ids to the trace's.
void LoadedModule::placeSources(std::vector<trace::Finding>& findings, const LaunchPlan& plan)
{
    for (trace::Finding& finding : findings)
        addCalls(finding, plan);
    if (plan.options.writer)
        addSources(*plan.options.writer);
    for (trace::Finding& finding : findings)
        for (std::vector<trace::FindingAccess>* accesses : {&finding.accesses, &finding.calls})
            for (trace::FindingAccess& access : *accesses)
                access.where.source = placedSource(access.where.source, plan.options);
}

std::string LoadedModule::sourcePath(SourceId id) const
{
    const auto& files = m_sources.files();
    // Once launches are recorded, it is the trace's ids that they have.
    const auto place = m_writerSources.empty() ? static_cast<std::ptrdiff_t>(id.value)
                                               : std::ranges::find(m_writerSources, id) - m_writerSources.begin();
    return static_cast<size_t>(place) < files.size() ? files[static_cast<size_t>(place)].path : std::string();
}

/// Takes the races with launches that this one may overlap, or that are under way beside it, out of \p outcome.
std::vector<trace::Finding> LoadedModule::judgeAcross(const LaunchPlan& plan, device::DeviceOutcome& outcome)
{
    using Races = std::vector<std::pair<uint64_t, device::RaceReport>>;
    Races own, overlapping;
    std::map<LaunchId, Races> beside;
    for (auto& race : outcome.races) {
        Races& of = race.second.beside ? beside[*race.second.beside] : race.second.ofEarlier ? overlapping : own;
        of.push_back(std::move(race));
    }
    outcome.races = std::move(own);
    std::vector<trace::Finding> findings;
    const auto judge = [&](const std::optional<device::EarlierLaunch>& other, const Races& races) {
        if (!races.empty() && other && other->siteAt)
            std::ranges::move(device::findingsAgainst(*other, races, contextOf(plan)), std::back_inserter(findings));
    };
    judge(m_races.launchThatEnded(plan.options.overlap.end), overlapping);
    for (const auto& [launch, races] : beside)
        judge(plan.peers->group->toldOf(launch), races);
    if (!findings.empty() && plan.options.writer)
        addSources(*plan.options.writer);
    for (trace::Finding& finding : findings)
        finding.accesses[1].where.source = placedSource(finding.accesses[1].where.source, plan.options);
    return findings;
}

/// What \p outcome says of the program.
std::vector<trace::Finding> LoadedModule::judge(const LaunchPlan& plan, device::DeviceOutcome& outcome)
{
    std::vector<trace::Finding> across = judgeAcross(plan, outcome);
    std::vector<trace::Finding> findings = device::judge(outcome, contextOf(plan));
    placeSources(findings, plan);
    std::ranges::move(across, std::back_inserter(findings));
    return findings;
}

/// What findings of other launches tell of this one.
device::EarlierLaunch LoadedModule::toldOf(const LaunchPlan& plan)
{
    trace::Launch shape;
    shape.id = plan.launch.id;
    shape.kernel = plan.launch.kernel;
    shape.grid = plan.launch.grid;
    shape.block = plan.launch.block;
    device::LaunchOptions options;
    options.writer = plan.options.writer;
    options.sourceId = plan.options.sourceId;
    return {std::move(shape), [this, &program = plan.program, options](uint32_t index) {
                trace::Site site = program.sites[index];
                site.where.source = placedSource(site.where.source, options);
                return site;
            }};
}

/// Undefined values that were copied are no mistake yet: the memory remembers them.
void LoadedModule::rememberCopies(const LaunchPlan& plan, const device::DeviceOutcome& outcome)
{
    const device::JudgeContext context = contextOf(plan);
    for (const auto& [block, copy] : outcome.undefinedCopies) {
        std::vector<trace::Finding> copied = device::findingsOf({{block, copy.second}}, context);
        placeSources(copied, plan);
        m_memory.noteUndefinedCopy(copy.first, copied.front());
    }
}

/// Once it is known what was copied into shared memory.
void LoadedModule::shapeStages(const LaunchPlan& plan, const GridState& state)
{
    const auto shape = [&](trace::Buffer buffer, uint64_t address) {
        if (shapeByBoxes(buffer, address, state.boxes()))
            plan.options.writer->putBuffer(buffer);
    };
    for (const auto& [slot, buffer] : plan.buffers) {
        const auto divided = plan.parts.find(slot);
        if (buffer.space != trace::Space::Shared)
            continue;
        if (divided == plan.parts.end()) {
            shape(buffer, slotAddress(slot));
            continue;
        }
        for (const trace::Buffer& part : divided->second)
            shape(part, slotAddress(slot) + part.sharedOffset - buffer.sharedOffset);
    }
}

/// Makes \p plan one of the launches that are under way beside each other.
void LoadedModule::joinGroup(LaunchPlan& plan)
{
    const std::shared_ptr<LaunchGroup>& group = m_races.group();
    const BlockRange own = group->join(plan.launch.id, plan.launch.grid.count(), this, toldOf(plan));
    plan.peers.reset(new LaunchPeers{group, own, group->endedOf(plan.options.comesAfter)});
}

/// What \p plan reads may be changed while it is under way.
void LoadedModule::letOthersWrite(LaunchPlan& plan) const
{
    for (const device::Allocation& allocation : m_memory.allocations())
        if (const uint64_t slot = allocation.address >> 32; plan.objects[slot].placed)
            plan.objects[slot].valuesDerivable = plan.objects[slot].unwritten = false;
}

Result<std::unique_ptr<device::BegunLaunch>> LoadedModule::begin(const std::string& kernel, LaunchId id, Dim3 grid,
                                                                 Dim3 block, uint64_t dynamicSharedBytes,
                                                                 std::span<const void* const> arguments,
                                                                 const device::LaunchOptions& options)
{
    const auto info = std::ranges::find(m_kernels, kernel, &device::KernelInfo::name);
    if (info == m_kernels.end())
        return Error{Error::Code::NotFound, fmt::format("no kernel {} in the device code", llvm::demangle(kernel)), {}};
    trace::Launch launch;
    launch.id = id;
    launch.grid = grid;
    launch.block = block;
    if (options.cluster.count() > 1)
        launch.cluster = options.cluster;
    launch.dynamicSharedBytes = dynamicSharedBytes;
    launch.device = options.deviceNumber;
    auto begun = std::make_unique<Begun>(*this, kernel, std::move(launch), arguments, options);
    if (auto planned = begun->plan(*info); !planned)
        return planned.error();
    return std::unique_ptr<device::BegunLaunch>(std::move(begun));
}

namespace {

Result<std::unique_ptr<device::Module>> prepared(std::unique_ptr<llvm::LLVMContext> context,
                                                 Result<std::unique_ptr<llvm::Module>> parsed,
                                                 device::DeviceMemory& memory, RaceMemory& races)
{
    if (!parsed)
        return parsed.error();
    auto module = std::make_unique<LoadedModule>(std::move(context), std::move(parsed).value(), memory, races);
    if (auto done = module->prepare(); !done)
        return done.error();
    return std::unique_ptr<device::Module>(std::move(module));
}

}  // namespace

Result<std::unique_ptr<device::Module>> loadModule(std::span<const std::byte> bitcode, device::DeviceMemory& memory,
                                                   RaceMemory& races)
{
    auto context = std::make_unique<llvm::LLVMContext>();
    auto parsed = readBitcode(bitcode, *context);
    return prepared(std::move(context), std::move(parsed), memory, races);
}

Result<std::unique_ptr<device::Module>> loadLinkedModule(std::span<const std::vector<std::byte>> parts,
                                                         device::DeviceMemory& memory, RaceMemory& races)
{
    auto context = std::make_unique<llvm::LLVMContext>();
    auto linked = linkBitcode(parts, *context);
    return prepared(std::move(context), std::move(linked), memory, races);
}

Result<std::unique_ptr<device::Module>> loadPtxModule(std::string_view ptx, const std::string& name,
                                                      device::DeviceMemory& memory, RaceMemory& races)
{
    auto context = std::make_unique<llvm::LLVMContext>();
    auto parsed = readPtxModule(ptx, name, *context);
    return prepared(std::move(context), std::move(parsed), memory, races);
}

}  // namespace lanescope::simt
