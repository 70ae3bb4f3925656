// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libnvJitLink: what is "linked" is PTX still, which cuModuleLoadData takes.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "instrumented/driver/link_ptx.h"

#define LS_LINK extern "C" __attribute__((visibility("default"))) int

namespace {

enum Answer { kSuccess = 0, kInvalidInput = 4 };

struct Link {
    std::vector<std::string> texts;
    std::string linked;
    std::string log;
};

int give(const std::string& text, char* to)
{
    if (!to)
        return kInvalidInput;
    std::memcpy(to, text.c_str(), text.size() + 1);
    return kSuccess;
}

int giveSize(const std::string& text, size_t* bytes)
{
    if (!bytes)
        return kInvalidInput;
    *bytes = text.size() + 1;
    return kSuccess;
}

/// Of an archive, a library of machine code as CUDA's device runtime, nothing is taken: what the simulator has not of
/// its functions is named where a kernel that calls them is launched.
int add(Link* link, std::string text)
{
    if (text.starts_with("!<arch>\n"))
        return kSuccess;
    const std::string beginning = text.substr(0, 16);
    text.resize(std::min(text.size(), text.find('\0')));
    if (text.find(".version") == std::string::npos) {
        link->log = "lanescope: only PTX text can be linked, and this begins with '";
        for (const char letter : beginning)
            link->log += letter >= ' ' && letter <= '~' ? letter : '.';
        link->log += "'";
        return kInvalidInput;
    }
    link->texts.push_back(std::move(text));
    return kSuccess;
}

}  // namespace

LS_LINK nvJitLinkCreate(Link** handle, uint32_t /*count*/, const char** /*options*/)
{
    if (!handle)
        return kInvalidInput;
    *handle = new Link;
    return kSuccess;
}

LS_LINK nvJitLinkDestroy(Link** handle)
{
    if (!handle || !*handle)
        return kInvalidInput;
    delete *handle;
    *handle = nullptr;
    return kSuccess;
}

LS_LINK nvJitLinkAddData(Link* handle, int /*type*/, const void* data, size_t bytes, const char* /*name*/)
{
    return handle && data ? add(handle, {static_cast<const char*>(data), bytes}) : kInvalidInput;
}

LS_LINK nvJitLinkAddFile(Link* handle, int /*type*/, const char* path)
{
    std::ifstream file(path ? path : "", std::ios::binary);
    return handle && file ? add(handle, {std::istreambuf_iterator<char>(file), {}}) : kInvalidInput;
}

LS_LINK nvJitLinkComplete(Link* handle)
{
    if (!handle || handle->texts.empty())
        return kInvalidInput;
    handle->linked = lanescope::driver::linkPtx(handle->texts);
    return kSuccess;
}

LS_LINK nvJitLinkGetLinkedCubinSize(Link* handle, size_t* bytes)
{
    return handle ? giveSize(handle->linked, bytes) : kInvalidInput;
}

LS_LINK nvJitLinkGetLinkedCubin(Link* handle, void* to)
{
    return handle ? give(handle->linked, static_cast<char*>(to)) : kInvalidInput;
}

LS_LINK nvJitLinkGetLinkedPtxSize(Link* handle, size_t* bytes)
{
    return handle ? giveSize(handle->linked, bytes) : kInvalidInput;
}

LS_LINK nvJitLinkGetLinkedPtx(Link* handle, char* to)
{
    return handle ? give(handle->linked, to) : kInvalidInput;
}

LS_LINK nvJitLinkGetErrorLogSize(Link* handle, size_t* bytes)
{
    return handle ? giveSize(handle->log, bytes) : kInvalidInput;
}

LS_LINK nvJitLinkGetErrorLog(Link* handle, char* to)
{
    return handle ? give(handle->log, to) : kInvalidInput;
}

LS_LINK nvJitLinkGetInfoLogSize(Link* /*handle*/, size_t* bytes)
{
    return giveSize({}, bytes);
}

LS_LINK nvJitLinkGetInfoLog(Link* /*handle*/, char* to)
{
    return give({}, to);
}

LS_LINK nvJitLinkVersion(unsigned* major, unsigned* minor)
{
    if (!major || !minor)
        return kInvalidInput;
    // The last that linked PTX only: later ones are handed code of LTO, which is no PTX.
    *major = 12;
    *minor = 2;
    return kSuccess;
}
