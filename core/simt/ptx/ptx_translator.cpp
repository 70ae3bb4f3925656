// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers, statements and values; which function is for which instruction.
#include "core/simt/ptx/ptx_translator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "core/simt/ptx/instruction_names.h"
#include "core/simt/ptx/ptx_to_ir.h"
#include "core/simt/ptx/register_types.h"

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::Type;
using llvm::Value;

// ---- Registers ----

namespace {

/// "b32", "f16x2", …
unsigned registerBits(const std::string& type)
{
    constexpr std::string_view kLetters = "busf";
    if (type.size() > 1 && kLetters.find(type[0]) != kLetters.npos) {
        char* end = nullptr;
        const unsigned long width = std::strtoul(type.c_str() + 1, &end, 10);
        const unsigned long count = std::string_view(end) == "x2" ? width * 2 : *end ? 0 : width;
        for (const unsigned long bits : {8ul, 16ul, 32ul, 64ul, 128ul})
            if (count == bits)
                return static_cast<unsigned>(bits);
    }
    throw UnknownPtx{"register type '" + type + "'"};
}

}  // namespace

void PtxTranslator::declare(const std::string& name, Type* type, Value* value)
{
    m_registers[name] = {type, value, nullptr};
}

void PtxTranslator::tie(const std::string& name, Value* value)
{
    Register& reg = m_registers.at(name);
    reg.value = fit(value, reg.type);
}

void PtxTranslator::declareRegisters()
{
    const std::set<std::string> floats = m_names ? floatRegisters(m_text) : std::set<std::string>{};
    for (const PtxRegister& reg : m_text.registers) {
        if (reg.name.starts_with('$') && !m_names)
            throw UnknownPtx{"register '" + reg.name + "', which is an operand"};
        const bool isFloat = floats.contains(reg.name);
        Type* type = reg.type == "pred"                                    ? bits(1)
                     : reg.type == "f32" || (isFloat && reg.type == "b32") ? m_build.getFloatTy()
                     : reg.type == "f64" || isFloat                        ? m_build.getDoubleTy()
                                                    : static_cast<Type*>(bits(registerBits(reg.type)));
        declare(reg.name, type, llvm::PoisonValue::get(type));
    }
    if (m_names)
        declare(kCarryName, bits(1), m_build.getFalse());
}

/// Null: there is no register of that name.
Value* PtxTranslator::read(const std::string& name)
{
    const auto found = m_registers.find(name);
    if (found == m_registers.end())
        return nullptr;
    const Register& reg = found->second;
    return reg.slot ? m_build.CreateLoad(reg.type, reg.slot) : reg.value;
}

void PtxTranslator::write(const std::string& name, Value* value)
{
    const auto found = m_registers.find(name);
    if (found == m_registers.end())
        throw UnknownPtx{"result '" + name + "'"};
    Register& reg = found->second;
    value = fit(value, reg.type);
    if (m_guard)
        value = m_build.CreateSelect(m_guard, value, read(name));
    if (reg.slot) {
        m_build.CreateStore(value, reg.slot);
        return;
    }
    if (m_notesWrites)
        m_before.try_emplace(name, reg.value);
    reg.value = value;
}

/// Null: there is none of that name.
Type* PtxTranslator::registerType(const std::string& name) const
{
    const auto found = m_registers.find(name);
    return found == m_registers.end() ? nullptr : found->second.type;
}

// ---- Statements ----

void PtxTranslator::run()
{
    // Everything of an inline statement is known before anything is written.
    for (const PtxStatement& each : m_text.statements)
        if (!m_names && each.label.empty() && !familyOf(each))
            unknown(each);
    findLabels();
    if (m_names || hasBranches())
        makeSlots();
    for (const PtxStatement& each : m_text.statements)
        m_names ? known(each) : statement(each);
    storeCarry();
}

void PtxTranslator::unknown(const PtxStatement& statement) const
{
    throw UnknownPtx{"instruction '" + statement.text + "'"};
}

