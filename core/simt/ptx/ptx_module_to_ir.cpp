// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_module_to_ir.h"

#include <algorithm>
#include <bit>
#include <set>

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include "core/simt/ptx/element_types.h"
#include "core/simt/ptx/parameter_names.h"
#include "core/simt/ptx/ptx_function.h"
#include "core/simt/ptx/ptx_types.h"

namespace lanescope::simt {
namespace {

using llvm::Constant;
using llvm::Type;

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 4;
constexpr uint64_t kMostElements = uint64_t{1} << 26;  ///< of a variable with initial values

class ModuleBuilder {
public:
    ModuleBuilder(const PtxModule& source, std::string_view text, const std::string& name, llvm::LLVMContext& context)
        : m_source(source), m_context(context), m_module(std::make_unique<llvm::Module>(name, context)),
          m_lines(source, text, name, *m_module)
    {
        m_names.name = name;
        m_module->setTargetTriple("nvptx64-nvidia-cuda");
        m_module->setDataLayout("e-i64:64-i128:128-v16:16-v32:32-n16:32:64");
    }

    Result<std::unique_ptr<llvm::Module>> run()
    {
        declareFunctions();
        for (const PtxVariable& variable : m_source.variables)
            declareVariable(variable);
        for (const PtxVariable& variable : m_source.variables)
            if (auto done = initialise(variable); !done)
                return done.error();
        for (const PtxFunction* function : m_bodies)
            PtxFunctionBuilder(*function, *m_names.functions.at(function->name), m_names, m_lines, m_types).build();
        for (const PtxFunction* function : m_bodies) {
            typeMovedValues(*m_names.functions.at(function->name));
            if (function->isEntry)
                finishEntry(*function);
        }
        describeArrays();
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

    /// Addresses among the parameters become pointers; what the launch bounds are is noted.
    void finishEntry(const PtxFunction& source)
    {
        llvm::Function& old = *m_names.functions.at(source.name);
        const std::vector<const PtxSourceVariable*> known = parametersOf(source, m_lines.debugInfo());
        const std::vector<std::string> named = namesInSource(*old.getSubprogram(), old.arg_size());
        std::vector<Type*> types;
        for (llvm::Argument& argument : old.args()) {
            const unsigned index = argument.getArgNo();
            llvm::DIType* said = index < known.size() && known[index] ? m_types.typeOf(known[index]->type) : nullptr;
            const bool isData = index > 0 && index < named.size() && named[index - 1] == named[index] + ".itemsize";
            const bool isAddress = pointerMadeOf(argument) || source.parameters[index].isPointer || isData ||
                                   (said && isPointerType(*said));
            types.push_back(isAddress && argument.getType()->isIntegerTy(64)
                                ? static_cast<Type*>(llvm::PointerType::get(m_context, 0))
                                : argument.getType());
        }
        auto* type = llvm::FunctionType::get(old.getReturnType(), types, false);
        llvm::Function* entry = &old;
        if (type != old.getFunctionType())
            entry = replaced(old, type);
        noteBounds(*entry, source);
        describeParameters(*entry, source);
    }

    /// Names and types, as far as debug information, the text and the accesses tell them.
    void describeParameters(llvm::Function& entry, const PtxFunction& source)
    {
        llvm::DIBuilder& build = m_lines.builder();
        llvm::DISubprogram* subprogram = entry.getSubprogram();
        const std::vector<const PtxSourceVariable*> known = parametersOf(source, m_lines.debugInfo());
        const std::vector<std::string> named =
            known.empty() ? namesInSource(*subprogram, entry.arg_size()) : std::vector<std::string>{};
        for (llvm::Argument& argument : entry.args()) {
            const unsigned index = argument.getArgNo();
            const PtxSourceVariable* variable = index < known.size() ? known[index] : nullptr;
            llvm::DIType* type = variable ? m_types.typeOf(variable->type) : nullptr;
            const bool isAddress = argument.getType()->isPointerTy() && !argument.hasByValAttr();
            if (!type || (isAddress && !isPointerType(*type)))
                type = typeOfArgument(argument);
            const std::string name = variable               ? variable->name
                                     : index < named.size() ? named[index]
                                                            : plainName(source, index);
            argument.setName(name);
            if (type)
                build.createParameterVariable(subprogram, name, index + 1, subprogram->getFile(), subprogram->getLine(),
                                              type, true);
        }
    }

    static bool isPointerType(const llvm::DIType& type)
    {
        const llvm::DIType* at = &type;
        while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(at)) {
            if (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type)
                return true;
            at = derived->getBaseType();
        }
        return false;
    }

