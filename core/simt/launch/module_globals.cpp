// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the variables of a module their memory, with what they hold at first.
#include <cstring>
#include <map>

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

#include "core/device/device_memory.h"
#include "core/simt/launch/loaded_module.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

/// Where our headers put __managed__ variables.
constexpr llvm::StringRef kManagedSection = "lanescope_managed";

/// Bytes of a constant as they lie in memory. Pointers to other globals are filled in by \p addressOf.
class InitialBytes {
public:
    InitialBytes(const llvm::DataLayout& layout,
                 const std::map<const llvm::GlobalVariable*, device::DeviceAddress>& addresses,
                 const FunctionAddresses& functions)
        : m_layout(layout), m_addresses(addresses), m_functions(functions)
    {
    }

    void write(const llvm::Constant& constant, std::byte* out)
    {
        if (constant.isNullValue() || isa<llvm::UndefValue>(constant))
            return;
        if (const auto* number = dyn_cast<llvm::ConstantInt>(&constant))
            return writeBits(number->getValue(), constant.getType(), out);
        if (const auto* real = dyn_cast<llvm::ConstantFP>(&constant))
            return writeBits(real->getValueAPF().bitcastToAPInt(), constant.getType(), out);
        if (const auto* data = dyn_cast<llvm::ConstantDataSequential>(&constant)) {
            llvm::StringRef raw = data->getRawDataValues();
            std::memcpy(out, raw.data(), raw.size());
            return;
        }
        if (const auto* structure = dyn_cast<llvm::StructType>(constant.getType())) {
            const llvm::StructLayout* shape = m_layout.getStructLayout(const_cast<llvm::StructType*>(structure));
            for (unsigned i = 0; i < structure->getNumElements(); ++i)
                write(*constant.getAggregateElement(i), out + shape->getElementOffset(i));
            return;
        }
        if (const auto* array = dyn_cast<llvm::ArrayType>(constant.getType())) {
            uint64_t stride = m_layout.getTypeAllocSize(array->getElementType());
            for (uint64_t i = 0; i < array->getNumElements(); ++i)
                write(*constant.getAggregateElement(static_cast<unsigned>(i)), out + i * stride);
            return;
        }
        if (constant.getType()->isPointerTy())
            writePointer(constant, out);
    }

private:
    void writeBits(const llvm::APInt& bits, llvm::Type* type, std::byte* out)
    {
        std::memcpy(out, bits.getRawData(), m_layout.getTypeStoreSize(type));
    }

    void writePointer(const llvm::Constant& constant, std::byte* out)
    {
        llvm::APInt offset(64, 0);
        const llvm::Value* base = constant.stripAndAccumulateConstantOffsets(m_layout, offset, true);
        if (const auto* function = dyn_cast<llvm::Function>(base))
            if (auto found = m_functions.find(function); found != m_functions.end())
                std::memcpy(out, &found->second, sizeof found->second);
        if (const auto* global = dyn_cast<llvm::GlobalVariable>(base))
            if (auto found = m_addresses.find(global); found != m_addresses.end()) {
                uint64_t address = found->second + offset.getZExtValue();
                std::memcpy(out, &address, sizeof address);
            }
    }

    const llvm::DataLayout& m_layout;
    const std::map<const llvm::GlobalVariable*, device::DeviceAddress>& m_addresses;
    const FunctionAddresses& m_functions;
};

}  // namespace

Result<void> LoadedModule::placeGlobal(llvm::GlobalVariable& global)
{
    std::string name = llvm::demangle(global.getName().str());
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
    global.getDebugInfo(debug);
    DeclaredShape shape = shapeOf(global.getValueType(), m_module->getDataLayout());
    if (!debug.empty()) {
        name = debug.front()->getVariable()->getName().str();
        shape = shapeOf(debug.front()->getVariable()->getType());
    }
    bool constant = global.getAddressSpace() == 4;
    uint64_t bytes = m_module->getDataLayout().getTypeAllocSize(global.getValueType());
    auto allocation = m_memory.allocate(bytes, (constant ? "__constant__ " : "__device__ ") + name, constant);
    if (!allocation)
        return allocation.error();
    m_memory.describe(allocation.value().address, name, shape.element);
    m_globals.emplace(&global, allocation.value().address);
    m_globalsByName.emplace(global.getName().str(), allocation.value().address);
    const bool managed = global.getSection() == kManagedSection;
    m_variables.push_back({global.getName().str(), name, bytes, constant, managed, allocation.value().address});
    return {};
}

Result<void> LoadedModule::placeGlobals()
{
    std::vector<llvm::GlobalVariable*> placed;
    for (llvm::GlobalVariable* global : variablesOf(*m_module)) {
        if (auto done = placeGlobal(*global); !done)
            return done;
        placed.push_back(global);
    }
    InitialBytes bytes(m_module->getDataLayout(), m_globals, m_functionAddresses);
    for (llvm::GlobalVariable* global : placed) {
        uint64_t size = m_module->getDataLayout().getTypeAllocSize(global->getValueType());
        if (!global->hasInitializer() || isa<llvm::UndefValue>(global->getInitializer()))
            continue;
        bytes.write(*global->getInitializer(), m_memory.hostView(m_globals[global], size));
        m_memory.markInitialised(m_globals[global], size);
    }
    return {};
}

}  // namespace lanescope::simt