/// A statement of a module's function: what is not known of it is said by a call.
void PtxTranslator::known(const PtxStatement& s)
{
    m_build.SetCurrentDebugLocation(m_names->locationOf(s));
    try {
        if (!s.problem.empty())
            throw UnknownPtx{s.problem};
        if (s.label.empty() && !familyOf(s))
            unknown(s);
        statement(s);
        m_names->passed(s, *this);
    } catch (const UnknownPtx& problem) {
        note(s, problem.what);
    } catch (const std::out_of_range&) {
        note(s, "instruction '" + s.text + "', which has too few operands");
    }
}

void PtxTranslator::note(const PtxStatement& s, const std::string& what)
{
    m_guard = nullptr;
    m_notesWrites = false;
    m_build.SetInsertPoint(&m_place);
    m_build.SetCurrentDebugLocation(m_names->locationOf(s));
    auto* type = llvm::FunctionType::get(m_build.getVoidTy(), false);
    llvm::CallInst* call = m_build.CreateCall(m_place.getModule()->getOrInsertFunction("__ls_ptx_problem", type));
    llvm::LLVMContext& context = m_build.getContext();
    call->setMetadata(kPtxProblem,
                      llvm::MDNode::get(context, llvm::MDString::get(context, m_names->problemOf(s, what))));
}

const PtxTranslator::Family* PtxTranslator::familyOf(const PtxStatement& statement)
{
    using T = PtxTranslator;
    static const Family kFamilies[] = {
        {"mov", &T::move, false},
        {"add", &T::add, false},
        {"addc", &T::add, false},
        {"sub", &T::add, false},
        {"subc", &T::add, false},
        {"mul", &T::multiply, false},
        {"mul24", &T::multiply, false},
        {"mad", &T::multiplyAdd, false},
        {"madc", &T::multiplyAdd, false},
        {"mad24", &T::multiplyAdd, false},
        {"fma", &T::multiplyAdd, false},
        {"div", &T::divide, false},
        {"rem", &T::divide, false},
        {"min", &T::extreme, false},
        {"max", &T::extreme, false},
        {"abs", &T::unary, false},
        {"neg", &T::unary, false},
        {"not", &T::unary, false},
        {"cnot", &T::unary, false},
        {"and", &T::logic, false},
        {"or", &T::logic, false},
        {"xor", &T::logic, false},
        {"shl", &T::shift, false},
        {"shr", &T::shift, false},
        {"shf", &T::funnel, false},
        {"bfe", &T::bitField, false},
        {"bfi", &T::bitField, false},
        {"clz", &T::countBits, false},
        {"popc", &T::countBits, false},
        {"brev", &T::countBits, false},
        {"bfind", &T::countBits, false},
        {"fns", &T::findSet, false},
        {"lop3", &T::lookup3, false},
        {"prmt", &T::permute, false},
        {"bmsk", &T::bitMask, false},
        {"szext", &T::bitMask, false},
        {"testp", &T::testProperty, false},
        {"sad", &T::difference, false},
        {"dp4a", &T::dotProduct, false},
        {"dp2a", &T::dotProduct, false},
        {"vadd", &T::video, false},
        {"vadd2", &T::video, false},
        {"vadd4", &T::video, false},
        {"vsub", &T::video, false},
        {"vsub2", &T::video, false},
        {"vsub4", &T::video, false},
        {"vabsdiff", &T::video, false},
        {"vabsdiff2", &T::video, false},
        {"vabsdiff4", &T::video, false},
        {"vmin", &T::video, false},
        {"vmin2", &T::video, false},
        {"vmin4", &T::video, false},
        {"vmax", &T::video, false},
        {"vmax2", &T::video, false},
        {"vmax4", &T::video, false},
        {"vshl", &T::video, false},
        {"vshr", &T::video, false},
        {"vmad", &T::videoMultiplyAdd, false},
        {"vset", &T::video, false},
        {"vset2", &T::video, false},
        {"vset4", &T::video, false},
        {"vavrg2", &T::video, false},
        {"vavrg4", &T::video, false},
        {"setp", &T::compare, false},
        {"set", &T::compare, false},
        {"selp", &T::select, false},
        {"slct", &T::select, false},
        {"cvt", &T::convert, false},
        {"cvta", &T::convertAddress, false},
        {"rcp", &T::function, false},
        {"sqrt", &T::function, false},
        {"rsqrt", &T::function, false},
        {"ex2", &T::function, false},
        {"lg2", &T::function, false},
        {"sin", &T::function, false},
        {"cos", &T::function, false},
        {"tanh", &T::function, false},
        {"copysign", &T::function, false},
        {"ld", &T::load, true},
        {"ldu", &T::load, true},
        {"st", &T::store, true},
        {"atom", &T::atomic, true},
        {"red", &T::atomic, true},
        {"shfl", &T::shuffle, true},
        {"vote", &T::vote, true},
        {"match", &T::match, true},
        {"redux", &T::reduceLanes, true},
        {"activemask", &T::activeMask, true},
        {"elect", &T::elect, false},
        {"isspacep", &T::isInSpace, false},
        {"mapa", &T::rank, false},
        {"getctarank", &T::rank, false},
        {"bar", &T::barrier, true},
        {"barrier", &T::barrier, true},
        {"mbarrier", &T::memoryBarrier, true},
        {"cp", &T::copyAsync, true},
        {"exit", &T::exitThread, true},
        {"trap", &T::trap, true},
        {"brkpt", &T::trap, true},
        {"nanosleep", &T::sleep, true},
        {"ldmatrix", &T::transferMatrix, true},
        {"stmatrix", &T::transferMatrix, true},
        {"movmatrix", &T::moveMatrix, true},
        {"mma", &T::multiplyMatrix, true},
        {"wgmma", &T::warpgroup, true},
        {"bra", &T::branch, true},
        {"brx", &T::branchByTable, true},
        {"call", &T::call, true},
        {"ret", &T::leave, true},
        {"membar", &T::fence, true},
        {"fence", &T::fence, true},
        {"createpolicy", &T::createPolicy, false},
        {"prefetch", &T::nothing, true},
        {"prefetchu", &T::nothing, true},
        {"applypriority", &T::nothing, true},
        {"pmevent", &T::nothing, true},
        {"griddepcontrol", &T::controlDependents, true},
        {"setmaxnreg", &T::setRegisters, true},
    };
    for (const Family& family : kFamilies)
        if (!statement.opcode.empty() && statement.opcode.front() == family.opcode)
            return &family;
    return nullptr;
}

