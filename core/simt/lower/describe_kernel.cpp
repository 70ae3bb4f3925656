// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/describe_kernel.h"

#include <map>

#include "core/device/device_memory.h"
#include "core/simt/ir/prepared_module.h"
#include "core/simt/lower/program_builder.h"

namespace lanescope::simt {

Result<std::shared_ptr<const Program>> describeKernel(llvm::Function& kernel, const FunctionAddresses& functions,
                                                      const CodeNumbers& numbers)
{
    std::map<const llvm::GlobalVariable*, device::DeviceAddress> globals;
    device::DeviceAddress next = device::DeviceMemory::kFirstSlot << 32;
    for (llvm::GlobalVariable* variable : variablesOf(*kernel.getParent()))
        globals.emplace(variable, next += uint64_t{1} << 32);
    SourceTable sources;
    LoweringOptions options;
    options.record = true;
    options.recordVariables = true;
    options.numbers = &numbers;
    return ProgramBuilder(*kernel.getParent(), sources, globals, functions, options).build(kernel);
}

}  // namespace lanescope::simt
