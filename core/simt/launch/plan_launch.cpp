// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch needs before any of its blocks runs: where arguments, buffers and arrays lie, and what may happen to
// them.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "core/device/module.h"
#include "core/simt/checks/race_cells.h"
#include "core/simt/code/program.h"
#include "core/simt/launch/loaded_module.h"
#include "core/simt/launch/tensor_arguments.h"
#include "core/simt/memory/object_entry.h"
#include "core/simt/state/grid_state.h"
#include "core/trace/derivation.h"
#include "core/trace/writer.h"

namespace lanescope::simt {

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
    plan.scalars[kSharedBytesScalar] = plan.launch.dynamicSharedBytes;
    plan.scalars[kSharedBytesScalar + 1] = program.staticSharedBytes + plan.launch.dynamicSharedBytes;
    const Dim3& cluster = plan.options.cluster;
    const bool hasClusters = cluster.count() != 0;
    plan.scalars[kClusterDimScalar] = hasClusters ? cluster.x : 1;
    plan.scalars[kClusterDimScalar + 1] = hasClusters ? cluster.y : 1;
    plan.scalars[kClusterDimScalar + 2] = hasClusters ? cluster.z : 1;
    plan.scalars[kExplicitClusterScalar] = hasClusters;
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

/// log2 of the bytes the race check tells apart: words, unless the elements are smaller.
uint32_t cellShift(const trace::ValueType& element)
{
    return element.bytes >= 4 && element.kind != trace::ScalarKind::Bytes ? kWordCells : 0;
}

std::vector<uint64_t> extentsWithin(const MemoryRegion& region, uint64_t bytes)
{
    std::vector<uint64_t> extents = region.bytes == 0 ? region.dims : std::vector<uint64_t>();
    uint64_t each = std::max<uint32_t>(region.element.totalBytes(), 1);
    for (const uint64_t extent : extents)
        each *= std::max<uint64_t>(extent, 1);
    extents.insert(extents.begin(), bytes / each);
    return extents;
}

/// The regions of \p object, which is so many bytes, ascending: what lies between two is padding, and what no region
/// says anything of goes by the object's name.
std::vector<MemoryRegion> regionsWithin(const MemoryObject& object, uint64_t bytes)
{
    std::vector<MemoryRegion> regions;
    const auto addRest = [&](uint64_t from, uint64_t to) {
        const uint64_t element = std::max<uint32_t>(object.element.totalBytes(), 1);
        const bool isWhole = from % element == 0 && (to - from) % element == 0 && !object.dynamic;
        const trace::ValueType bytesOnly{trace::ScalarKind::Bytes, 1, 1, "char"};
        regions.push_back({from,
                           to - from,
                           object.name,
                           isWhole ? object.element : bytesOnly,
                           {isWhole ? (to - from) / element : to - from},
                           {}});
    };
    for (size_t i = 0; i < object.regions.size() && object.regions[i].offset < bytes; ++i) {
        MemoryRegion region = object.regions[i];
        if (regions.empty() && region.offset > 0)
            addRest(0, region.offset);
        const bool isLast = i + 1 == object.regions.size();
        const uint64_t next = isLast ? bytes : std::min(object.regions[i + 1].offset, bytes);
        const uint64_t end = region.bytes == 0 ? next : region.offset + region.bytes;
        // A launch may have less than the struct needs, which is told as soon as something is accessed behind it.
        if (region.bytes == 0 || end > next)
            region.dims = extentsWithin(region, next - region.offset);
        constexpr uint64_t kMostPadding = 1024;  // what alignment leaves
        const bool hasRest = end < next && isLast && next - end > kMostPadding;
        region.bytes = std::min(end, next) - region.offset;
        regions.push_back(std::move(region));
        if (hasRest)
            addRest(end, next);
    }
    if (regions.empty())
        addRest(0, bytes);
    return regions;
}

bool isNameOfBuffer(const std::string& name, const LaunchPlan& plan)
{
    return std::ranges::any_of(plan.buffers, [&](const auto& each) { return each.second.name == name; });
}

}  // namespace

bool LoadedModule::mayBeWritten(uint64_t slot, const WrittenMemory& written,
                                std::span<const void* const> arguments) const
{
    const std::optional<std::set<uint64_t>> slots = slotsOf(written, arguments);
    return !slots || slots->contains(slot);
}

void LoadedModule::divide(LaunchPlan& plan, const MemoryObject& object, const trace::Buffer& whole)
{
    std::vector<trace::Buffer>& parts = plan.parts[object.slot];
    trace::TraceWriter* writer = plan.options.writer;
    for (const MemoryRegion& region : regionsWithin(object, whole.bytes)) {
        trace::Buffer part = whole;
        part.id = parts.empty() || !writer ? whole.id : m_memory.newBufferId();
        part.name = region.name;
        part.element = region.element;
        part.dims = region.dims;
        part.bytes = region.bytes;
        part.sharedOffset = whole.sharedOffset + region.offset;
        if (!region.declaredAt.empty())
            part.allocatedAt = region.declaredAt;
        if (writer)
            writer->putBuffer(part);
        parts.push_back(std::move(part));
    }
    if (writer)
        writer->divide(whole.id, parts);
}

