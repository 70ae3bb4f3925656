// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_module_to_ir.h"

#include <algorithm>
#include <bit>
#include <set>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include "core/simt/ptx/element_types.h"
#include "core/simt/ptx/ptx_arrays.h"
#include "core/simt/ptx/ptx_entries.h"
#include "core/simt/ptx/ptx_function.h"
#include "core/simt/ptx/ptx_types.h"
#include "core/simt/ptx/shared_window.h"

namespace lanescope::simt {
namespace {

using llvm::Constant;
using llvm::Type;

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 4;
constexpr uint64_t kMostElements = uint64_t{1} << 26;  ///< of a variable with initial values

class ModuleBuilder {
public:
    ModuleBuilder(const PtxModule& source, std::string_view text, const std::string& name, llvm::LLVMContext& context)
        : m_source(source), m_text(text), m_context(context), m_module(std::make_unique<llvm::Module>(name, context)),
          m_lines(source, text, name, *m_module)
    {
        m_names.name = name;
        if (const auto values = source.sections.find(TritonValues::kSection); values != source.sections.end())
            m_names.values = TritonValues(values->second.bytes);
        m_module->setTargetTriple("nvptx64-nvidia-cuda");
        m_module->setDataLayout("e-i64:64-i128:128-v16:16-v32:32-n16:32:64");
    }

    Result<std::unique_ptr<llvm::Module>> run()
    {
        if (m_text.find(kUsesDescriptors) != std::string_view::npos)
            countFromSharedMemory(*m_module);
        declareFunctions();
        for (const PtxVariable& variable : m_source.variables)
            declareVariable(variable);
        for (const PtxVariable& variable : m_source.variables)
            if (auto done = initialise(variable); !done)
                return done.error();
        for (const PtxFunction* function : m_bodies)
            PtxFunctionBuilder(*function, *m_names.functions.at(function->name), m_names, m_lines, m_types).build();
        PtxEntries entries(*m_module, m_names, m_lines, m_types);
        for (const PtxFunction* function : m_bodies) {
            typeMovedValues(*m_names.functions.at(function->name));
            if (function->isEntry)
                entries.finish(*function);
        }
        PtxArrays(*m_module, m_lines, m_types).describe(m_bodies);
        m_lines.finish();
        return std::move(m_module);
    }

private:
    // ---- Functions ----

    void declareFunctions()
    {
        std::set<std::string> defined;
        for (const PtxFunction& function : m_source.functions)
            if (function.hasBody && defined.insert(function.name).second)
                m_bodies.push_back(&function);
        for (const PtxFunction* function : m_bodies)
            declareFunction(*function);
        for (const PtxFunction& function : m_source.functions)
            if (!m_names.functions.contains(function.name))
                declareFunction(function);
        for (const auto& [name, of] : m_source.aliases)
            if (const auto found = m_names.functions.find(of); found != m_names.functions.end())
                m_names.functions[name] = found->second;
    }

    void declareFunction(const PtxFunction& function)
    {
        llvm::FunctionType* type = libraryType(function.name);
        if (!type || function.hasBody)
            type = ptxFunctionType(m_context, function.results, function.parameters, function.isEntry);
        auto* made = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, function.name, *m_module);
        if (function.isEntry)
            made->setCallingConv(llvm::CallingConv::PTX_Kernel);
        for (unsigned i = 0; i < function.parameters.size() && i < made->arg_size(); ++i) {
            const PtxVariable& parameter = function.parameters[i];
            made->getArg(i)->setName(parameter.name);
            if (!parameter.isArray)
                continue;
            made->addParamAttr(i, llvm::Attribute::getWithByValType(m_context, ptxVariableType(m_context, parameter)));
            made->addParamAttr(i, llvm::Attribute::getWithAlignment(m_context, llvm::Align(alignmentOfPtx(parameter))));
        }
        m_names.functions[function.name] = made;
    }