namespace {

/// What the builder makes while this is there has the instruction's name (instruction_names.h).
class NamedCode {
public:
    NamedCode(llvm::IRBuilder<>& build, const PtxStatement& statement) : m_build(build)
    {
        constexpr auto kNamed =
            std::to_array<std::string_view>({"mbarrier", "cp", "ldmatrix", "stmatrix", "mma", "wgmma"});
        if (std::ranges::find(kNamed, statement.opcode.front()) == kNamed.end())
            return;
        std::string name;
        for (const std::string& part : statement.opcode)
            name += (name.empty() ? "" : ".") + part;
        llvm::LLVMContext& context = build.getContext();
        begin(llvm::MDNode::get(context, llvm::MDString::get(context, name)));
        m_isNamed = true;
    }
    ~NamedCode()
    {
        if (m_isNamed)
            begin(nullptr);
    }
    NamedCode(const NamedCode&) = delete;
    NamedCode& operator=(const NamedCode&) = delete;

private:
    /// The builder takes metadata from an instruction only.
    void begin(llvm::MDNode* name)
    {
        llvm::LLVMContext& context = m_build.getContext();
        auto* carrier = new llvm::UnreachableInst(context);
        carrier->setMetadata(kInstructionName, name);
        m_build.CollectMetadataToCopy(carrier, context.getMDKindID(kInstructionName));
        carrier->deleteValue();
    }

    llvm::IRBuilder<>& m_build;
    bool m_isNamed = false;
};

}  // namespace

void PtxTranslator::statement(const PtxStatement& statement)
{
    if (!statement.label.empty())
        return label(statement);
    const NamedCode named(m_build, statement);
    const Family& family = *familyOf(statement);
    if (statement.predicate.empty() || family.handler == &PtxTranslator::branch)
        return (this->*family.handler)(statement);
    predicated(statement, family);
}

Value* PtxTranslator::guardOf(const PtxStatement& statement)
{
    PtxOperand guard;
    guard.kind = PtxOperand::Kind::Register;
    guard.name = statement.predicate;
    guard.isNegated = statement.predicateNegated;
    return predicate(guard);
}