/// Parameters that each thread has its own copy of are local memory; but not tensor maps, which are the launch's, and
/// opaque to all threads.
void LoadedModule::placeMaps(LaunchPlan& plan)
{
    const Program& program = plan.program;
    for (size_t i = 0; i < program.parameters.size(); ++i) {
        const int local = program.parameters[i].localObject;
        if (local < 0)
            continue;
        trace::Buffer& buffer = plan.buffers.at(program.locals[static_cast<size_t>(local)].slot);
        buffer.name = plan.launch.arguments[i].name + " (parameter)";
        buffer.element.name = plan.launch.arguments[i].type;
        const auto bytes =
            std::ranges::find(plan.localParameters, local, &std::pair<int, std::vector<std::byte>>::first);
        const bool isMap = bytes != plan.localParameters.end() && tensorsIn(bytes->second).size() == 1 &&
                           bytes->second.size() == device::TensorMap::kBytes;
        if (isMap)
            buffer.space = trace::Space::Constant;
        if (!plan.options.writer)
            continue;
        plan.options.writer->putBuffer(buffer);
        if (isMap)
            plan.options.writer->bufferContents(plan.launch.id, buffer.id, bytes->second, {});
    }
}

namespace {

/// LANESCOPE_DERIVE=0 records every value: what replay computes can be held against it.
Derives derivesNow()
{
    const char* const wish = std::getenv("LANESCOPE_DERIVE");
    return wish && std::string_view(wish) == "0" ? Derives::Nothing : Derives::FromAll;
}

}  // namespace

/// Slots of buffers whose bytes no two threads share, or only by atomics, so that nobody races there.
/// LANESCOPE_APART=0: none, which what is found can be held against.
std::set<uint64_t> LoadedModule::slotsKeptApart(const LaunchPlan& plan, std::span<const void* const> arguments,
                                                llvm::Function& function)
{
    const device::LaunchOptions& options = plan.options;
    const char* const wish = std::getenv("LANESCOPE_APART");
    if (!options.races || options.device || !options.asksForWrites || options.overlap.end != 0 || plan.peers ||
        plan.program.waitsForChildren || (wish && std::string_view(wish) == "0"))
        return {};
    const KeptApart& kept = m_keptApart.try_emplace(&function, function).first->second;
    const std::optional<std::set<uint64_t>> unclear = slotsOf(kept.unclear(), arguments);
    const std::optional<std::set<uint64_t>> atomics = slotsOf(kept.atomics(), arguments);
    if (!unclear || !atomics)
        return {};
    const LaunchNumbers launch{plan.launch.block, plan.launch.grid, arguments};
    std::set<uint64_t> slots = kept.slots(launch);
    std::erase_if(slots, [&](uint64_t slot) { return atomics->contains(slot); });
    // Atomics do not race with each other.
    std::ranges::set_difference(*atomics, kept.touchedSlots(launch), std::inserter(slots, slots.end()));
    std::erase_if(slots, [&](uint64_t slot) { return unclear->contains(slot); });
    return slots;
}