    /// Of what the simulator has itself, as a compiler of CUDA declares it; null: it is none of these.
    llvm::FunctionType* libraryType(const std::string& name)
    {
        Type *pointer = llvm::PointerType::get(m_context, 0), *word = Type::getInt32Ty(m_context);
        Type *wide = Type::getInt64Ty(m_context), *nothing = Type::getVoidTy(m_context);
        if (name == "vprintf")
            return llvm::FunctionType::get(word, {pointer, pointer}, false);
        if (name == "malloc")
            return llvm::FunctionType::get(pointer, {wide}, false);
        if (name == "free")
            return llvm::FunctionType::get(nothing, {pointer}, false);
        if (name == "__assertfail")
            return llvm::FunctionType::get(nothing, {pointer, pointer, word, pointer, wide}, false);
        return nullptr;
    }

    // ---- Variables ----

    void declareVariable(const PtxVariable& variable)
    {
        llvm::GlobalVariable*& known = m_names.variables[variable.name];
        if (known)
            return;
        if (variable.space == "shared") {
            known = addSharedVariable(*m_module, variable, variable.name);
            return;
        }
        Type* type = valueType(variable);
        known = new llvm::GlobalVariable(*m_module, type, false, llvm::GlobalValue::ExternalLinkage,
                                         variable.isExternal ? nullptr : Constant::getNullValue(type), variable.name,
                                         nullptr, llvm::GlobalValue::NotThreadLocal,
                                         variable.space == "const" ? kConstantSpace : kGlobalSpace);
        known->setAlignment(llvm::Align(alignmentOfPtx(variable)));
        if (variable.isManaged)
            known->setSection("lanescope_managed");
    }

    static bool isName(const PtxOperand& value) { return value.kind == PtxOperand::Kind::Register; }

    /// With pointers where the initial values are names.
    Type* valueType(const PtxVariable& variable)
    {
        if (std::ranges::none_of(variable.values, isName))
            return ptxVariableType(m_context, variable);
        PtxVariable one = variable;
        one.isArray = false;
        one.count = 1;
        std::vector<Type*> types;
        for (const PtxOperand& value : variable.values)
            types.push_back(isName(value) ? llvm::PointerType::get(m_context, 0) : ptxVariableType(m_context, one));
        if (variable.count > variable.values.size())
            types.push_back(
                llvm::ArrayType::get(ptxVariableType(m_context, one), variable.count - variable.values.size()));
        return llvm::StructType::get(m_context, types, true);
    }

    Result<void> initialise(const PtxVariable& variable)
    {
        llvm::GlobalVariable* global = m_names.variables.at(variable.name);
        if (variable.values.empty() || variable.space == "shared" || variable.isExternal)
            return {};
        const auto problem = [&](const std::string& what) {
            return Error{Error::Code::BadInput, "the variable '" + variable.name + "' " + what,
                         m_names.name + ":" + std::to_string(variable.line)};
        };
        if (variable.values.size() > variable.count)
            return problem("has more values than elements");
        if (variable.count > kMostElements)
            return problem("has initial values and too many elements");
        std::vector<Constant*> values;
        for (size_t i = 0; i < variable.values.size(); ++i) {
            Type* type = global->getValueType();
            if (auto* structure = llvm::dyn_cast<llvm::StructType>(type))
                type = structure->getElementType(static_cast<unsigned>(i));
            else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
                type = array->getElementType();
            Constant* value = constant(variable.values[i], type);
            if (!value)
                return problem("has the value '" + variable.values[i].name + "', which is not known");
            values.push_back(value);
        }
        global->setInitializer(whole(global->getValueType(), std::move(values)));
        return {};
    }

    static Constant* whole(Type* type, std::vector<Constant*> values)
    {
        if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
            while (values.size() < structure->getNumElements())
                values.push_back(
                    Constant::getNullValue(structure->getElementType(static_cast<unsigned>(values.size()))));
            return llvm::ConstantStruct::get(structure, values);
        }
        auto* array = llvm::dyn_cast<llvm::ArrayType>(type);
        if (!array)
            return values.front();
        values.resize(array->getNumElements(), Constant::getNullValue(array->getElementType()));
        return llvm::ConstantArray::get(array, values);
    }