/// @p instruction: results are chosen by a select; effects happen behind a branch.
void PtxTranslator::predicated(const PtxStatement& statement, const Family& family)
{
    Value* condition = guardOf(statement);
    if (!family.hasEffects) {
        Value* carryBefore = m_carry;
        m_guard = condition;
        (this->*family.handler)(statement);
        m_guard = nullptr;
        if (m_carry != carryBefore) {
            Value* set = std::exchange(m_carry, carryBefore);
            m_carry = m_build.CreateSelect(condition, set, carry());
        }
        return;
    }
    llvm::BasicBlock* from = m_build.GetInsertBlock();
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(condition, &m_place, false);
    then->setDebugLoc(m_build.getCurrentDebugLocation());
    m_build.SetInsertPoint(then);
    m_notesWrites = true;
    m_before.clear();
    (this->*family.handler)(statement);
    m_notesWrites = false;
    llvm::BasicBlock* last = m_build.GetInsertBlock();
    m_build.SetInsertPoint(&m_place);
    for (const auto& [name, before] : m_before) {
        Value*& value = m_registers.at(name).value;
        llvm::PHINode* phi = llvm::PHINode::Create(value->getType(), 2, "", m_place.getParent()->begin());
        phi->addIncoming(value, last);
        phi->addIncoming(before, from);
        value = phi;
    }
}

// ---- Values ----

/// Same bits in another type; what is too wide is cut, what is too narrow is filled with zeros.
Value* PtxTranslator::fit(Value* value, Type* type)
{
    Type* from = value->getType();
    if (from == type)
        return value;
    if (from->isPointerTy())
        value = m_build.CreatePtrToInt(value, bits(64));
    else if (!from->isIntegerTy())
        value = m_build.CreateBitCast(value, bits(static_cast<unsigned>(from->getPrimitiveSizeInBits())));
    if (type->isPointerTy())
        return m_build.CreateIntToPtr(m_build.CreateZExtOrTrunc(value, bits(64)), type);
    if (type->isIntegerTy())
        return m_build.CreateZExtOrTrunc(value, type);
    return m_build.CreateBitCast(
        m_build.CreateZExtOrTrunc(value, bits(static_cast<unsigned>(type->getPrimitiveSizeInBits()))), type);
}

namespace {

/// Whether LLVM takes \p name for an operation of that type, or for a function that it knows nothing of.
bool isSound(const std::string& name, llvm::FunctionType* type, llvm::Module& module)
{
    if (const llvm::Function* known = module.getFunction(name))
        return known->getFunctionType() == type;
    const llvm::Intrinsic::ID id = llvm::Function::lookupIntrinsicID(name);
    llvm::SmallVector<Type*, 4> overloads;
    if (id == llvm::Intrinsic::not_intrinsic)
        return true;
    return llvm::Intrinsic::getIntrinsicSignature(id, type, overloads) &&
           llvm::Intrinsic::getName(id, overloads, &module, type) == name;
}

}  // namespace

Value* PtxTranslator::intrinsic(const std::string& name, Type* result, llvm::ArrayRef<Value*> arguments)
{
    std::vector<Type*> types;
    for (Value* argument : arguments)
        types.push_back(argument->getType());
    auto* type = llvm::FunctionType::get(result, types, false);
    if (!isSound(name, type, *m_place.getModule()))
        throw UnknownPtx{"operation " + name + ", which is not there for these types"};
    return m_build.CreateCall(m_place.getModule()->getOrInsertFunction(name, type), arguments);
}

