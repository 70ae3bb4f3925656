// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/device_questions.h"

#include <dlfcn.h>

#include <array>

namespace lanescope::attach {

DeviceQuestions::DeviceQuestions(int device) : m_device(device)
{
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!driver)
        driver = RTLD_DEFAULT;
    m_attribute = reinterpret_cast<decltype(m_attribute)>(dlsym(driver, "cuDeviceGetAttribute"));
    m_name = reinterpret_cast<decltype(m_name)>(dlsym(driver, "cuDeviceGetName"));
    m_global = reinterpret_cast<decltype(m_global)>(dlsym(driver, "cuModuleGetGlobal_v2"));
}

uint32_t DeviceQuestions::attribute(int which) const
{
    int value = 0;
    return m_attribute && m_attribute(&value, which, m_device) == 0 && value > 0 ? static_cast<uint32_t>(value) : 0;
}

std::string DeviceQuestions::name() const
{
    std::array<char, 256> name{};
    return m_name && m_name(name.data(), static_cast<int>(name.size()) - 1, m_device) == 0 ? name.data() : "GPU";
}

trace::DeviceProperties DeviceQuestions::properties() const
{
    return {attribute(cuda::kMajorCapability) * 10 + attribute(cuda::kMinorCapability),
            attribute(cuda::kMultiprocessors), attribute(cuda::kClockRate), attribute(cuda::kMemoryClockRate),
            attribute(cuda::kMemoryBusWidth)};
}

Region DeviceQuestions::variable(cuda::CodeModule module, const std::string& name) const
{
    Region region;
    size_t bytes = 0;
    if (!m_global || m_global(&region.address, &bytes, module, name.c_str()) != 0)
        return {};
    region.bytes = bytes;
    return region;
}

}  // namespace lanescope::attach
