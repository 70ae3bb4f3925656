// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of PTX text, its memory, and launches with buffers.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/device/device_memory.h"
#include "core/simt/checks/race_memory.h"
#include "core/simt/simulator.h"
#include "core/trace/writer.h"

namespace lanescope::test {

class PtxDevice {
public:
    PtxDevice() : m_memory(uint64_t{1} << 30), m_races(m_memory) {}

    /// Empty, or what is wrong.
    std::string load(const std::string& text)
    {
        auto loaded = simt::loadPtxModule(text, "module.ptx", m_memory, m_races);
        if (!loaded)
            return loaded.error().text();
        m_module = std::move(loaded).value();
        return {};
    }

    template <typename T>
    uint64_t buffer(const std::vector<T>& values)
    {
        const uint64_t bytes = values.size() * sizeof(T);
        const uint64_t address = m_memory.allocate(bytes, "cudaMalloc").value().address;
        std::memcpy(m_memory.hostView(address, bytes), values.data(), bytes);
        m_memory.markInitialised(address, bytes);
        return address;
    }

    template <typename T>
    std::vector<T> values(uint64_t address, size_t count) const
    {
        std::vector<T> result(count);
        if (count > 0)
            std::memcpy(result.data(), m_memory.hostView(address, count * sizeof(T)), count * sizeof(T));
        return result;
    }

    /// What is found when the host reads a buffer.
    std::vector<trace::Finding> findingsOfHostRead(uint64_t address, uint64_t bytes)
    {
        return m_memory.takeUndefinedCopies(address, bytes);
    }

    /// \p kernel: empty for the module's first. What kernels print is in `printed`. Arguments are words; those behind
    /// the last parameter's are for structs.
    Result<device::LaunchResult> run(std::string kernel, Dim3 grid, Dim3 block, const std::vector<uint64_t>& arguments,
                                     uint64_t sharedBytes = 0)
    {
        if (kernel.empty())
            kernel = m_module->kernels().front().name;
        std::vector<const void*> pointers;
        for (const uint64_t& each : arguments)
            pointers.push_back(&each);
        for (const device::KernelInfo& info : m_module->kernels())
            if (info.name == kernel)
                pointers.resize(std::min(pointers.size(), info.parameters.size()));
        device::LaunchOptions options;
        options.output = [this](std::string_view text) { printed += text; };
        options.writer = writer;
        options.recordVariables = writer != nullptr;
        options.cooperative = isCooperative;
        return m_module->launch(kernel, LaunchId{m_next++}, grid, block, sharedBytes, pointers, options);
    }

    /// The same; what went wrong, and what was found, with the places: a line each.
    std::string launch(const std::string& kernel, Dim3 grid, Dim3 block, const std::vector<uint64_t>& arguments,
                       uint64_t sharedBytes = 0)
    {
        const auto result = run(kernel, grid, block, arguments, sharedBytes);
        if (!result)
            return result.error().text() + "\n";
        std::string text = result.value().stopped ? result.value().stopped->text() + "\n" : std::string();
        for (const trace::Finding& finding : result.value().findings) {
            text += finding.message;
            for (const trace::FindingAccess& access : finding.accesses)
                text += " @" + m_module->sourcePath(access.where.source) + ":" + std::to_string(access.where.line);
            text += "\n";
        }
        return text;
    }

    Result<device::GlobalVariable> variable(const std::string& name) { return m_module->variable(name); }
    [[nodiscard]] const device::Module& module() const { return *m_module; }
    std::string printed;
    bool isCooperative = false;            ///< launches may have barriers of the grid
    trace::TraceWriter* writer = nullptr;  ///< records; null: nothing does

private:
    device::DeviceMemory m_memory;
    simt::RaceMemory m_races;
    std::unique_ptr<device::Module> m_module;
    uint32_t m_next = 0;
};

}  // namespace lanescope::test
