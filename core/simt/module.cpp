// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads device code, lowers kernels when they are first launched, and describes launches to the trace.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Error.h>

#include "core/simt/findings.h"
#include "core/simt/grid_state.h"
#include "core/simt/launch.h"
#include "core/simt/legalise.h"
#include "core/simt/lowering.h"
#include "core/simt/prepared_module.h"
#include "core/simt/simulator.h"
#include "core/simt/write_analysis.h"

namespace lanescope::simt {
namespace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

// Sites and variables are numbered over the whole session, whatever module they come from.
std::atomic<uint32_t> g_nextSite{0};
std::atomic<uint32_t> g_nextVariable{0};

/// Where our headers put __managed__ variables.
constexpr llvm::StringRef kManagedSection = "lanescope_managed";

std::string displayNameOf(const llvm::Function& function)
{
    if (const llvm::DISubprogram* subprogram = function.getSubprogram())
        return subprogram->getName().str();
    std::string name = llvm::demangle(function.getName().str());
    return name.substr(0, name.find('('));
}

/// Bytes of a constant as they lie in memory. Pointers to other globals are filled in by \p addressOf.
class InitialBytes {
public:
    InitialBytes(const llvm::DataLayout& layout, const std::map<const llvm::GlobalVariable*, DeviceAddress>& addresses,
                 const FunctionAddresses& functions)
        : m_layout(layout), m_addresses(addresses), m_functions(functions)
    {
    }

    void write(const llvm::Constant& constant, std::byte* out)
    {
        if (constant.isNullValue() || isa<llvm::UndefValue>(constant))
            return;
        if (const auto* number = dyn_cast<llvm::ConstantInt>(&constant))
            return writeBits(number->getValue(), constant.getType(), out);
        if (const auto* real = dyn_cast<llvm::ConstantFP>(&constant))
            return writeBits(real->getValueAPF().bitcastToAPInt(), constant.getType(), out);
        if (const auto* data = dyn_cast<llvm::ConstantDataSequential>(&constant)) {
            llvm::StringRef raw = data->getRawDataValues();
            std::memcpy(out, raw.data(), raw.size());
            return;
        }
        if (const auto* structure = dyn_cast<llvm::StructType>(constant.getType())) {
            const llvm::StructLayout* shape = m_layout.getStructLayout(const_cast<llvm::StructType*>(structure));
            for (unsigned i = 0; i < structure->getNumElements(); ++i)
                write(*constant.getAggregateElement(i), out + shape->getElementOffset(i));
            return;
        }
        if (const auto* array = dyn_cast<llvm::ArrayType>(constant.getType())) {
            uint64_t stride = m_layout.getTypeAllocSize(array->getElementType());
            for (uint64_t i = 0; i < array->getNumElements(); ++i)
                write(*constant.getAggregateElement(static_cast<unsigned>(i)), out + i * stride);
            return;
        }
        if (constant.getType()->isPointerTy())
            writePointer(constant, out);
    }

private:
    void writeBits(const llvm::APInt& bits, llvm::Type* type, std::byte* out)
    {
        std::memcpy(out, bits.getRawData(), m_layout.getTypeStoreSize(type));
    }

    void writePointer(const llvm::Constant& constant, std::byte* out)
    {
        llvm::APInt offset(64, 0);
        const llvm::Value* base = constant.stripAndAccumulateConstantOffsets(m_layout, offset, true);
        if (const auto* function = dyn_cast<llvm::Function>(base))
            if (auto found = m_functions.find(function); found != m_functions.end())
                std::memcpy(out, &found->second, sizeof found->second);
        if (const auto* global = dyn_cast<llvm::GlobalVariable>(base))
            if (auto found = m_addresses.find(global); found != m_addresses.end()) {
                uint64_t address = found->second + offset.getZExtValue();
                std::memcpy(out, &address, sizeof address);
            }
    }

