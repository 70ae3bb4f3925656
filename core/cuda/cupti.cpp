// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/cupti.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace lanescope::cuda {

void* openCupti(const std::string& toolkit)
{
    std::vector<std::string> names;
    if (const char* chosen = std::getenv("LANESCOPE_CUPTI"); chosen && *chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    const char* variable = std::getenv("CUDA_HOME");
    const std::string home = !toolkit.empty() ? toolkit : variable ? variable : "/usr/local/cuda";
    for (const std::string& folder :
         {std::string(), home + "/extras/CUPTI/lib64/", home + "/lib64/", std::string("/usr/local/cuda/lib64/"),
          std::string("/usr/local/cuda/targets/x86_64-linux/lib/")})
        for (const char* file : {"libcupti.so.13", "libcupti.so"})
            names.push_back(folder + file);
    for (const std::string& name : names)
        if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
            return library;
    return nullptr;
}

namespace {

Result<const Cupti*> loadCupti()
{
    void* library = openCupti();
    if (!library)
        return Error{Error::Code::NotFound, "CUPTI was not found (libcupti.so, of the CUDA toolkit)", ""};
    auto cupti = std::make_unique<Cupti>();
#define LS_CUPTI_LOAD(exported, name, parameters)                                                                      \
    cupti->name = reinterpret_cast<decltype(cupti->name)>(dlsym(library, exported));                                   \
    if (!cupti->name)                                                                                                  \
        return Error{Error::Code::NotFound, "CUPTI is too old: it has no " exported ", expected that of CUDA 13", ""};
    LS_CUPTI_FUNCTIONS(LS_CUPTI_LOAD)
#undef LS_CUPTI_LOAD
    return cupti.release();  // as long as the process
}

}  // namespace

Result<const Cupti*> Cupti::find()
{
    static const auto* const found = new Result<const Cupti*>(loadCupti());
    return *found;
}

Error Cupti::error(CuptiStatus status, const std::string& what) const
{
    const char* text = nullptr;
    resultText(status, &text);
    const char* hint = status == kCuptiNoPermission
                           ? "; counters need permission: NVreg_RestrictProfilingToAdminUsers=0, or the administrator"
                           : "";
    return {Error::Code::Unsupported, fmt::format("{}: {}{}", what, text ? text : std::to_string(status), hint), ""};
}

}  // namespace lanescope::cuda
