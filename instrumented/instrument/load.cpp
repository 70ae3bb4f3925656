// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/MemoryBuffer.h>

#include "instrumented/instrument/device_code.h"

namespace lanescope::instrument {

std::string placeOf(const llvm::Instruction& instr)
{
    const llvm::DILocation* location = instr.getDebugLoc().get();
    return location ? fmt::format("{}:{}:{}", location->getFilename().str(), location->getLine(), location->getColumn())
                    : std::string();
}

std::unique_ptr<llvm::Module> read(const std::string& path, llvm::LLVMContext& context)
{
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
        throw Refused{{Error::Code::NotFound, buffer.getError().message(), path}};
    const llvm::StringRef bytes = (*buffer)->getBuffer();
    auto module = simt::readBitcode({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, context);
    if (!module)
        throw Refused{module.error()};
    return std::move(module).value();
}

std::unique_ptr<DeviceCode> load(const std::string& path)
{
    auto code = std::make_unique<DeviceCode>();
    code->module = read(path, code->context);
    code->functionAddresses = simt::prepareForLowering(*code->module);
    code->variables = simt::variablesOf(*code->module);
    code->kernels = simt::kernelsOf(*code->module);
    code->numbers = std::make_unique<simt::CodeNumbers>(*code->module);
    for (llvm::Function* kernel : code->kernels)
        if (auto program = simt::describeKernel(*kernel, code->functionAddresses, *code->numbers))
            code->programs.emplace(kernel, std::move(program).value());
    return code;
}

}  // namespace lanescope::instrument