    const llvm::DataLayout& m_layout;
    const std::map<const llvm::GlobalVariable*, DeviceAddress>& m_addresses;
    const FunctionAddresses& m_functions;
};

/// Names and types of a function's parameters, from its debug information.
std::map<unsigned, const llvm::DILocalVariable*> parameterVariables(llvm::Function& function)
{
    std::map<unsigned, const llvm::DILocalVariable*> result;
    auto consider = [&](const llvm::DILocalVariable* variable) {
        if (variable->isParameter() && variable->getScope()->getSubprogram() == function.getSubprogram())
            result.emplace(variable->getArg() - 1, variable);
    };
    for (llvm::BasicBlock& block : function)
        for (llvm::Instruction& instr : block)
            for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instr.getDbgRecordRange()))
                consider(record.getVariable());
    if (const llvm::DISubprogram* subprogram = function.getSubprogram())
        for (const llvm::DINode* node : subprogram->getRetainedNodes())
            if (const auto* variable = dyn_cast_or_null<llvm::DILocalVariable>(node))
                consider(variable);
    return result;
}

const llvm::DIType* pointee(const llvm::DIType* type)
{
    while (const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(type)) {
        if (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type)
            return derived->getBaseType();
        type = derived->getBaseType();
    }
    return nullptr;
}

std::string valueText(const trace::ValueType& type, const void* bytes, uint64_t size)
{
    auto as = [&]<typename T>(T) {
        T value{};
        std::memcpy(&value, bytes, std::min<uint64_t>(sizeof value, size));
        return value;
    };
    if (type.components != 1)
        return fmt::format("{} bytes", size);
    switch (type.kind) {
    case trace::ScalarKind::Float:
        if (size == 4)
            return fmt::format("{}", as(float{}));
        return size == 8 ? fmt::format("{}", as(double{})) : fmt::format("{} bytes", size);
    case trace::ScalarKind::Bool:
        return as(uint8_t{}) ? "true" : "false";
    case trace::ScalarKind::Signed:
    case trace::ScalarKind::Char:
        return size == 1   ? fmt::format("{}", int{as(int8_t{})})
               : size == 2 ? fmt::format("{}", as(int16_t{}))
               : size == 4 ? fmt::format("{}", as(int32_t{}))
                           : fmt::format("{}", as(int64_t{}));
    case trace::ScalarKind::Unsigned:
        return fmt::format("{}", as(uint64_t{}));
    case trace::ScalarKind::Pointer:
        return fmt::format("0x{:x}", as(uint64_t{}));
    case trace::ScalarKind::Bytes:
        break;
    }
    return fmt::format("{} bytes", size);
}