    /// As the accesses tell; null: nothing.
    llvm::DIType* typeOfArgument(const llvm::Argument& argument)
    {
        llvm::DIBuilder& build = m_lines.builder();
        if (!argument.getType()->isPointerTy())
            return debugTypeOf(build, argument.getType());
        if (argument.hasByValAttr())
            return build.createBasicType("bytes",
                                         m_module->getDataLayout().getTypeAllocSizeInBits(argument.getParamByValType()),
                                         llvm::dwarf::DW_ATE_unsigned);
        llvm::Type* element = elementTypeOf(argument);
        return build.createPointerType(element ? debugTypeOf(build, element) : nullptr, 64);
    }

    /// Without the function's name before it.
    static std::string plainName(const PtxFunction& source, unsigned index)
    {
        const std::string& name = source.parameters[index].name;
        const std::string prefix = source.name + "_";
        return name.starts_with(prefix) && name.size() > prefix.size() ? name.substr(prefix.size()) : name;
    }

    /// Arrays in shared memory belong to who uses them first.
    void describeArrays()
    {
        matchArrays();
        for (llvm::GlobalVariable& global : m_module->globals()) {
            const llvm::Function* user = userOf(global);
            llvm::DISubprogram* subprogram = user ? user->getSubprogram() : nullptr;
            if (!subprogram)
                continue;
            const PtxSourceVariable* known = sourceVariableOf(global, user->getName().str());
            llvm::DIType* type = known ? m_types.typeOf(known->type) : nullptr;
            if (type)
                global.addDebugInfo(m_lines.builder().createGlobalVariableExpression(
                    subprogram, known->name, global.getName(), m_lines.fileOf(known->file), known->line, type, true));
            else
                describeByAccesses(global, *user);
        }
    }

    /// Mojo says which variables of a kernel are structs, but of those that stand for shared arrays not where they are:
    /// as many of them as there are arrays are these, in order.
    void matchArrays()
    {
        for (const PtxFunction* function : m_bodies) {
            const PtxSourceFunction* known = m_lines.debugInfo().find(function->name);
            std::vector<const PtxSourceVariable*> structs;
            for (size_t i = 0; known && i < known->variables.size(); ++i)
                if (const PtxSourceVariable& variable = known->variables[i];
                    variable.places.empty() && !variable.isParameter &&
                    variable.type.getTag() == llvm::dwarf::DW_TAG_structure_type)
                    structs.push_back(&variable);
            std::vector<std::string> arrays;
            for (const PtxVariable& variable : function->body.variables)
                if (variable.space == "shared" && variable.name.starts_with(function->name))
                    arrays.push_back(variable.name);
            for (size_t i = 0; structs.size() == arrays.size() && i < arrays.size(); ++i)
                m_arrays[arrays[i]] = structs[i];
        }
    }

    void describeByAccesses(llvm::GlobalVariable& global, const llvm::Function& user)
    {
        llvm::DISubprogram* subprogram = user.getSubprogram();
        std::string name = llvm::demangle(global.getName().str());
        if (const size_t colons = name.rfind("::"); colons != std::string::npos)
            name = name.substr(colons + 2);
        if (name.starts_with(user.getName().str() + "_"))
            name = name.substr(user.getName().size() + 1);
        const auto known = m_arrays.find(global.getName().str());
        const bool isKnown = known != m_arrays.end();
        describeArray(m_lines.builder(), subprogram, isKnown ? known->second->name : name,
                      isKnown ? m_lines.fileOf(known->second->file) : subprogram->getFile(),
                      isKnown ? known->second->line : subprogram->getLine(), global);
    }