Value* PtxTranslator::specialRegister(const std::string& name)
{
    std::string reg = name.substr(1);
    constexpr const char* kPrefix = "llvm.nvvm.read.ptx.sreg.";
    if (reg == "clock_hi")
        return m_build.CreateTrunc(m_build.CreateLShr(intrinsic(std::string(kPrefix) + "clock64", bits(64), {}), 32),
                                   bits(32));
    if (reg == "globaltimer_lo" || reg == "globaltimer_hi") {
        Value* time = intrinsic(std::string(kPrefix) + "globaltimer", bits(64), {});
        return m_build.CreateTrunc(reg.ends_with("hi") ? m_build.CreateLShr(time, 32) : time, bits(32));
    }
    if (reg == "clock64" || reg == "globaltimer")
        return intrinsic(kPrefix + reg, bits(64), {});
    if (reg == "is_explicit_cluster")
        return m_build.CreateIsNotNull(intrinsic("__ls_explicit_cluster", bits(32), {}));
    constexpr const char* kOfClusters[] = {
        "cluster_ctaid.x",  "cluster_ctaid.y",  "cluster_ctaid.z",  "cluster_ctarank", "cluster_nctaid.x",
        "cluster_nctaid.y", "cluster_nctaid.z", "cluster_nctarank", "clusterid.x",     "clusterid.y",
        "clusterid.z",      "nclusterid.x",     "nclusterid.y",     "nclusterid.z"};
    for (const std::string_view known : kOfClusters)
        if (reg == known) {
            std::replace(reg.begin(), reg.end(), '_', '.');
            return intrinsic(kPrefix + reg, bits(32), {});
        }
    if (reg == "WARP_SZ")
        return m_build.getInt32(32);
    // Where the blocks of a cooperative launch meet (PtxNames::kGridWorkspace): the upper half of an address, the
    // lower.
    if (m_names && (reg == "envreg1" || reg == "envreg2")) {
        PtxOperand workspace;
        workspace.kind = PtxOperand::Kind::Register;
        workspace.name = PtxNames::kGridWorkspace;
        Value* address = symbol(workspace, bits(64));
        return m_build.CreateTrunc(reg == "envreg1" ? m_build.CreateLShr(address, 32) : address, bits(32));
    }
    constexpr const char* kKnown[] = {"tid.x",          "tid.y",    "tid.z",   "ntid.x",  "ntid.y",
                                      "ntid.z",         "ctaid.x",  "ctaid.y", "ctaid.z", "nctaid.x",
                                      "nctaid.y",       "nctaid.z", "laneid",  "warpid",  "nwarpid",
                                      "smid",           "nsmid",    "gridid",  "clock",   "dynamic_smem_size",
                                      "total_smem_size"};
    for (const char* known : kKnown)
        if (reg == known)
            return intrinsic(kPrefix + reg, bits(32), {});
    if (reg.starts_with("lanemask_"))
        return intrinsic(kPrefix + ("lanemask." + reg.substr(9)), bits(32), {});
    throw UnknownPtx{"register '" + name + "'"};
}

/// Bits of a value in a register.
unsigned PtxTranslator::widthOf(const Type* type)
{
    return type->isPointerTy() ? 64 : static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
}

/// Of each element of a vector that is packed into a value of \p type.
unsigned PtxTranslator::elementBits(const PtxOperand& vector, const Type* type)
{
    const size_t count = vector.elements.size();
    const size_t total = widthOf(type);
    if (count == 0 || total < count || total % count != 0)
        throw UnknownPtx{"vector of " + std::to_string(count) + " elements for " + std::to_string(total) + " bits"};
    return static_cast<unsigned>(total / count);
}

Value* PtxTranslator::get(const PtxOperand& operand, Type* type)
{
    switch (operand.kind) {
    case PtxOperand::Kind::Integer:
        if (type->isFPOrFPVectorTy())
            return llvm::ConstantFP::get(type, static_cast<double>(operand.integer));
        if (type->isPointerTy())
            return fit(m_build.getInt64(static_cast<uint64_t>(operand.integer)), type);
        return llvm::ConstantInt::get(type, static_cast<uint64_t>(operand.integer), true);
    case PtxOperand::Kind::Float: {
        double number = operand.isSingle
                            ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(operand.integer)))
                            : std::bit_cast<double>(operand.integer);
        if (!type->isFPOrFPVectorTy())
            return fit(m_build.getInt64(static_cast<uint64_t>(operand.integer)), type);
        return llvm::ConstantFP::get(type, number);
    }
    case PtxOperand::Kind::Vector: {
        // Packed: the first element is the lowest.
        const unsigned part = elementBits(operand, type);
        auto* whole = bits(part * static_cast<unsigned>(operand.elements.size()));
        Value* packed = llvm::ConstantInt::get(whole, 0);
        for (size_t i = 0; i < operand.elements.size(); ++i)
            packed = m_build.CreateOr(
                packed, m_build.CreateShl(m_build.CreateZExt(get(operand.elements[i], bits(part)), whole), i * part));
        return fit(packed, type);
    }
    case PtxOperand::Kind::Register: {
        if (operand.isNegated && type->isIntegerTy(1))
            return predicate(operand);
        if (operand.isNegated)
            throw UnknownPtx{"operand '-" + operand.name + "'"};
        if (Value* value = operand.integer == 0 ? read(operand.name) : nullptr)
            return fit(value, type);
        if (operand.name.starts_with("%"))
            return fit(specialRegister(operand.name), type);
        if (operand.name == "WARP_SZ")
            return llvm::ConstantInt::get(type, 32);
        if (Value* address = symbol(operand, type))
            return address;
        throw UnknownPtx{"register '" + operand.name + "'"};
    }
    default:
        throw UnknownPtx{"operand"};
    }
}