    /// Null: the name is not known.
    Constant* constant(const PtxOperand& value, Type* type)
    {
        if (isName(value))
            return addressOf(value);
        const auto bits = static_cast<uint64_t>(value.integer);
        if (value.kind == PtxOperand::Kind::Integer)
            return type->isIntegerTy() ? static_cast<Constant*>(llvm::ConstantInt::get(type, bits))
                                       : llvm::ConstantFP::get(type, static_cast<double>(value.integer));
        if (type->isIntegerTy())
            return llvm::ConstantInt::get(type, bits);
        const double number = value.isSingle ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                                             : std::bit_cast<double>(bits);
        return llvm::ConstantFP::get(type, number);
    }

    Constant* addressOf(const PtxOperand& value)
    {
        Constant* base = nullptr;
        if (const auto variable = m_names.variables.find(value.name); variable != m_names.variables.end())
            base = variable->second;
        else if (const auto function = m_names.functions.find(value.name); function != m_names.functions.end())
            base = function->second;
        if (!base || (llvm::isa<llvm::GlobalVariable>(base) &&
                      llvm::cast<llvm::GlobalVariable>(base)->getAddressSpace() == kPtxSharedSpace))
            return nullptr;
        base = llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(base, llvm::PointerType::get(m_context, 0));
        if (value.integer == 0)
            return base;
        return llvm::ConstantExpr::getGetElementPtr(
            Type::getInt8Ty(m_context), base,
            llvm::ConstantInt::get(Type::getInt64Ty(m_context), static_cast<uint64_t>(value.integer)));
    }

    const PtxModule& m_source;
    std::string_view m_text;
    llvm::LLVMContext& m_context;
    std::unique_ptr<llvm::Module> m_module;
    PtxLines m_lines;
    PtxTypes m_types{m_lines.builder(), m_lines.fileOf(0)};
    PtxModuleNames m_names;
    std::vector<const PtxFunction*> m_bodies;
};

}  // namespace

namespace {

/// Whether all that the body does with a parameter is to read it whole, as one number.
bool isReadWhole(const PtxText& body, const PtxVariable& parameter, const std::string& type)
{
    const auto names = [&](const PtxOperand& operand) { return operand.name == parameter.name; };
    return std::ranges::all_of(body.statements, [&](const PtxStatement& each) {
        if (std::ranges::none_of(each.operands, names))
            return true;
        return each.operands.size() == 2 && each.opcode.front() == "ld" && each.operands[1].integer == 0 &&
               each.operands[1].elements.empty() && each.operands[1].kind == PtxOperand::Kind::Address &&
               each.operands[0].kind == PtxOperand::Kind::Register && each.opcode.back() == type;
    });
}

/// Structs of one number, as Mojo passes its pointers and tensors, are that number.
void unwrapParameters(PtxModule& module)
{
    for (PtxFunction& function : module.functions)
        for (PtxVariable& parameter : function.parameters) {
            const uint64_t bytes = bytesOfPtxType(parameter.type) * parameter.count;
            if (!function.isEntry || !parameter.isArray || (bytes != 4 && bytes != 8))
                continue;
            const std::string type = bytes == 4 ? "b32" : "b64";
            if (!isReadWhole(function.body, parameter, type))
                continue;
            parameter.isArray = false;
            parameter.count = 1;
            parameter.type = type;
        }
}

}  // namespace

Result<std::unique_ptr<llvm::Module>> readPtxModule(std::string_view text, const std::string& name,
                                                    llvm::LLVMContext& context)
{
    text = text.substr(0, text.find('\0'));
    std::string problem;
    uint32_t line = 0;
    std::optional<PtxModule> source = parsePtxModule(text, problem, line);
    if (!source)
        return Error{Error::Code::BadInput, "the PTX is damaged or not known here: " + problem,
                     name + ":" + std::to_string(line)};
    unwrapParameters(*source);
    return ModuleBuilder(*source, text, name, context).run();
}

}  // namespace lanescope::simt
