// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/host_frames.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <filesystem>

namespace lanescope::runtime {

namespace {

/// Load address of the program; null when the system does not say.
const void* programBase()
{
    static const void* const base = [] {
        Dl_info info = {};
        return dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &info) ? info.dli_fbase : nullptr;
    }();
    return base;
}

const std::string& programPath()
{
    static auto* const path = [] {
        char text[PATH_MAX] = {};
        const ssize_t length = readlink("/proc/self/exe", text, sizeof(text) - 1);
        return new std::string(text, length > 0 ? static_cast<size_t>(length) : 0);
    }();
    return *path;
}

}  // namespace

bool isBelow(const std::string& file, const std::string& folder)
{
    std::error_code ignored;
    return !folder.empty() && std::filesystem::absolute(file, ignored).string().rfind(folder, 0) == 0;
}

HostFrames HostFrames::here()
{
    HostFrames frames;
    frames.count = backtrace(frames.address.data(), static_cast<int>(frames.address.size()));
    return frames;
}

HostCall hostCallOf(const HostFrames& frames, const std::string& ourHeaders)
{
    HostCall call;
    for (int i = 0; i < frames.count; ++i) {
        Dl_info info = {};
        if (!dladdr(frames.address[static_cast<size_t>(i)], &info))
            continue;
        if (info.dli_fbase != programBase()) {
            call.function = info.dli_sname ? info.dli_sname : "";
            continue;
        }
        const auto address = reinterpret_cast<uint64_t>(frames.address[static_cast<size_t>(i)]);
        // A return address is that of the next instruction.
        call.places = simt::codePlacesOf(programPath(), address - reinterpret_cast<uint64_t>(info.dli_fbase) - 1);
        std::erase_if(call.places, [&](const simt::CodePlace& place) { return isBelow(place.file, ourHeaders); });
        if (!call.places.empty())
            return call;
    }
    return call;
}

}  // namespace lanescope::runtime