/// Why a launch ended early, for people: limits first by their name.
Error stopError(const LaunchOutcome& outcome, const trace::Launch& launch, const LaunchOptions& options)
{
    Dim3 block = positionOf(outcome.stopBlock, launch.grid);
    std::string where = fmt::format("kernel {} block ({},{},{})", launch.kernel, block.x, block.y, block.z);
    if (outcome.stopReason == "step-limit")
        return {Error::Code::Limit,
                fmt::format("step-limit: more than {} warp instructions in one launch (--max-steps)", options.maxSteps),
                where};
    return {outcome.stopReason.starts_with("barrier-deadlock") ? Error::Code::Limit : Error::Code::BadInput,
            outcome.stopReason, where};
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

class LoadedModule final : public Module {
public:
    LoadedModule(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module, DeviceMemory& memory)
        : m_context(std::move(context)), m_module(std::move(module)), m_memory(memory)
    {
    }

    Result<void> prepare()
    {
        m_functionAddresses = prepareForLowering(*m_module);
        for (llvm::Function* kernel : kernelsOf(*m_module))
            if (m_functions.emplace(kernel->getName().str(), kernel).second)
                m_kernels.push_back(kernelInfo(*kernel));
        return placeGlobals();
    }

    const std::vector<KernelInfo>& kernels() const override { return m_kernels; }
    const std::vector<GlobalVariable>& variables() const override { return m_variables; }
    Result<LaunchResult> launch(const std::string& kernel, LaunchId id, Dim3 grid, Dim3 block,
                                uint64_t dynamicSharedBytes, std::span<const void* const> arguments,
                                const LaunchOptions& options) override;

private:
    struct Variant {
        std::shared_ptr<const Program> program;
        bool declared = false;
    };

    KernelInfo kernelInfo(llvm::Function& function);
    Result<void> placeGlobals();
    Result<void> placeGlobal(llvm::GlobalVariable& global);
    Result<Variant*> variantFor(llvm::Function& kernel, const LaunchOptions& options);
    void declare(Variant& variant, trace::TraceWriter& writer);
    SourceId writerSource(SourceId id) const
    {
        return id.value < m_writerSources.size() ? m_writerSources[id.value] : SourceId{0};
    }
    void nameBuffers(const KernelInfo& info, llvm::Function& function, std::span<const void* const> arguments);
    void describeLaunch(trace::Launch& launch, const KernelInfo& info, llvm::Function& function,
                        std::span<const void* const> arguments);
    void placeBuffers(LaunchPlan& plan, std::span<const void* const> arguments, llvm::Function& function);
    bool readsAtomics(llvm::Function& function, std::span<const void* const> arguments);
    bool mayBeWritten(uint64_t slot, const WrittenMemory& written, std::span<const void* const> arguments) const;
    std::vector<ChildLaunch> childrenOf(std::vector<RequestedLaunch> requested) const;
    uint32_t runNow(std::vector<RequestedLaunch> requested, uint32_t time, const LaunchPlan& plan,
                    LaunchResult& result);
    std::vector<trace::Finding> findingsOfDevice(const LaunchPlan& plan, const DeviceOutcome& outcome) const;
    Result<LaunchResult> launchOnDevice(const LaunchPlan& plan, const std::string& kernel,
                                        std::span<const void* const> arguments);
    std::optional<std::set<uint64_t>> slotsOf(const WrittenMemory& memory,
                                              std::span<const void* const> arguments) const;
    void placeArguments(LaunchPlan& plan, std::span<const void* const> arguments);
    trace::Buffer bufferOf(const Allocation& allocation) const;
    trace::Buffer bufferOf(const MemoryObject& object, BufferId id, const trace::Launch& launch, bool shared,
                           uint64_t offset, uint64_t bytes) const;

    std::unique_ptr<llvm::LLVMContext> m_context;
    std::unique_ptr<llvm::Module> m_module;
    DeviceMemory& m_memory;
    SourceTable m_sources;
    std::vector<SourceId> m_writerSources;  ///< by our own source id
    std::vector<KernelInfo> m_kernels;
    std::map<std::string, llvm::Function*> m_functions;
    std::vector<GlobalVariable> m_variables;
    std::map<const llvm::GlobalVariable*, DeviceAddress> m_globals;
    FunctionAddresses m_functionAddresses;
    std::unique_ptr<CodeNumbers> m_numbers;  ///< once a launch goes to another device
    DeviceHeap m_heap;
    uint64_t m_clock = 0;  ///< cycles that launches have taken so far
    std::map<std::string, DeviceAddress> m_globalsByName;
    std::map<std::pair<llvm::Function*, int>, Variant> m_variants;
    std::map<llvm::Function*, WrittenMemory> m_written;
    std::map<llvm::Function*, WrittenMemory> m_narrow;
    std::map<uint64_t, trace::Buffer> m_slotBuffers;  ///< of the current launch, for findings
};

KernelInfo LoadedModule::kernelInfo(llvm::Function& function)
{
    KernelInfo info;
    info.name = function.getName().str();
    info.displayName = displayNameOf(function);
    if (const llvm::DISubprogram* subprogram = function.getSubprogram())
        info.where = {m_sources.idOf(subprogram->getFile()), subprogram->getLine(), 0};
    auto names = parameterVariables(function);
    for (llvm::Argument& argument : function.args()) {
        KernelParameter parameter;
        llvm::Type* type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
        parameter.bytes = m_module->getDataLayout().getTypeAllocSize(type);
        parameter.alignment = m_module->getDataLayout().getABITypeAlign(type).value();
        parameter.isPointer = argument.getType()->isPointerTy() && !argument.hasByValAttr();
        auto variable = names.find(argument.getArgNo());
        parameter.name =
            variable != names.end() ? variable->second->getName().str() : fmt::format("arg{}", argument.getArgNo());
        if (variable != names.end())
            parameter.typeName = typeName(variable->second->getType());
        info.parameters.push_back(std::move(parameter));
    }
    info.resources = resourcesOf(function);
    return info;
}

Result<void> LoadedModule::placeGlobal(llvm::GlobalVariable& global)
{
    std::string name = llvm::demangle(global.getName().str());
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
    global.getDebugInfo(debug);
    DeclaredShape shape = shapeOf(global.getValueType(), m_module->getDataLayout());
    if (!debug.empty()) {
        name = debug.front()->getVariable()->getName().str();
        shape = shapeOf(debug.front()->getVariable()->getType());
    }
    bool constant = global.getAddressSpace() == 4;
    uint64_t bytes = m_module->getDataLayout().getTypeAllocSize(global.getValueType());
    auto allocation = m_memory.allocate(bytes, (constant ? "__constant__ " : "__device__ ") + name, constant);
    if (!allocation)
        return allocation.error();
    m_memory.describe(allocation.value().address, name, shape.element);
    m_globals.emplace(&global, allocation.value().address);
    m_globalsByName.emplace(global.getName().str(), allocation.value().address);
    const bool managed = global.getSection() == kManagedSection;
    m_variables.push_back({global.getName().str(), name, bytes, constant, managed, allocation.value().address});
    return {};
}

Result<void> LoadedModule::placeGlobals()
{
    std::vector<llvm::GlobalVariable*> placed;
    for (llvm::GlobalVariable* global : variablesOf(*m_module)) {
        if (auto done = placeGlobal(*global); !done)
            return done;
        placed.push_back(global);
    }
    InitialBytes bytes(m_module->getDataLayout(), m_globals, m_functionAddresses);
    for (llvm::GlobalVariable* global : placed) {
        uint64_t size = m_module->getDataLayout().getTypeAllocSize(global->getValueType());
        if (!global->hasInitializer() || isa<llvm::UndefValue>(global->getInitializer()))
            continue;
        bytes.write(*global->getInitializer(), m_memory.hostView(m_globals[global], size));
        m_memory.markInitialised(m_globals[global], size);
    }
    return {};
}

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

void LoadedModule::nameBuffers(const KernelInfo& info, llvm::Function& function, std::span<const void* const> arguments)
{
    auto variables = parameterVariables(function);
    for (size_t i = 0; i < info.parameters.size(); ++i) {
        if (!info.parameters[i].isPointer)
            continue;
        uint64_t address = 0;
        std::memcpy(&address, arguments[i], sizeof address);
        if (!DeviceMemory::isDeviceAddress(address))
            continue;
        auto variable = variables.find(static_cast<unsigned>(i));
        const llvm::DIType* type = variable == variables.end() ? nullptr : pointee(variable->second->getType());
        trace::ValueType element = type ? valueTypeOf(type) : trace::ValueType{trace::ScalarKind::Bytes, 1, 1, "char"};
        for (const char* qualifier : {"const ", "volatile "})
            if (element.name.starts_with(qualifier))
                element.name = element.name.substr(std::strlen(qualifier));
        m_memory.describe(address, info.parameters[i].name, element);
    }
}

void LoadedModule::describeLaunch(trace::Launch& launch, const KernelInfo& info, llvm::Function& function,
                                  std::span<const void* const> arguments)
{
    launch.kernel = info.displayName;
    launch.where = {writerSource(info.where.source), info.where.line, 0};
    auto variables = parameterVariables(function);
    for (size_t i = 0; i < info.parameters.size(); ++i) {
        trace::LaunchArgument argument;
        argument.name = info.parameters[i].name;
        argument.type = info.parameters[i].typeName;
        auto variable = variables.find(static_cast<unsigned>(i));
        trace::ValueType type = variable == variables.end() ? trace::ValueType{trace::ScalarKind::Bytes, 1, 1, ""}
                                                            : valueTypeOf(variable->second->getType());
        argument.text = valueText(type, arguments[i], info.parameters[i].bytes);
        if (info.parameters[i].isPointer) {
            uint64_t address = 0;
            std::memcpy(&address, arguments[i], sizeof address);
            if (auto allocation = DeviceMemory::isDeviceAddress(address) ? m_memory.find(address) : std::nullopt) {
                argument.buffer = allocation->buffer;
                uint64_t offset = address - allocation->address;
                argument.text = offset ? fmt::format("{} + {} bytes", allocation->name, offset) : allocation->name;
            }
        }
        launch.arguments.push_back(std::move(argument));
    }
}

trace::Buffer LoadedModule::bufferOf(const Allocation& allocation) const
{
    trace::Buffer buffer;
    buffer.id = allocation.buffer;
    buffer.name = allocation.name.empty() ? allocation.origin : allocation.name;
    buffer.space = allocation.constant ? trace::Space::Constant : trace::Space::Global;
    buffer.element =
        allocation.name.empty() ? trace::ValueType{trace::ScalarKind::Bytes, 1, 1, "char"} : allocation.element;
    buffer.bytes = allocation.bytes;
    uint32_t element = std::max<uint32_t>(buffer.element.totalBytes(), 1);
    buffer.dims = {allocation.bytes / element};
    buffer.deviceAddress = allocation.address;
    buffer.allocatedAt = allocation.origin;
    return buffer;
}

trace::Buffer LoadedModule::bufferOf(const MemoryObject& object, BufferId id, const trace::Launch& launch, bool shared,
                                     uint64_t offset, uint64_t bytes) const
{
    trace::Buffer buffer;
    buffer.id = id;
    buffer.name = object.name;
    buffer.space = shared ? trace::Space::Shared : trace::Space::Local;
    buffer.element = object.element;
    buffer.dims = object.dims;
    uint32_t element = std::max<uint32_t>(buffer.element.totalBytes(), 1);
    if (object.dynamic || buffer.dims.empty())
        buffer.dims = {bytes / element};
    buffer.bytes = bytes;
    buffer.launch = launch.id;
    buffer.sharedOffset = shared ? offset : 0;
    buffer.allocatedAt = object.declaredAt;
    return buffer;
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

/// Requests that the GPU refuses come to nothing.
std::vector<ChildLaunch> LoadedModule::childrenOf(std::vector<RequestedLaunch> requested) const
{
    constexpr uint64_t kTailLaunch = 3;  // cudaStreamTailLaunch
    std::vector<ChildLaunch> children;
    for (RequestedLaunch& request : requested) {
        const auto* const found = std::find_if(m_functionAddresses.begin(), m_functionAddresses.end(),
                                               [&](const auto& known) { return known.second == request.kernel; });
        const auto kernel = std::find_if(m_kernels.begin(), m_kernels.end(), [&](const KernelInfo& info) {
            return found != m_functionAddresses.end() && info.name == found->first->getName();
        });
        const auto fits = [](const KernelParameter& parameter, const std::vector<std::byte>& argument) {
            return parameter.bytes == argument.size();
        };
        const uint64_t threads = request.blockSize.count();
        if (kernel == m_kernels.end() || !std::ranges::equal(kernel->parameters, request.arguments, fits) ||
            request.grid.count() == 0 || threads == 0 || threads > kernel->resources.maxThreads)
            continue;
        children.push_back({kernel->name, request.grid, request.blockSize, request.sharedBytes,
                            request.stream == kTailLaunch, std::move(request.arguments)});
    }
    std::stable_partition(children.begin(), children.end(), [](const ChildLaunch& child) { return !child.last; });
    return children;
}

/// Launches that a running kernel waits for, and theirs. They are not recorded: the trace is at their parent.
uint32_t LoadedModule::runNow(std::vector<RequestedLaunch> requested, uint32_t time, const LaunchPlan& plan,
                              LaunchResult& result)
{
    LaunchOptions options = plan.options;
    options.writer = nullptr;
    ++options.depth;
    options.output = [&plan](std::string_view text) { plan.grid.print(0, text); };
    const std::map<uint64_t, trace::Buffer> buffers = m_slotBuffers;
    m_memory.setRaceTime(time);
    const std::function<void(std::vector<ChildLaunch>, const LaunchOptions&)> run =
        [&](const std::vector<ChildLaunch>& children, const LaunchOptions& with) {
            for (const ChildLaunch& child : children) {
                std::vector<const void*> arguments;
                for (const std::vector<std::byte>& argument : child.arguments)
                    arguments.push_back(argument.data());
                auto done = launch(child.kernel, plan.launch.id, child.grid, child.block, child.dynamicSharedBytes,
                                   arguments, with);
                if (!done || result.stopped) {
                    result.stopped = result.stopped ? result.stopped : done.error();
                    return;
                }
                std::ranges::move(done.value().findings, std::back_inserter(result.findings));
                result.warpInstructions += done.value().warpInstructions;
                result.stopped = done.value().stopped;
                result.trapped |= done.value().trapped;
                LaunchOptions deeper = with;
                ++deeper.depth;
                run(done.value().children, deeper);
            }
        };
    run(childrenOf(std::move(requested)), options);
    m_slotBuffers = buffers;
    return m_memory.raceTime();
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

}  // namespace

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
