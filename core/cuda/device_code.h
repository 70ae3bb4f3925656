// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program's PTX as loaded by the driver, and what lies in it besides the kernels.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/cuda/device_counts.h"
#include "core/cuda/device_log.h"
#include "core/cuda/device_races.h"
#include "core/cuda/driver.h"
#include "core/device/device_memory.h"

namespace lanescope::cuda {

/// What code that looks for races wants to have.
struct RaceShape {
    uint32_t objects = 0;  ///< shared arrays whose place it tells
    uint32_t shift = 2;    ///< log2 of a cell's bytes
    uint32_t limits = 0;   ///< kRaceNotAtAll, kRaceNotOfBlocks
};

class DeviceCode {
public:
    /// \p maxRegisters: of a thread, so that blocks of a given size fit. Error: the driver's own words.
    static Result<std::unique_ptr<DeviceCode>> load(const Driver& driver, const std::string& ptx, int maxRegisters);

    Result<Function> kernel(const std::string& name);
    Result<void> setControl(const LogControl& control);
    /// \p addresses: of the program's variables, in the order of its table.
    Result<void> setVariables(std::span<const device::DeviceAddress> addresses);
    /// Of code that counts.
    Result<std::vector<CountEntry>> countEntries();
    Result<void> setCounters(const CountControl& control);
    /// Of code that looks for races.
    RaceShape raceShape();
    Result<void> setRaces(const RaceControl& control);
    /// Error unless the code was made from what has this number of instructions and objects.
    Result<void> checkTotal(uint32_t total);

private:
    DeviceCode(const Driver& driver, CodeModule module) : m_driver(driver), m_module(module) {}
    Result<void> write(const char* symbol, const void* bytes, size_t count);

    const Driver& m_driver;
    CodeModule m_module;
};

}  // namespace lanescope::cuda
