// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code on its way from the simulator's form to instrumented PTX. The steps, in order:
//   load            bitcode, prepared as for the simulator; what the simulator records of each kernel
//   addLogCalls     calls of the logger at every recorded place, in a version of the code for recorded blocks
//   addCountCalls   or of the counter
//   addRaceCalls    or of the counter and the race check
//   keepAccesses    or nothing: what hardware counts is the code's own
//   placeVariables  __device__ and __constant__ variables are where the host says
//   placeSharedAddresses, restoreWarpgroupProducts
//                   what the simulator computes in a way of its own is the GPU's again
//   addLibraries    the logger; NVIDIA's math functions, where the program calls any
//   writePtx        optimised, as text
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "core/base/result.h"
#include "core/cuda/device_counts.h"
#include "core/simt/ir/prepared_module.h"
#include "core/simt/lower/describe_kernel.h"

namespace lanescope::instrument {

struct DeviceCode {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    simt::FunctionAddresses functionAddresses;
    std::vector<llvm::GlobalVariable*> variables;  ///< in the order of their addresses
    std::vector<llvm::Function*> kernels;
    /// Of the kernels that the simulator can lower; others are not instrumented, since they have no sites.
    std::map<llvm::Function*, std::shared_ptr<const simt::Program>> programs;
    std::unique_ptr<simt::CodeNumbers> numbers;
    std::vector<cuda::CountEntry> countEntries;
    uint32_t raceObjects = 0;
    uint32_t raceShift = 2;   ///< log2 of a race cell's bytes
    uint32_t raceLimits = 0;  ///< cuda::kRaceNotAtAll, cuda::kRaceNotOfBlocks
};

struct LibraryPaths {
    std::vector<std::string> device;  ///< what the added calls call
    std::string tensors;              ///< what stands for instructions that were taken apart; linked where it is needed
    std::string math;                 ///< libdevice; empty: there is none
};

/// Names of the module's own symbols that the host looks up.
inline constexpr const char* kVariableTable = "__lanescope_variables";
inline constexpr const char* kCodeTotal = "__lanescope_code_total";
inline constexpr const char* kRaceShape = "__lanescope_race_shape";
inline constexpr const char* kCountEntries = "__lanescope_count_entries";

/// Thrown within this folder; main turns it into a message and an exit code.
struct Refused {
    Error error;
};

/// Bitcode as it is in the file.
std::unique_ptr<llvm::Module> read(const std::string& path, llvm::LLVMContext& context);
std::unique_ptr<DeviceCode> load(const std::string& path);
void addLogCalls(DeviceCode& code);
void addCountCalls(DeviceCode& code);
void addRaceCalls(DeviceCode& code);
void keepAccesses(DeviceCode& code);
void placeVariables(DeviceCode& code);
void placeSharedAddresses(DeviceCode& code);
void restoreWarpgroupProducts(DeviceCode& code);
void addLibraries(DeviceCode& code, const LibraryPaths& paths);
/// Once, before writePtx.
void initialiseTarget();
std::string writePtx(DeviceCode& code);

/// "file:line:col" of an instruction; empty when it has none.
std::string placeOf(const llvm::Instruction& instr);

}  // namespace lanescope::instrument
