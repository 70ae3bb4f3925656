// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the variables of a module their memory, with what they hold at first.
#include <algorithm>
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

/// A variable has its name; what clang copies a local array's initial values from (`__const.FUNCTION.most`) is named by
/// the array: "initial_most".
std::string nameInSource(llvm::StringRef name)
{
    if (llvm::StringRef rest = name; rest.consume_front("__const."))
        if (const llvm::StringRef variable = rest.split('.').second; !variable.empty())
            return "initial_" + variable.split('.').first.str();
    return llvm::demangle(name);
}

}  // namespace

/// What the front end keeps for itself in a module is no variable of the program: it has no memory, and is no buffer,
/// until the host asks for it.
Result<void> LoadedModule::placeGlobals()
{
    const std::vector<llvm::GlobalVariable*> globals = variablesOf(*m_module);
    for (llvm::GlobalVariable* global : globals) {
        device::GlobalVariable variable;
        variable.name = global->getName().str();
        variable.displayName = nameInSource(variable.name);
        llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
        global->getDebugInfo(debug);
        if (!debug.empty())
            variable.displayName = debug.front()->getVariable()->getName().str();
        variable.bytes = m_module->getDataLayout().getTypeAllocSize(global->getValueType());
        variable.constant = global->getAddressSpace() == 4;
        variable.managed = global->getSection() == kManagedSection;
        if (!global->use_empty() || variable.managed)
            if (auto done = placeGlobal(*global, variable); !done)
                return done;
        m_variables.push_back(std::move(variable));
    }
    for (llvm::GlobalVariable* global : globals)
        if (m_globals.contains(global))
            writeInitialValue(*global);
    return {};
}

Result<void> LoadedModule::placeGlobal(llvm::GlobalVariable& global, device::GlobalVariable& variable)
{
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
    global.getDebugInfo(debug);
    const DeclaredShape shape = debug.empty() ? shapeOf(global.getValueType(), m_module->getDataLayout())
                                              : shapeOf(debug.front()->getVariable()->getType());
    const std::string origin = (variable.constant ? "__constant__ " : "__device__ ") + variable.displayName;
    auto allocation = m_memory.allocate(variable.bytes, origin, variable.constant);
    if (!allocation)
        return allocation.error();
    variable.address = allocation.value().address;
    m_memory.describe(variable.address, variable.displayName, shape.element);
    m_globals.emplace(&global, variable.address);
    m_globalsByName.emplace(variable.name, variable.address);
    return {};
}

void LoadedModule::writeInitialValue(llvm::GlobalVariable& global)
{
    if (!global.hasInitializer() || isa<llvm::UndefValue>(global.getInitializer()))
        return;
    const device::DeviceAddress address = m_globals.at(&global);
    const uint64_t bytes = m_module->getDataLayout().getTypeAllocSize(global.getValueType());
    InitialBytes(m_module->getDataLayout(), m_globals, m_functionAddresses)
        .write(*global.getInitializer(), m_memory.hostView(address, bytes));
    m_memory.markInitialised(address, bytes);
}

Result<device::GlobalVariable> LoadedModule::variable(const std::string& name)
{
    const auto found = std::ranges::find(m_variables, name, &device::GlobalVariable::name);
    if (found == m_variables.end())
        return Error{Error::Code::NotFound, "no variable of this name", name};
    if (found->address == 0) {
        llvm::GlobalVariable& global = *m_module->getNamedGlobal(name);
        if (auto done = placeGlobal(global, *found); !done)
            return done.error();
        writeInitialValue(global);
    }
    return *found;
}

}  // namespace lanescope::simt
