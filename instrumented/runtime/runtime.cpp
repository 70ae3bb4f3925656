// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/runtime.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/base/physical_memory.h"
#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/exit_report.h"
#include "instrumented/runtime/fault_handler.h"
#include "instrumented/runtime/interrupt.h"
#include "instrumented/runtime/last_words.h"
#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/sandbox.h"
#include "instrumented/runtime/under_way.h"

namespace lanescope::runtime {

namespace {

/// The model GPU's memory, as far as this machine can back it.
uint64_t memoryCapacity()
{
    constexpr uint64_t kModelBytes = uint64_t{16} << 30;
    return std::min(kModelBytes, physicalMemory() / 4 * 3);
}

/// Bytes that a pointer of this type points to: "const float *" has 4. 0 when not a plain type.
uint64_t elementBytes(const std::string& pointerType)
{
    static constexpr std::pair<std::string_view, uint64_t> kTypes[] = {
        {"double", 8}, {"float4", 16}, {"float2", 8}, {"float", 4}, {"long", 8}, {"short", 2},
        {"char", 1},   {"bool", 1},    {"int4", 16},  {"int2", 8},  {"int", 4},  {"unsigned", 4}};
    for (const auto& [name, bytes] : kTypes)
        if (pointerType.find(name) != std::string::npos)
            return bytes;
    return 0;
}

/// Ends the process rather than run the program with rights that it should not have.
void enterSandboxIfAsked(const Options& options)
{
    if (options.sandbox.empty())
        return;
    const std::string traceFolder = options.tracePath.substr(0, options.tracePath.find_last_of('/'));
    const Result<void> entered =
        enterSandbox({options.sandbox, traceFolder, options.statusPath, "/dev/null", "/dev/tty", "/dev/shm"});
    if (entered)
        return;
    std::fprintf(stderr, "lanescope: error: %s\n", entered.error().text().c_str());
    _exit(2);
}

Result<std::unique_ptr<device::Module>> load(const DeviceCode& code, device::DeviceMemory& memory,
                                             simt::RaceMemory& races)
{
    if (code.problem)
        return *code.problem;
    if (!code.parts.empty())
        return simt::loadLinkedModule(code.parts, memory, races);
    if (code.kind == DeviceCode::Kind::Bitcode)
        return simt::loadModule(code.bytes, memory, races);
    const std::string_view text(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
    return simt::loadPtxModule(text, code.name, memory, races);
}

/// CUDA keeps the last error per host thread.
thread_local cudaError_t t_lastError = cudaSuccess;

}  // namespace

Runtime& Runtime::instance()
{
    static Runtime* const runtime = new Runtime;
    return *runtime;
}

void Runtime::setProgram(std::vector<std::byte> deviceCode, std::string ptx, const std::string& info,
                         bool hasManagedVariables)
{
    m_ptx = std::move(ptx);
    m_program.hasManagedVariables = hasManagedVariables;
    m_program.isPrograms = true;
    m_program.bytes = std::move(deviceCode);
    start(info);
}

void Runtime::start(const std::string& info)
{
    if (std::exchange(m_started, true))
        return;
    m_options = readOptions(info);
    refuseDevices();
    m_runLog.open(m_options.statusPath);
    m_trace.start(m_options, m_runLog);
    m_outputs = std::make_unique<OutputLog>(m_options);
    enterSandboxIfAsked(m_options);
    installExitReport();
}

/// Ends the process rather than run the program on other devices than it was promised.
void Runtime::refuseDevices() const
{
    const bool isCount = m_options.devices >= 1 && m_options.devices <= kMostDevices;
    if (isCount && (m_options.devices == 1 || !m_options.useGpu))
        return;
    if (!isCount)
        std::fprintf(stderr, "lanescope: error: LANESCOPE_DEVICES is no number of devices, expected 1 to %u\n",
                     kMostDevices);
    else
        std::fprintf(stderr, "lanescope: error: several devices are the simulator's: a real GPU is recorded alone\n");
    _exit(2);
}

void Runtime::noteObject(const std::string& info)
{
    start(info);
    m_hasObjects = true;
    readObjectInfo(info, m_options);
}

DeviceCode& Runtime::relocatableCode(const void* binary)
{
    DeviceCode*& code = m_relocatable[binary];
    if (!code)
        code = &addCode(DeviceCode::Kind::Bitcode, {});
    return *code;
}

DeviceCode& Runtime::addCode(DeviceCode::Kind kind, std::vector<std::byte> bytes)
{
    const char* const suffix = kind == DeviceCode::Kind::Ptx ? ".ptx" : ".bc";
    m_code.push_back(std::make_unique<DeviceCode>());
    DeviceCode& code = *m_code.back();
    code.name = "module" + std::to_string(++m_codeNumber) + suffix;
    code.kind = kind;
    code.bytes = std::move(bytes);
    return code;
}

void Runtime::removeCode(DeviceCode& code)
{
    waitForAllUnderWay();
    for (const std::unique_ptr<device::Module>& module : code.modules)
        if (module)
            for (const device::GlobalVariable& variable : module->variables())
                (void)memory().free(variable.address);
    std::erase_if(m_kernels, [&](const auto& kernel) { return kernel.second.code == &code; });
    std::erase_if(m_symbols, [&](const auto& symbol) { return symbol.second.code == &code; });
    std::erase_if(m_code, [&](const auto& known) { return known.get() == &code; });
}

void Runtime::registerKernel(const void* hostFunction, const std::string& deviceName, DeviceCode& code)
{
    Kernel& kernel = m_kernels[hostFunction];
    kernel.name = deviceName;
    kernel.code = &code;
}

void Runtime::registerSymbol(void* hostVariable, const std::string& deviceName, uint64_t bytes, DeviceCode& code)
{
    m_symbols[hostVariable] = {deviceName, bytes, hostVariable, &code};
}

device::DeviceMemory& Runtime::memory()
{
    if (!m_memory) {
        start();  // of a program of host code alone nothing has been registered
        using Range = device::DeviceMemory::Range;
        m_memory = std::make_unique<device::DeviceMemory>(memoryCapacity(),
                                                          m_options.useGpu ? Range::LeftToDriver : Range::Reserved);
        installFaultHandler();
        installLastWords();
    }
    m_memory->useDevice(currentDevice());
    return *m_memory;
}

simt::RaceMemory& Runtime::races()
{
    if (!m_races)
        m_races = std::make_unique<simt::RaceMemory>(memory());
    return *m_races;
}

Kernel* Runtime::kernel(const void* hostFunction)
{
    const auto found = m_kernels.find(hostFunction);
    return found == m_kernels.end() ? nullptr : &found->second;
}

const Symbol* Runtime::symbol(const void* hostVariable)
{
    const auto found = m_symbols.find(hostVariable);
    return found == m_symbols.end() ? nullptr : &found->second;
}

device::Module* Runtime::module(DeviceCode& code)
{
    const DeviceScope scope(code.onlyOn.value_or(currentDevice()));
    if (device::Module* const known = code.moduleOn(currentDevice()); known || code.failed || m_stopped)
        return known;
    Result<std::unique_ptr<device::Module>> loaded = load(code, memory(), races());
    if (!loaded) {
        code.failed = true;
        if (code.isPrograms)
            stop(loaded.error());
        else
            noteStop(loaded.error());
        return nullptr;
    }
    code.modules.resize(std::max<size_t>(code.modules.size(), currentDevice() + 1));
    code.modules[currentDevice()] = std::move(loaded).value();
    device::Module& module = *code.moduleOn(currentDevice());
    m_trace.setKernelPaths([this](SourceId id) { return kernelSource(id); });
    shareManagedVariables(code, module);
    return &module;
}

SourceId Runtime::kernelSourceId(const std::string& path)
{
    const auto known = std::ranges::find(m_kernelSources, path);
    const SourceId id{static_cast<uint32_t>(known - m_kernelSources.begin())};
    if (known == m_kernelSources.end())
        m_kernelSources.push_back(path);
    return id;
}

std::string Runtime::kernelSource(SourceId id)
{
    if (id.value < m_kernelSources.size())
        return m_kernelSources[id.value];
    // Of launches that are recorded: every module knows the trace's ids of its own sources.
    std::string path;
    const auto ask = [&](const DeviceCode& code) {
        for (const std::unique_ptr<device::Module>& module : code.modules)
            if (path.empty() && module)
                path = module->sourcePath(id);
    };
    ask(m_program);
    for (const std::unique_ptr<DeviceCode>& code : m_code)
        ask(*code);
    return path;
}

device::LaunchDevice* Runtime::device()
{
    if (m_device || m_stopped || !m_options.useGpu)
        return m_device.get();
    if (m_ptx.empty()) {
        const bool fromObjects = m_program.bytes.empty() && !m_code.empty();
        stop({Error::Code::NotFound,
              fromObjects
                  ? "what lanescope nvcc has compiled is code for the simulator; for a GPU build it with NVIDIA's "
                    "nvcc and record it with --attach"
                  : "the program was built without code for a GPU; build it with --device cuda",
              m_options.program});
        return nullptr;
    }
    Result<std::unique_ptr<cuda::CudaDevice>> created =
        cuda::CudaDevice::create(m_ptx, {m_options.count, m_options.races, m_options.counters, m_options.maxSeconds,
                                         [] { return InterruptScope::signal() != 0; }});
    if (!created) {
        stop(created.error());
        return nullptr;
    }
    m_device = std::move(created).value();
    m_trace.setDevice(m_device->name(), m_device->properties());
    return m_device.get();
}

/// The host's variable of a __managed__ variable becomes the memory that the device works on.
void Runtime::shareManagedVariables(const DeviceCode& code, const device::Module& module)
{
    const auto loaded = std::ranges::count_if(code.modules, [](const auto& one) { return one != nullptr; });
    const bool mayBeWritten = !code.parts.empty() || loaded > 1;
    for (const device::GlobalVariable& variable : module.variables()) {
        if (!variable.managed)
            continue;
        for (const auto& [host, symbol] : m_symbols)
            if (symbol.name == variable.name && symbol.code == &code) {
                auto* const here = static_cast<std::byte*>(symbol.hostVariable);
                // What is linked is loaded late: the host may have written already, as may kernels on other devices.
                const std::vector<std::byte> written(here, here + (mayBeWritten ? variable.bytes : 0));
                memory().moveTo(variable.address, here);
                std::ranges::copy(written, here);
                addAlias(reinterpret_cast<uint64_t>(host), variable.bytes, variable.address, Pages::Own);
            }
    }
}

const device::KernelInfo* Runtime::kernelInfo(DeviceCode& code, const std::string& name)
{
    if (device::Module* loaded = module(code))
        for (const device::KernelInfo& info : loaded->kernels())
            if (info.name == name)
                return &info;
    return nullptr;
}

uint64_t Runtime::symbolAddress(const Symbol& wanted)
{
    device::Module* loaded = module(*wanted.code);
    if (!loaded)
        return 0;
    const Result<device::GlobalVariable> variable = loaded->variable(wanted.name);
    return variable ? variable.value().address : 0;
}

void Runtime::nameBuffer(uint64_t address, const device::GivenPointer& pointer)
{
    if (const std::optional<device::Allocation> allocation = memory().find(address))
        m_bufferNames.try_emplace(allocation->buffer, BufferName{pointer.name, elementBytes(pointer.typeName)});
}

void Runtime::noteUse(uint64_t address, const BufferUse& use)
{
    constexpr size_t kMost = 8;
    const std::optional<device::Allocation> allocation = memory().find(address);
    if (!allocation)
        return;
    std::vector<BufferUse>& known = m_uses[allocation->buffer];
    if (known.size() < kMost && std::ranges::find(known, use.size, &BufferUse::size) == known.end())
        known.push_back(use);
}

std::span<const BufferUse> Runtime::uses(BufferId buffer) const
{
    const auto found = m_uses.find(buffer);
    return found == m_uses.end() ? std::span<const BufferUse>() : found->second;
}

const BufferName* Runtime::bufferName(BufferId buffer)
{
    const auto found = m_bufferNames.find(buffer);
    return found == m_bufferNames.end() ? nullptr : &found->second;
}

uint64_t Runtime::takeMallocNumber()
{
    noteAllocation(++m_mallocs);
    return m_mallocs;
}

cudaError_t Runtime::fail(cudaError_t error)
{
    t_lastError = error;
    noteFailure(*this, error);
    return error;
}

cudaError_t Runtime::failSticky(cudaError_t error)
{
    if (m_stickyError == cudaSuccess)
        m_stickyError = error;
    return fail(m_stickyError);
}

cudaError_t Runtime::lastError(bool reset)
{
    forgetFailures();
    const cudaError_t error = m_stickyError != cudaSuccess ? m_stickyError : t_lastError;
    if (reset)
        t_lastError = cudaSuccess;
    return error;
}

void Runtime::resetDevice()
{
    for (const device::Allocation& allocation : memory().allocations())
        if (allocation.live && allocation.device == currentDevice() && allocation.origin.rfind("cu", 0) == 0 &&
            allocation.origin.rfind("cudaHostRegister", 0) != 0)
            (void)memory().free(allocation.address);
    endPeerAccess(currentDevice());
    clearStickyError();
    lastError(true);
}

void Runtime::stop(const Error& error)
{
    if (m_stopped)
        return;
    m_stopped = error;
    noteStop(error);
}

void Runtime::noteStop(const Error& error)
{
    if (m_firstStop)
        return;
    m_firstStop = error;
    std::fflush(stdout);
    std::fprintf(stderr, "lanescope: error: %s\n", error.text().c_str());
}

}  // namespace lanescope::runtime