void LoadedModule::placeBuffers(LaunchPlan& plan, std::span<const void* const> arguments, llvm::Function& function)
{
    const Program& program = plan.program;
    plan.buffers.clear();
    plan.derives = derivesNow();
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
    const std::set<uint64_t> apart = slotsKeptApart(plan, arguments, function);
    trace::TraceWriter* writer = plan.options.writer;
    for (const device::Allocation& allocation : m_memory.allocations()) {
        uint64_t slot = allocation.address >> 32;
        const device::DeviceMemory::Slot& from = m_memory.slots()[slot - device::DeviceMemory::kFirstSlot];
        trace::Buffer buffer = bufferOf(allocation);
        if (writer)
            writer->putBuffer(buffer);
        plan.buffers[slot] = buffer;
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
        entry.unwritten = entry.valuesDerivable;
        if (plan.options.reaches && !plan.options.reaches(allocation)) {
            entry.bytes = 0;
            entry.otherDevices = true;
        }
        entry.partlyUndefined = plan.options.definedness && m_memory.isPartlyUndefined(allocation.address);
        const bool isHeap = m_heap.placed() && slot == m_heap.address() >> 32;
        if (entry.valuesDerivable && from.bytes > trace::kMaxDerivedBufferBytes)
            plan.derives = std::min(plan.derives, Derives::FromOwn);
        if (isHeap && plan.options.checks && !plan.options.device) {
            entry.bytes = 0;
            entry.heap = &m_heap;
        }
        // A piece of the heap that was freed and given to another thread is not raced for.
        const bool isWatched =
            plan.options.overlap.end != 0 || (plan.options.watchesReads && plan.options.watchesReads(allocation));
        const bool isApart = apart.contains(slot) && !isWatched && !plan.options.asksForWrites(allocation);
        if (plan.options.races && ((!entry.valuesDerivable && !entry.readOnly) || isWatched) && !isHeap && !isApart)
            entry.races =
                m_races.cellsOf(allocation.address, program.waitsForChildren || (narrow && narrow->contains(slot)) ? 0
                                                    : program.hasNarrowGlobal ? cellShift(buffer.element)
                                                                              : kWordCells);
        if (writer)
            writer->bufferContents(plan.launch.id, allocation.buffer, {from.host, from.bytes},
                                   m_memory.initialisedBits(allocation));
    }
    const uint64_t dynamicOffset = program.dynamicSharedOffset();
    plan.sharedBytes =
        plan.launch.dynamicSharedBytes ? dynamicOffset + plan.launch.dynamicSharedBytes : program.staticSharedBytes;
    auto place = [&](const MemoryObject& object, bool shared, uint64_t offset, uint64_t bytes) {
        BufferId id = writer ? m_memory.newBufferId() : kNoBuffer;
        const trace::Buffer buffer = bufferOf(object, id, plan.launch, shared, offset, bytes);
        plan.buffers[object.slot] = buffer;
        if (!object.regions.empty())
            divide(plan, object, buffer);
        else if (writer)
            writer->putBuffer(buffer);
        ObjectEntry& entry = plan.objects.place(object.slot);
        entry.bytes = bytes;
        entry.buffer = id;
        entry.valuesDerivable = !shared || plan.blocksPerCluster() == 1;
    };
    for (const MemoryObject& object : program.shared) {
        uint64_t offset = object.dynamic ? dynamicOffset : object.offset;
        plan.sharedOffsets.push_back(offset);
        place(object, true, offset, object.dynamic ? plan.launch.dynamicSharedBytes : object.bytes);
    }
    for (const MemoryObject& object : program.locals)
        place(object, false, 0, object.bytes);
    placeMaps(plan);
    for (size_t i = 0; i < program.parameters.size(); ++i)
        if (uint64_t slot = program.parameters[i].parameterSlot) {
            MemoryObject object;
            object.name = plan.launch.arguments[i].name;
            // What the one pointer in a struct points to goes by the parameter's name, too.
            if (plan.launch.arguments[i].buffer && isNameOfBuffer(object.name, plan))
                object.name += " (parameter)";
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
            plan.buffers[slot] = buffer;
            if (writer) {
                writer->putBuffer(buffer);
                writer->bufferContents(plan.launch.id, id, plan.parameterBytes[i], {});
            }
        }
}

/// LANESCOPE_FORESEE=0: every block's accesses are looked at one by one, which outputs and findings can be held
/// against.
void LoadedModule::foresee(LaunchPlan& plan, std::span<const void* const> arguments)
{
    const char* const wish = std::getenv("LANESCOPE_FORESEE");
    if (!plan.program.foreseen || plan.options.device || plan.options.writer || (wish && std::string_view(wish) == "0"))
        return;
    auto blocks = std::make_unique<ForeseenBlocks>(
        *plan.program.foreseen, LaunchNumbers{plan.launch.block, plan.launch.grid, arguments}, plan.objects,
        [this](uint64_t slot) { return m_memory.isPartlyUndefined(slotAddress(slot)); });
    if (!blocks->isEmpty())
        plan.foreseen = std::move(blocks);
}

Result<std::unique_ptr<LaunchPlan>> LoadedModule::plan(const device::KernelInfo& info, trace::Launch launch,
                                                       GridState& grid, std::span<const void* const> arguments,
                                                       const device::LaunchOptions& options)
{
    LS_ASSERT(arguments.size() == info.parameters.size());
    llvm::Function& function = *m_functions.at(info.name);
    auto variant = variantFor(function, launch.block, options);
    if (!variant)
        return variant.error();
    const Program& program = *variant.value()->program;
    const std::vector<DescribedParameter>& described = m_described.at(&function);
    nameBuffers(info, described, arguments);
    describeLaunch(launch, info, described, arguments);
    if (options.writer)
        options.writer->beginLaunch(launch);
    if (program.usesHeap)
        if (auto placed = placeHeap(); !placed)
            return placed.error();
    m_races.forgetFreed();
    auto plan = std::make_unique<LaunchPlan>(program, options, std::move(launch), grid, m_races.time());
    plan->function = info.name;
    if (m_races.group() && options.races)
        joinGroup(*plan);
    placeArguments(*plan, arguments);
    placeBuffers(*plan, arguments, function);
    if (plan->peers)
        letOthersWrite(*plan);
    foresee(*plan, arguments);
    plan->atomicsOrdered =
        !options.device && program.addsGlobally && (options.writer || readsAtomics(function, arguments));
    return plan;
}

}  // namespace lanescope::simt
