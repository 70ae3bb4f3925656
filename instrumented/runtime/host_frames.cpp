// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/host_frames.h"

#include <dlfcn.h>
#include <limits.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <unwind.h>

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

/// Frames, and where on the stack each return address lies. Who is called again with the same ones in the same places
/// has been called from the same frames.
struct SeenFrames {
    HostFrames frames;
    std::array<void* const*, std::tuple_size_v<decltype(HostFrames::address)>> places{};
    bool isKnown = false;  ///< the places hold the return addresses, as they do where calls push them

    [[nodiscard]] bool isHere(void* const* place) const
    {
        if (!isKnown || frames.count < 2 || places[1] != place)
            return false;
        for (int i = 1; i < frames.count; ++i)
            if (*places[static_cast<size_t>(i)] != frames.address[static_cast<size_t>(i)])
                return false;
        return true;
    }
};

_Unwind_Reason_Code note(_Unwind_Context* context, void* seen)
{
    auto& [frames, places, isKnown] = *static_cast<SeenFrames*>(seen);
    const auto i = static_cast<size_t>(frames.count);
    frames.address[i] = reinterpret_cast<void*>(_Unwind_GetIP(context));
    if (!frames.address[i])
        return _URC_END_OF_STACK;
    places[i] = reinterpret_cast<void* const*>(_Unwind_GetCFA(context)) - 1;
    if (i > 0)
        isKnown &= *places[i] == frames.address[i];
    return static_cast<size_t>(++frames.count) == places.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

bool isBelow(const std::string& file, const std::string& folder)
{
    std::error_code ignored;
    return !folder.empty() && std::filesystem::absolute(file, ignored).string().rfind(folder, 0) == 0;
}

HostFrames HostFrames::inHandler()
{
    SeenFrames seen;
    (void)_Unwind_Backtrace(note, &seen);
    return seen.frames;
}

HostFrames HostFrames::here()
{
    constexpr size_t kRemembered = 8;
    thread_local std::array<SeenFrames, kRemembered> remembered;
    thread_local size_t next = 0;
    // Where x86-64 keeps the return address of a function that has a frame pointer, as the builtin makes this one.
    void* const* const place = static_cast<void* const*>(__builtin_frame_address(0)) + 1;
    for (const SeenFrames& seen : remembered)
        if (seen.isHere(place))
            return seen.frames;
    SeenFrames seen;
    seen.isKnown = true;
    (void)_Unwind_Backtrace(note, &seen);
    if (seen.isKnown)
        remembered[next++ % kRemembered] = seen;
    return seen.frames;
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