    const PtxSourceVariable* sourceVariableOf(const llvm::GlobalVariable& global, const std::string& function)
    {
        const PtxSourceFunction* known = m_lines.debugInfo().find(function);
        for (size_t i = 0; known && i < known->variables.size(); ++i)
            for (const PtxSourceVariable::Place& place : known->variables[i].places)
                if (place.name == global.getName())
                    return &known->variables[i];
        return nullptr;
    }

    static const llvm::Function* userOf(const llvm::Value& value)
    {
        for (const llvm::User* user : value.users()) {
            if (const auto* instr = llvm::dyn_cast<llvm::Instruction>(user))
                return instr->getFunction();
            if (const llvm::Function* found = llvm::isa<llvm::GlobalVariable>(user) ? nullptr : userOf(*user))
                return found;
        }
        return nullptr;
    }

    /// The pointer that a number of an argument is made into, and for nothing else.
    static llvm::Instruction* pointerMadeOf(llvm::Argument& argument)
    {
        return argument.hasOneUse() && argument.getType()->isIntegerTy(64)
                   ? llvm::dyn_cast<llvm::IntToPtrInst>(*argument.user_begin())
                   : nullptr;
    }

    llvm::Function* replaced(llvm::Function& old, llvm::FunctionType* type)
    {
        llvm::Function* entry = llvm::Function::Create(type, old.getLinkage(), "", m_module.get());
        entry->copyAttributesFrom(&old);
        entry->setCallingConv(old.getCallingConv());
        entry->takeName(&old);
        entry->setSubprogram(old.getSubprogram());
        old.setSubprogram(nullptr);
        entry->splice(entry->begin(), &old);
        for (llvm::Argument& argument : old.args()) {
            llvm::Argument* now = entry->getArg(argument.getArgNo());
            now->setName(argument.getName());
            if (now->getType() == argument.getType()) {
                argument.replaceAllUsesWith(now);
            } else if (llvm::Instruction* pointer = pointerMadeOf(argument)) {
                pointer->replaceAllUsesWith(now);
                pointer->eraseFromParent();
            } else {
                llvm::IRBuilder<> build(&*entry->getEntryBlock().getFirstInsertionPt());
                argument.replaceAllUsesWith(build.CreatePtrToInt(now, argument.getType()));
            }
        }
        for (auto& [name, function] : m_names.functions)
            if (function == &old)
                function = entry;
        old.replaceAllUsesWith(entry);
        old.eraseFromParent();
        return entry;
    }

    void noteBounds(llvm::Function& entry, const PtxFunction& source)
    {
        std::vector<llvm::Metadata*> operands{llvm::ValueAsMetadata::get(&entry)};
        const auto add = [&](const char* name, uint64_t value) {
            operands.push_back(llvm::MDString::get(m_context, name));
            operands.push_back(llvm::ConstantAsMetadata::get(
                llvm::ConstantInt::get(Type::getInt32Ty(m_context), static_cast<uint32_t>(value))));
        };
        constexpr const char* kNames[] = {"maxntidx", "maxntidy", "maxntidz"};
        for (size_t i = 0; i < source.maxThreads.size() && i < 3; ++i)
            add(kNames[i], source.maxThreads[i]);
        if (source.minBlocks != 0)
            add("minctasm", source.minBlocks);
        if (operands.size() > 1)
            m_module->getOrInsertNamedMetadata("nvvm.annotations")->addOperand(llvm::MDNode::get(m_context, operands));
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
    llvm::LLVMContext& m_context;
    std::unique_ptr<llvm::Module> m_module;
    PtxLines m_lines;
    PtxTypes m_types{m_lines.builder(), m_lines.fileOf(0)};
    PtxModuleNames m_names;
    std::vector<const PtxFunction*> m_bodies;
    std::map<std::string, const PtxSourceVariable*> m_arrays;  ///< what shared arrays stand for
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
