// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace lanescope::cuda {

namespace {

constexpr int kNeededMajor = 9;

Error unavailable(const std::string& message)
{
    return {Error::Code::NotFound, message + "; use --device simulator", ""};
}

Result<std::unique_ptr<Driver>> load()
{
    const char* chosen = std::getenv("LANESCOPE_CUDA_DRIVER");
    void* library = dlopen(chosen && *chosen ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return unavailable("there is no NVIDIA driver on this machine (libcuda.so.1 was not found)");
    auto driver = std::make_unique<Driver>();
#define LS_DRIVER_LOAD(exported, name, parameters)                                                                     \
    driver->name = reinterpret_cast<decltype(driver->name)>(dlsym(library, exported));                                 \
    if (!driver->name)                                                                                                 \
        return unavailable("the NVIDIA driver is too old: it has no " exported);
    LS_DRIVER_FUNCTIONS(LS_DRIVER_LOAD)
#undef LS_DRIVER_LOAD
    return driver;
}

Result<const Driver*> initialise()
{
    Result<std::unique_ptr<Driver>> loaded = load();
    if (!loaded)
        return loaded.error();
    const Driver* driver = loaded.value().release();  // as long as the process
    if (const DriverStatus status = driver->init(0); status != 0)
        return unavailable("the NVIDIA driver does not start: " + driver->text(status));
    int count = 0, device = 0, major = 0;
    if (driver->deviceCount(&count) != 0 || count == 0 || driver->device(&device, 0) != 0)
        return unavailable("there is no NVIDIA GPU on this machine");
    driver->deviceAttribute(&major, kMajorCapability, device);
    if (major < kNeededMajor)
        return unavailable(fmt::format("the GPU has compute capability {}, expected at least {}", major, kNeededMajor));
    return driver;
}

}  // namespace

Result<const Driver*> Driver::find()
{
    static const auto* const found = new Result<const Driver*>(initialise());
    return *found;
}

std::string Driver::text(DriverStatus status) const
{
    const char* name = nullptr;
    const char* meaning = nullptr;
    errorName(status, &name);
    errorText(status, &meaning);
    return fmt::format("{} ({})", name ? name : "an unknown error", meaning ? meaning : std::to_string(status));
}

Error Driver::error(DriverStatus status, const std::string& what) const
{
    return {Error::Code::BadInput, fmt::format("{}: {}", what, text(status)), ""};
}

}  // namespace lanescope::cuda