Value* PtxTranslator::get(const PtxStatement& statement, size_t index, Type* type)
{
    if (index >= statement.operands.size())
        unknown(statement);
    return get(statement.operands[index], type);
}

void PtxTranslator::set(const PtxOperand& operand, Value* value)
{
    if (operand.kind == PtxOperand::Kind::Nothing)
        return;
    if (operand.kind == PtxOperand::Kind::Vector) {
        const unsigned part = elementBits(operand, value->getType());
        Value* all = fit(value, bits(part * static_cast<unsigned>(operand.elements.size())));
        for (size_t i = 0; i < operand.elements.size(); ++i)
            set(operand.elements[i], m_build.CreateTrunc(m_build.CreateLShr(all, i * part), bits(part)));
        return;
    }
    if (operand.kind != PtxOperand::Kind::Register)
        throw UnknownPtx{"result '" + operand.name + "'"};
    write(operand.name, value);
}

void PtxTranslator::set(const PtxStatement& statement, size_t index, Value* value)
{
    if (index >= statement.operands.size())
        unknown(statement);
    set(statement.operands[index], value);
}

Value* PtxTranslator::predicate(const PtxOperand& operand)
{
    if (operand.kind == PtxOperand::Kind::Integer)
        return m_build.getInt1((operand.integer != 0) != operand.isNegated);
    Value* value = read(operand.name);
    if (!value)
        throw UnknownPtx{"predicate '" + operand.name + "'"};
    if (!value->getType()->isIntegerTy(1))
        value = m_build.CreateIsNotNull(fit(value, bits(widthOf(value->getType()))));
    return operand.isNegated ? m_build.CreateNot(value) : value;
}

/// "u32" → i32, "f64" → double, …
Type* PtxTranslator::typeOf(const std::string& name, const PtxStatement& statement)
{
    if (name == "f32")
        return m_build.getFloatTy();
    if (name == "f64")
        return m_build.getDoubleTy();
    if (name == "f16")
        return m_build.getHalfTy();
    if (name == "bf16")
        return m_build.getBFloatTy();
    if (name == "f16x2")
        return llvm::FixedVectorType::get(m_build.getHalfTy(), 2);
    if (name == "bf16x2")
        return llvm::FixedVectorType::get(m_build.getBFloatTy(), 2);
    if (name == "u16x2" || name == "s16x2")
        return llvm::FixedVectorType::get(bits(16), 2);
    if (name == "tf32")
        return bits(32);
    if (name == "pred")
        return bits(1);
    if (name.size() > 1 && (name[0] == 'b' || name[0] == 'u' || name[0] == 's'))
        if (char* end = nullptr; const auto count = static_cast<unsigned>(std::strtoul(name.c_str() + 1, &end, 10)))
            if (count >= 8 && count <= 128 && std::has_single_bit(count) && *end == 0)
                return bits(count);
    unknown(statement);
}

Type* PtxTranslator::lastType(const PtxStatement& statement)
{
    return typeOf(statement.opcode.back(), statement);
}

/// Of an instruction that there is for words only, neither for floats nor for pairs.
llvm::IntegerType* PtxTranslator::lastInteger(const PtxStatement& statement)
{
    auto* type = dyn_cast<llvm::IntegerType>(lastType(statement));
    if (!type)
        unknown(statement);
    return type;
}

}  // namespace lanescope::simt
