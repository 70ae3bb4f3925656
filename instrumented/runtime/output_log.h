// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each launch leaves in global memory, as hashes, so that runs of one program can be compared.
//
// The file holds one JSON object a line, for each launch:
//   {"launch": 0, "kernel": "k", "buffers": [{"address": A, "name": "out", "bytes": 64, "pages": [[A, "hash"], …]}, …]}
// with the pages that have changed since the line before. A page is kPageBytes from a multiple of it on, counted from
// the buffer's beginning; its key is its device address. Of the one page that the options ask for, the line has
// "bytes" too, in hexadecimal digits.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "core/device/device_memory.h"
#include "instrumented/runtime/options.h"

namespace lanescope::runtime {

class OutputLog {
public:
    static constexpr uint64_t kPageBytes = 4096;

    /// Writes nothing unless \p options names a file.
    explicit OutputLog(const Options& options);
    void afterLaunch(uint32_t launch, const std::string& kernel, const device::DeviceMemory& memory);

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Close> m_file;
    std::optional<std::pair<uint32_t, uint64_t>> m_wanted;
    std::map<uint64_t, std::string> m_pages;  ///< hash by address
};

}  // namespace lanescope::runtime
