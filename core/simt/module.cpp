// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads device code, lowers kernels when they are first launched, and launches them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/Error.h>

#include "core/simt/findings.h"
#include "core/simt/grid_state.h"
#include "core/simt/loaded_module.h"

namespace lanescope::simt {

namespace {

// Sites and variables are numbered over the whole session, whatever module they come from.
std::atomic<uint32_t> g_nextSite{0};
std::atomic<uint32_t> g_nextVariable{0};

/// Why a launch ended early, for people: limits first by their name.
Error stopError(const LaunchOutcome& outcome, const trace::Launch& launch, const LaunchOptions& options)
{
    Dim3 block = positionOf(outcome.stopBlock, launch.grid);
    std::string where = fmt::format("kernel {} block ({},{},{})", launch.kernel, block.x, block.y, block.z);
    constexpr std::string_view kStepLimit = "step-limit";
    if (outcome.stopReason.starts_with(kStepLimit))
        return {Error::Code::Limit,
                fmt::format("{}: more than {} warp instructions in one launch (--max-steps){}", kStepLimit,
                            options.maxSteps ? options.maxSteps : kDefaultMaxSteps,
                            outcome.stopReason.substr(kStepLimit.size())),
                where};
    const bool isLimit =
        outcome.stopReason.starts_with("barrier-deadlock") || outcome.stopReason.starts_with("livelock");
    return {isLimit ? Error::Code::Limit : Error::Code::BadInput, outcome.stopReason, where};
}

constexpr unsigned kDeepestLaunch = 24;   ///< kernels that launched each other
constexpr uint64_t kHeapBytes = 8 << 20;  ///< as cudaLimitMallocHeapSize is at first

/// What the kernel printed, and what its failed assertions say, as CUDA words it.
void emitText(GridState& grid, const trace::Launch& launch, const LaunchOptions& options)
{
    std::string text = grid.takeText();
    if (options.output && !text.empty())
        options.output(text);
    for (const GridState::FailedAssertion& failed : grid.failedAssertions()) {
        Dim3 block = positionOf(failed.block, launch.grid);
        Dim3 thread = positionOf(failed.thread, launch.block);
        if (options.errorOutput)
            options.errorOutput(fmt::format("{}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n",
                                            failed.where, block.x, block.y, block.z, thread.x, thread.y, thread.z,
                                            failed.expression));
    }
}

}  // namespace

Result<LoadedModule::Variant*> LoadedModule::variantFor(llvm::Function& kernel, const LaunchOptions& options)
{
    bool record = options.writer != nullptr;
    int key = record ? (options.recordVariables ? 2 : 1) : 0;
    Variant& variant = m_variants[{&kernel, key}];
    if (!variant.program) {
        LoweringOptions lowering;
        lowering.record = record;
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

void LoadedModule::declare(Variant& variant, trace::TraceWriter& writer)
{
    const auto& files = m_sources.files();
    while (m_writerSources.size() < files.size())
        m_writerSources.push_back(
            writer.addSource(files[m_writerSources.size()].path, files[m_writerSources.size()].text));
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

/// Address slots that are touched; none: could be any.
std::optional<std::set<uint64_t>> LoadedModule::slotsOf(const WrittenMemory& memory,
                                                        std::span<const void* const> arguments) const
{
    if (memory.anything)
        return std::nullopt;
    std::set<uint64_t> slots;
    for (unsigned parameter : memory.parameters) {
        uint64_t address = 0;
        std::memcpy(&address, arguments[parameter], sizeof address);
        slots.insert(address >> 32);
    }
    for (const std::string& name : memory.globals)
        if (auto found = m_globalsByName.find(name); found != m_globalsByName.end())
            slots.insert(found->second >> 32);
    return slots;
}

/// Whether the kernel may load what its atomics write: then their order shows.
bool LoadedModule::readsAtomics(llvm::Function& function, std::span<const void* const> arguments)
{
    auto reads = slotsOf(readMemory(function), arguments);
    auto atomics = slotsOf(atomicMemory(function), arguments);
    return !reads || !atomics ||
           std::any_of(atomics->begin(), atomics->end(), [&](uint64_t slot) { return reads->contains(slot); });
}

void LoadedModule::placeArguments(LaunchPlan& plan, std::span<const void* const> arguments)
{
    const Program& program = plan.program;
    plan.scalars = program.scalars;
    const Dim3 shapes[2] = {plan.launch.block, plan.launch.grid};
    for (uint32_t i = 0; i < 2; ++i) {
        uint32_t first = i == 0 ? kBlockDimScalar : kGridDimScalar;
        plan.scalars[first] = shapes[i].x;
        plan.scalars[first + 1] = shapes[i].y;
        plan.scalars[first + 2] = shapes[i].z;
    }
    plan.parameterBytes.resize(program.parameters.size());
    for (size_t i = 0; i < program.parameters.size(); ++i) {
        const ParameterPlace& place = program.parameters[i];
        const auto* bytes = static_cast<const std::byte*>(arguments[i]);
        for (size_t leaf = 0; leaf < place.scalars.size(); ++leaf) {
            uint64_t bits = 0;
            std::memcpy(&bits, bytes + place.scalars[leaf].second, place.widths[leaf]);
            plan.scalars[place.scalars[leaf].first] = bits;
        }
        if (place.parameterSlot)
            plan.parameterBytes[i].assign(bytes, bytes + place.bytes);
        if (place.localObject >= 0)
            plan.localParameters.emplace_back(place.localObject, std::vector<std::byte>(bytes, bytes + place.bytes));
    }
}

namespace {

constexpr uint32_t kWordCells = 2;

/// log2 of the bytes the race check tells apart: words, unless the elements are smaller.
uint32_t cellShift(const trace::ValueType& element)
{
    return element.bytes >= 4 && element.kind != trace::ScalarKind::Bytes ? kWordCells : 0;
}

}  // namespace

bool LoadedModule::mayBeWritten(uint64_t slot, const WrittenMemory& written,
                                std::span<const void* const> arguments) const
{
    const std::optional<std::set<uint64_t>> slots = slotsOf(written, arguments);
    return !slots || slots->contains(slot);
}

void LoadedModule::placeBuffers(LaunchPlan& plan, std::span<const void* const> arguments, llvm::Function& function)
{
    const Program& program = plan.program;
    m_slotBuffers.clear();
    auto [written, isNew] = m_written.try_emplace(&function);
    if (isNew)
        written->second = writtenMemory(function);
    std::optional<std::set<uint64_t>> narrow;
    if (plan.options.races && program.hasNarrowGlobal) {
        auto [found, isFirst] = m_narrow.try_emplace(&function);
        if (isFirst)
            found->second = narrowMemory(function);
        narrow = slotsOf(found->second, arguments);
    }
    trace::TraceWriter* writer = plan.options.writer;
    for (const Allocation& allocation : m_memory.allocations()) {
        uint64_t slot = allocation.address >> 32;
        const DeviceMemory::Slot& from = m_memory.slots()[slot - DeviceMemory::kFirstSlot];
        trace::Buffer buffer = bufferOf(allocation);
        if (writer)
            writer->putBuffer(buffer);
        m_slotBuffers[slot] = buffer;
        ObjectEntry& entry = plan.objects.place(slot);
        entry.buffer = allocation.buffer;
        entry.freed = !allocation.live;
        if (!allocation.live)
            continue;
        entry.host = from.host;
        entry.bytes = from.bytes;
        entry.initialised = from.initialised;
        entry.readOnly = allocation.constant;
        entry.valuesDerivable = !program.waitsForChildren && !mayBeWritten(slot, written->second, arguments);
        entry.partlyUndefined = plan.options.definedness && m_memory.isPartlyUndefined(allocation.address);
        const bool isHeap = m_heap.placed() && slot == m_heap.address() >> 32;
        if (isHeap && plan.options.checks && !plan.options.device) {
            entry.bytes = 0;
            entry.heap = &m_heap;
        }
        // A piece of the heap that was freed and given to another thread is not raced for.
        if (plan.options.races && (!entry.valuesDerivable || plan.options.watchReads) && !entry.readOnly && !isHeap)
            entry.races = m_memory.raceCells(allocation.address,
                                             program.waitsForChildren || (narrow && narrow->contains(slot)) ? 0
                                             : program.hasNarrowGlobal ? cellShift(buffer.element)
                                                                       : kWordCells);
        if (writer)
            writer->bufferContents(plan.launch.id, allocation.buffer, {from.host, from.bytes},
                                   m_memory.initialisedBits(allocation));
    }
    uint64_t dynamicOffset = (program.staticSharedBytes + 15) / 16 * 16;
    plan.sharedBytes =
        plan.launch.dynamicSharedBytes ? dynamicOffset + plan.launch.dynamicSharedBytes : program.staticSharedBytes;
    auto place = [&](const MemoryObject& object, bool shared, uint64_t offset, uint64_t bytes) {
        BufferId id = writer ? m_memory.newBufferId() : kNoBuffer;
        trace::Buffer buffer = bufferOf(object, id, plan.launch, shared, offset, bytes);
        if (writer)
            writer->putBuffer(buffer);
        m_slotBuffers[object.slot] = buffer;
        ObjectEntry& entry = plan.objects.place(object.slot);
        entry.bytes = bytes;
        entry.buffer = id;
    };
    for (const MemoryObject& object : program.shared) {
        uint64_t offset = object.dynamic ? dynamicOffset : object.offset;
        plan.sharedOffsets.push_back(offset);
        place(object, true, offset, object.dynamic ? plan.launch.dynamicSharedBytes : object.bytes);
    }
    for (const MemoryObject& object : program.locals)
        place(object, false, 0, object.bytes);
    for (size_t i = 0; i < program.parameters.size(); ++i)
        if (uint64_t slot = program.parameters[i].parameterSlot) {
            MemoryObject object;
            object.name = plan.launch.arguments[i].name;
            object.element = {trace::ScalarKind::Bytes, static_cast<uint32_t>(program.parameters[i].bytes), 1,
                              plan.launch.arguments[i].type};
            object.slot = slot;
            object.bytes = program.parameters[i].bytes;
            BufferId id = writer ? m_memory.newBufferId() : kNoBuffer;
            trace::Buffer buffer = bufferOf(object, id, plan.launch, false, 0, object.bytes);
            buffer.space = trace::Space::Constant;
            ObjectEntry& entry = plan.objects.place(slot);
            entry.host = plan.parameterBytes[i].data();
            entry.bytes = object.bytes;
            entry.buffer = id;
            entry.readOnly = true;
            m_slotBuffers[slot] = buffer;
            if (writer) {
                writer->putBuffer(buffer);
                writer->bufferContents(plan.launch.id, id, plan.parameterBytes[i], {});
            }
        }
}

/// What a device found, as the simulator would say it.
std::vector<trace::Finding> LoadedModule::findingsOfDevice(const LaunchPlan& plan, const DeviceOutcome& outcome) const
{
    std::vector<std::pair<uint64_t, RaceReport>> reports;
    for (const DeviceRace& race : outcome.races) {
        RaceReport report = race.report;
        for (size_t side = 0; side < 2; ++side)
            report.sites[side] = race.sites[side].value - plan.program.firstSite.value;
        for (const MemoryObject& object : plan.program.shared)
            if (race.object && object.key == *race.object)
                report.address += slotAddress(object.slot);
        reports.emplace_back(report.blocks[1], report);
    }
    auto bufferAt = [](const void* table, uint64_t slot) -> const trace::Buffer* {
        const auto& buffers = *static_cast<const std::map<uint64_t, trace::Buffer>*>(table);
        auto found = buffers.find(slot);
        return found == buffers.end() ? nullptr : &found->second;
    };
    const FindingContext context{plan.program, plan.launch, bufferAt, &m_slotBuffers};
    std::vector<trace::Finding> findings = findingsOf(outcome.faults, context);
    std::ranges::move(findingsOf(reports, context), std::back_inserter(findings));
    for (trace::Finding& finding : findings)
        for (trace::FindingAccess& access : finding.accesses)
            access.where.source = plan.options.writer ? writerSource(access.where.source) : access.where.source;
    return findings;
}

/// The launch as \p plan has it, its buffers placed, on the device of the options.
Result<LaunchResult> LoadedModule::launchOnDevice(const LaunchPlan& plan, const std::string& kernel,
                                                  std::span<const void* const> arguments)
{
    const Program& program = plan.program;
    std::vector<DeviceObject> objects;
    auto add = [&](ObjectKey key, uint64_t slot) {
        objects.push_back({key, plan.objects[slot].buffer, plan.objects[slot].bytes});
    };
    for (const MemoryObject& object : program.shared)
        add(object.key, object.slot);
    for (const MemoryObject& object : program.locals)
        add(object.key, object.slot);
    for (const ParameterPlace& place : program.parameters)
        if (place.parameterSlot)
            add(place.key, place.parameterSlot);
    std::vector<std::span<const std::byte>> bytes;
    for (size_t i = 0; i < arguments.size(); ++i)
        bytes.emplace_back(static_cast<const std::byte*>(arguments[i]), program.parameters[i].bytes);
    std::vector<DeviceAddress> globals;
    for (const GlobalVariable& variable : m_variables)
        globals.push_back(variable.address);

    DeviceLaunch request;
    request.kernel = kernel;
    request.id = plan.launch.id;
    request.grid = plan.launch.grid;
    request.block = plan.launch.block;
    request.dynamicSharedBytes = plan.launch.dynamicSharedBytes;
    request.cooperative = plan.options.cooperative;
    request.arguments = bytes;
    request.places = program.places;
    request.sites = program.sites;
    request.objects = objects;
    request.globals = globals;
    request.codeTotal = m_numbers ? m_numbers->total() : 0;
    request.mayBeWritten = [&plan](uint64_t address) { return !plan.objects[address >> 32].valuesDerivable; };
    request.writer = plan.options.writer;
    request.recorded = plan.options.selectedBox;
    auto outcome = plan.options.device->run(request, m_memory);
    if (!outcome)
        return outcome.error();
    if (!outcome.value().note.empty() && plan.options.errorOutput)
        plan.options.errorOutput("lanescope: note: " + outcome.value().note + "\n");
    LaunchResult result;
    result.seconds = outcome.value().seconds;
    result.findings = findingsOfDevice(plan, outcome.value());
    result.stopped = outcome.value().stopped;
    if (plan.options.writer) {
        trace::Launch launch = plan.launch;
        launch.blocksRecorded = outcome.value().blocksRecorded;
        launch.blocksDropped = outcome.value().blocksDropped;
        launch.eventsDropped = outcome.value().eventsDropped;
        launch.complete = !result.stopped;
        if (!outcome.value().counts.empty())
            plan.options.writer->addCounts(outcome.value().counts);
        if (!outcome.value().measurements.empty())
            plan.options.writer->addMeasurements(outcome.value().measurements);
        plan.options.writer->endLaunch(launch);
    }
    return result;
}

Result<LaunchResult> LoadedModule::launch(const std::string& kernel, LaunchId id, Dim3 grid, Dim3 block,
                                          uint64_t dynamicSharedBytes, std::span<const void* const> arguments,
                                          const LaunchOptions& options)
{
    auto function = m_functions.find(kernel);
    if (function == m_functions.end())
        return Error{Error::Code::NotFound, fmt::format("no kernel {} in the device code", llvm::demangle(kernel)), {}};
    const KernelInfo& info =
        *std::find_if(m_kernels.begin(), m_kernels.end(), [&](const KernelInfo& k) { return k.name == kernel; });
    LS_ASSERT(arguments.size() == info.parameters.size());
    auto variant = variantFor(*function->second, options);
    if (!variant)
        return variant.error();
    const Program& program = *variant.value()->program;

    trace::Launch launch;
    launch.id = id;
    launch.grid = grid;
    launch.block = block;
    launch.dynamicSharedBytes = dynamicSharedBytes;
    nameBuffers(info, *function->second, arguments);
    describeLaunch(launch, info, *function->second, arguments);
    if (options.writer)
        options.writer->beginLaunch(launch);
    if (program.usesHeap && !m_heap.placed()) {
        auto heap = m_memory.allocate(kHeapBytes, kHeapOrigin, false);
        if (!heap)
            return heap.error();
        m_heap.place(heap.value().address, kHeapBytes);
    }
    GridState state(m_heap, m_clock, launch.grid.count());
    LaunchPlan plan{program, options, launch, state, 0, {}, {}, {}, {}, {}, false, m_memory.raceTime()};
    placeArguments(plan, arguments);
    placeBuffers(plan, arguments, *function->second);

    if (options.device)
        return launchOnDevice(plan, kernel, arguments);
    plan.atomicsOrdered = program.addsGlobally && (options.writer || readsAtomics(*function->second, arguments));
    LaunchResult result;
    state.runNow = [&](std::vector<RequestedLaunch> requested, uint32_t time) {
        return options.depth < kDeepestLaunch ? runNow(std::move(requested), time, plan, result) : time;
    };
    auto start = std::chrono::steady_clock::now();
    LaunchOutcome outcome = runBlocks(plan);
    m_memory.setRaceTime(outcome.endTime);
    if (outcome.copiedUndefined)
        m_memory.forgetDefinedness();
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.warpInstructions += outcome.warpInstructions;
    if (options.depth < kDeepestLaunch)
        result.children = childrenOf(state.takeRequested());
    auto bufferAt = [](const void* table, uint64_t slot) -> const trace::Buffer* {
        const auto& buffers = *static_cast<const std::map<uint64_t, trace::Buffer>*>(table);
        auto found = buffers.find(slot);
        return found == buffers.end() ? nullptr : &found->second;
    };
    FindingContext context{program, launch, bufferAt, &m_slotBuffers};
    std::ranges::move(findingsOf(outcome.faults, context), std::back_inserter(result.findings));
    const RacingReads racing(outcome.races);
    std::erase_if(outcome.uninitialised, [&](const auto& use) { return racing.contain(use.second); });
    std::erase_if(outcome.undefinedCopies, [&](const auto& copy) { return racing.contain(copy.second.second); });
    for (trace::Finding& finding : findingsOf(outcome.uninitialised, context))
        result.findings.push_back(std::move(finding));
    for (trace::Finding& finding : findingsOf(outcome.barriers, context))
        result.findings.push_back(std::move(finding));
    for (trace::Finding& finding : findingsOf(outcome.races, context))
        result.findings.push_back(std::move(finding));
    for (trace::Finding& finding : findingsOf(outcome.programFaults, context))
        result.findings.push_back(std::move(finding));
    auto placeSources = [&](std::vector<trace::Finding>& findings) {
        for (trace::Finding& finding : findings)
            for (trace::FindingAccess& access : finding.accesses)
                access.where.source = options.writer ? writerSource(access.where.source) : access.where.source;
    };
    placeSources(result.findings);
    for (const auto& [blockIndex, copy] : outcome.undefinedCopies) {
        std::vector<trace::Finding> copied = findingsOf({{blockIndex, copy.second}}, context);
        placeSources(copied);
        m_memory.noteUndefinedCopy(copy.first, copied.front());
    }
    m_clock += outcome.longestBlock * 8 + 20000;
    result.trapped |= outcome.trapped;
    emitText(state, launch, options);
    if (!result.stopped && !outcome.stopReason.empty() && !outcome.trapped)
        result.stopped = stopError(outcome, launch, options);
    if (options.writer) {
        launch.blocksRecorded = outcome.blocksRecorded;
        launch.blocksDropped = outcome.blocksDropped;
        launch.warpInstructions = outcome.warpInstructions;
        launch.flops = outcome.flops;
        launch.complete = !result.stopped;
        options.writer->endLaunch(launch);
    }
    return result;
}

Result<std::unique_ptr<Module>> Module::load(std::span<const std::byte> bitcode, DeviceMemory& memory)
{
    auto context = std::make_unique<llvm::LLVMContext>();
    llvm::MemoryBufferRef buffer(llvm::StringRef(reinterpret_cast<const char*>(bitcode.data()), bitcode.size()),
                                 "device code");
    auto parsed = llvm::parseBitcodeFile(buffer, *context);
    if (!parsed)
        return Error{
            Error::Code::BadInput, "the device code is no LLVM bitcode: " + llvm::toString(parsed.takeError()), {}};
    auto module = std::make_unique<LoadedModule>(std::move(context), std::move(*parsed), memory);
    if (auto prepared = module->prepare(); !prepared)
        return prepared.error();
    return std::unique_ptr<Module>(std::move(module));
}

}  // namespace lanescope::simt
