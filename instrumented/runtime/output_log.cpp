// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/output_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/trace/content_hash.h"

namespace lanescope::runtime {

OutputLog::OutputLog(const Options& options)
    : m_file(options.outputsPath.empty() ? nullptr : std::fopen(options.outputsPath.c_str(), "w")),
      m_wanted(options.outputsPage)
{
}

void OutputLog::afterLaunch(uint32_t launch, const std::string& kernel, const device::DeviceMemory& memory)
{
    if (!m_file)
        return;
    nlohmann::json line = {{"launch", launch}, {"kernel", kernel}, {"buffers", nlohmann::json::array()}};
    for (const device::Allocation& allocation : memory.allocations()) {
        // Where in the heap a thread's piece lies is nobody's result.
        if (!allocation.live || allocation.constant || allocation.origin == device::kHeapOrigin)
            continue;
        const std::byte* bytes = memory.hostView(allocation.address, allocation.bytes);
        if (!bytes)
            continue;
        nlohmann::json pages = nlohmann::json::array();
        for (uint64_t offset = 0; offset < allocation.bytes; offset += kPageBytes) {
            const uint64_t address = allocation.address + offset;
            const std::span<const std::byte> page(bytes + offset, std::min(kPageBytes, allocation.bytes - offset));
            const auto hash = trace::contentHash(page);
            const std::string text = fmt::format("{:016x}{:016x}", hash[0], hash[1]);
            if (m_wanted && *m_wanted == std::pair{launch, address})
                line["bytes"] = fmt::format("{:02x}", fmt::join(page, ""));
            if (std::exchange(m_pages[address], text) != text)
                pages.push_back({address, text});
        }
        if (!pages.empty())
            line["buffers"].push_back({{"address", allocation.address},
                                       {"name", allocation.name},
                                       {"bytes", allocation.bytes},
                                       {"pages", std::move(pages)}});
    }
    std::fprintf(m_file.get(), "%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    std::fflush(m_file.get());
}

}  // namespace lanescope::runtime
