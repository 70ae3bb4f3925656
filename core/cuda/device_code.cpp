// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/device_code.h"

#include <fmt/format.h>

#include <array>

namespace lanescope::cuda {

namespace {

// CUjit_option
constexpr int kJitMaxRegisters = 0;
constexpr int kJitErrorLog = 5;
constexpr int kJitErrorLogBytes = 6;

}  // namespace

Result<std::unique_ptr<DeviceCode>> DeviceCode::load(const Driver& driver, const std::string& ptx, int maxRegisters)
{
    std::array<char, 4096> log{};
    std::array<int, 3> options{kJitMaxRegisters, kJitErrorLog, kJitErrorLogBytes};
    std::array<void*, 3> values{reinterpret_cast<void*>(static_cast<intptr_t>(maxRegisters)), log.data(),
                                reinterpret_cast<void*>(log.size())};
    CodeModule module = nullptr;
    const DriverStatus status =
        driver.loadModule(&module, ptx.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
    if (status != 0)
        return driver.error(status, fmt::format("the driver refuses the device code: {}", log.data()));
    return std::unique_ptr<DeviceCode>(new DeviceCode(driver, module));
}

Result<Function> DeviceCode::kernel(const std::string& name)
{
    Function function = nullptr;
    if (const DriverStatus status = m_driver.function(&function, m_module, name.c_str()))
        return m_driver.error(status, "the device code has no kernel " + name);
    return function;
}

Result<void> DeviceCode::write(const char* symbol, const void* bytes, size_t count)
{
    DevicePointer address = 0;
    size_t size = 0;
    DriverStatus status = m_driver.global(&address, &size, m_module, symbol);
    if (status == 0 && size < count)
        return Error{Error::Code::BadInput, fmt::format("{} bytes, expected {}", size, count), symbol};
    if (status == 0)
        status = m_driver.copyToDevice(address, bytes, count);
    return status == 0 ? Result<void>() : m_driver.error(status, symbol);
}

Result<void> DeviceCode::setControl(const LogControl& control)
{
    return write("__lanescope_control", &control, sizeof control);
}

Result<void> DeviceCode::setVariables(std::span<const device::DeviceAddress> addresses)
{
    return addresses.empty() ? Result<void>()
                             : write("__lanescope_variables", addresses.data(), addresses.size_bytes());
}

Result<std::vector<CountEntry>> DeviceCode::countEntries()
{
    DevicePointer address = 0;
    size_t bytes = 0;
    if (m_driver.global(&address, &bytes, m_module, "__lanescope_count_entries") != 0)
        return std::vector<CountEntry>();  // a program without accesses
    std::vector<CountEntry> entries(bytes / sizeof(CountEntry));
    if (const DriverStatus status = m_driver.copyToHost(entries.data(), address, bytes))
        return m_driver.error(status, "the table of places cannot be read");
    return entries;
}

Result<void> DeviceCode::setCounters(const CountControl& control)
{
    return control.entries == 0 ? Result<void>() : write("__lanescope_counters", &control, sizeof control);
}

RaceShape DeviceCode::raceShape()
{
    DevicePointer address = 0;
    size_t bytes = 0;
    RaceShape shape;
    if (m_driver.global(&address, &bytes, m_module, "__lanescope_race_shape") == 0 && bytes == sizeof shape)
        m_driver.copyToHost(&shape, address, bytes);
    return shape;
}

Result<void> DeviceCode::setRaces(const RaceControl& control)
{
    return write("__lanescope_races", &control, sizeof control);
}

Result<void> DeviceCode::checkTotal(uint32_t total)
{
    DevicePointer address = 0;
    size_t size = 0;
    uint32_t found = 0;
    DriverStatus status = m_driver.global(&address, &size, m_module, "__lanescope_code_total");
    if (status == 0)
        status = m_driver.copyToHost(&found, address, sizeof found);
    if (status != 0)
        return m_driver.error(status, "the device code is not instrumented");
    if (found != total)
        return Error{Error::Code::BadInput,
                     fmt::format("the device code was instrumented by another version of lanescope ({} and {} "
                                 "places); build the program again",
                                 found, total),
                     ""};
    return {};
}

}  // namespace lanescope::cuda
