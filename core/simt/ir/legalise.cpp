// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/legalise.h"

#include <algorithm>
#include <set>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "core/simt/ir/single_members.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/ptx/ptx_to_ir.h"
#include "core/simt/ptx/shared_window.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {
namespace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

std::vector<llvm::Instruction*> instructionsOf(llvm::Function& function)
{
    std::vector<llvm::Instruction*> all;
    for (llvm::Instruction& instr : llvm::instructions(function))
        all.push_back(&instr);
    return all;
}

void replace(llvm::Instruction& instr, llvm::Value* value)
{
    instr.replaceAllUsesWith(value);
    instr.eraseFromParent();
}

// ---- Half precision ----

bool isNarrow(const llvm::Type* type)
{
    return type->getScalarType()->isHalfTy() || type->getScalarType()->isBFloatTy();
}

llvm::Type* withElement(llvm::Type* type, llvm::Type* element)
{
    if (auto* vector = dyn_cast<llvm::FixedVectorType>(type))
        return llvm::FixedVectorType::get(element, vector->getNumElements());
    return element;
}

/// \p value as \p instr makes a whole number of it. A GPU has no conversion to less than 32 bits: more than fits wraps
/// around, where those of 32 and more saturate.
llvm::Value* wholeNumber(llvm::IRBuilder<>& build, const llvm::CastInst& instr, llvm::Value* value)
{
    llvm::Type* const type = instr.getType();
    llvm::Type* const wide = type->getScalarSizeInBits() < 32 ? withElement(type, build.getInt32Ty()) : type;
    return build.CreateTrunc(build.CreateCast(instr.getOpcode(), value, wide), type);
}

void rewriteToNarrowInteger(llvm::CastInst& instr)
{
    llvm::IRBuilder<> build(&instr);
    replace(instr, wholeNumber(build, instr, instr.getOperand(0)));
}

bool isToNarrowInteger(const llvm::Instruction& instr)
{
    return isa<llvm::FPToSIInst, llvm::FPToUIInst>(instr) && instr.getType()->getScalarSizeInBits() < 32 &&
           !isNarrow(instr.getOperand(0)->getType());
}

/// float has more than twice the digits of half and bfloat16 and two more, so that rounding its results of + − × ÷
/// and √ gives what rounding once gives.
class NarrowFloats {
public:
    explicit NarrowFloats(llvm::Instruction& instr) : m_instr(instr), m_build(&instr) {}

    void rewrite()
    {
        if (auto* binary = dyn_cast<llvm::BinaryOperator>(&m_instr); binary && isNarrow(binary->getType()))
            return put(m_build.CreateBinOp(binary->getOpcode(), wide(0), wide(1)));
        if (m_instr.getOpcode() == llvm::Instruction::FNeg && isNarrow(m_instr.getType()))
            return putBits(m_build.CreateXor(bits(0), 0x8000));
        if (auto* compare = dyn_cast<llvm::FCmpInst>(&m_instr); compare && isNarrow(m_instr.getOperand(0)->getType()))
            return replace(m_instr, m_build.CreateFCmp(compare->getPredicate(), wide(0), wide(1)));
        if (isa<llvm::FPToSIInst, llvm::FPToUIInst>(m_instr) && isNarrow(m_instr.getOperand(0)->getType()))
            return replace(m_instr, wholeNumber(m_build, cast<llvm::CastInst>(m_instr), wide(0)));
        if (isa<llvm::SIToFPInst, llvm::UIToFPInst>(m_instr) && isNarrow(m_instr.getType()))
            return replace(m_instr,
                           m_build.CreateFPTrunc(
                               m_build.CreateCast(cast<llvm::CastInst>(m_instr).getOpcode(), m_instr.getOperand(0),
                                                  withElement(m_instr.getType(), m_build.getDoubleTy())),
                               m_instr.getType()));
        if (auto* call = dyn_cast<llvm::IntrinsicInst>(&m_instr); call && isNarrow(call->getType()))
            rewriteIntrinsic(*call);
    }

private:
    llvm::Value* wide(unsigned index)
    {
        llvm::Value* value = m_instr.getOperand(index);
        return m_build.CreateFPExt(value, withElement(value->getType(), m_build.getFloatTy()));
    }
    llvm::Value* bits(unsigned index)
    {
        llvm::Value* value = m_instr.getOperand(index);
        return m_build.CreateBitCast(value, withElement(value->getType(), m_build.getInt16Ty()));
    }
    void put(llvm::Value* value) { replace(m_instr, m_build.CreateFPTrunc(value, m_instr.getType())); }
    void putBits(llvm::Value* value) { replace(m_instr, m_build.CreateBitCast(value, m_instr.getType())); }

    llvm::Value* elementwise(llvm::Intrinsic::ID id, const std::vector<llvm::Value*>& arguments)
    {
        llvm::Type* type = arguments[0]->getType();
        const auto* vector = dyn_cast<llvm::FixedVectorType>(type);
        if (!vector)
            return m_build.CreateIntrinsic(id, {type}, arguments);
        llvm::Value* all = llvm::PoisonValue::get(type);
        for (uint64_t i = 0; i < vector->getNumElements(); ++i) {
            std::vector<llvm::Value*> elements;
            for (llvm::Value* argument : arguments)
                elements.push_back(m_build.CreateExtractElement(argument, i));
            llvm::Value* one = m_build.CreateIntrinsic(id, {vector->getElementType()}, elements);
            all = m_build.CreateInsertElement(all, one, i);
        }
        return all;
    }

    void rewriteIntrinsic(llvm::IntrinsicInst& call)
    {
        using namespace llvm;
        switch (call.getIntrinsicID()) {
        case Intrinsic::fabs:
            return putBits(m_build.CreateAnd(bits(0), 0x7fff));
        case Intrinsic::copysign:
            return putBits(m_build.CreateOr(m_build.CreateAnd(bits(0), 0x7fff), m_build.CreateAnd(bits(1), 0x8000)));
        case Intrinsic::fmuladd:
            return replace(
                call, m_build.CreateIntrinsic(Intrinsic::fma, {call.getType()},
                                              {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2)}));
        case Intrinsic::sqrt:
        case Intrinsic::floor:
        case Intrinsic::ceil:
        case Intrinsic::trunc:
        case Intrinsic::rint:
        case Intrinsic::nearbyint:
        case Intrinsic::round:
        case Intrinsic::roundeven:
        case Intrinsic::exp:
        case Intrinsic::exp2:
        case Intrinsic::log:
        case Intrinsic::log2:
        case Intrinsic::log10:
        case Intrinsic::sin:
        case Intrinsic::cos:
            return put(elementwise(call.getIntrinsicID(), {wide(0)}));
        case Intrinsic::minnum:
        case Intrinsic::maxnum:
        case Intrinsic::pow:
            return put(elementwise(call.getIntrinsicID(), {wide(0), wide(1)}));
        default:
            return;
        }
    }

    llvm::Instruction& m_instr;
    llvm::IRBuilder<> m_build;
};

// ---- Intrinsics that are others in disguise ----

/// threadIdx as one number; the warp's is this by 32.
llvm::Value* linearThread(llvm::IRBuilder<>& build)
{
    using namespace llvm;
    auto read = [&](Intrinsic::ID id) -> Value* { return build.CreateIntrinsic(id, {}, {}); };
    Value* plane = build.CreateAdd(
        read(Intrinsic::nvvm_read_ptx_sreg_tid_y),
        build.CreateMul(read(Intrinsic::nvvm_read_ptx_sreg_ntid_y), read(Intrinsic::nvvm_read_ptx_sreg_tid_z)));
    return build.CreateAdd(read(Intrinsic::nvvm_read_ptx_sreg_tid_x),
                           build.CreateMul(read(Intrinsic::nvvm_read_ptx_sreg_ntid_x), plane));
}

llvm::Value* linearBlock(llvm::IRBuilder<>& build)
{
    using namespace llvm;
    auto read = [&](Intrinsic::ID id) -> Value* { return build.CreateIntrinsic(id, {}, {}); };
    Value* plane = build.CreateAdd(
        read(Intrinsic::nvvm_read_ptx_sreg_ctaid_y),
        build.CreateMul(read(Intrinsic::nvvm_read_ptx_sreg_nctaid_y), read(Intrinsic::nvvm_read_ptx_sreg_ctaid_z)));
    return build.CreateAdd(read(Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                           build.CreateMul(read(Intrinsic::nvvm_read_ptx_sreg_nctaid_x), plane));
}

/// Of "cluster.ctaid.x", "cluster.ctarank" and the like: what the shape of the launch's clusters makes of blockIdx.
/// Null for the shape itself, and for other registers.
llvm::Value* clusterRegister(llvm::IRBuilder<>& build, llvm::StringRef name)
{
    using namespace llvm;
    constexpr Intrinsic::ID kSize[] = {Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_x,
                                       Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_y,
                                       Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_z};
    constexpr Intrinsic::ID kBlock[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                        Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
    constexpr Intrinsic::ID kGrid[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                       Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
    auto read = [&](Intrinsic::ID id) -> Value* { return build.CreateIntrinsic(id, {}, {}); };
    auto size = [&](unsigned axis) { return read(kSize[axis]); };
    auto inside = [&](unsigned axis) { return build.CreateURem(read(kBlock[axis]), size(axis)); };
    if (name == "cluster.nctarank")
        return build.CreateMul(size(0), build.CreateMul(size(1), size(2)));
    if (name == "cluster.ctarank")
        return build.CreateAdd(
            inside(0), build.CreateMul(size(0), build.CreateAdd(inside(1), build.CreateMul(size(1), inside(2)))));
    const auto axis = static_cast<unsigned>(name.empty() ? 3 : name.back() - 'x');
    if (axis > 2)
        return nullptr;
    name = name.drop_back();
    if (name == "cluster.ctaid.")
        return inside(axis);
    if (name == "clusterid.")
        return build.CreateUDiv(read(kBlock[axis]), size(axis));
    if (name == "nclusterid.")
        return build.CreateUDiv(read(kGrid[axis]), size(axis));
    return nullptr;
}

llvm::Value* specialRegister(llvm::IRBuilder<>& build, llvm::StringRef name)
{
    using namespace llvm;
    constexpr unsigned kMultiprocessors = 132;
    Value* one = build.getInt32(1);
    auto lane = [&]() -> Value* { return build.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {}, {}); };
    auto below = [&] { return build.CreateSub(build.CreateShl(one, lane()), one); };
    auto threads = [&] {
        Value* x = build.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ntid_x, {}, {});
        Value* y = build.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ntid_y, {}, {});
        Value* z = build.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ntid_z, {}, {});
        return build.CreateMul(build.CreateMul(x, y), z);
    };
    if (name == "lanemask.eq")
        return build.CreateShl(one, lane());
    if (name == "lanemask.lt")
        return below();
    if (name == "lanemask.le")
        return build.CreateOr(below(), build.CreateShl(one, lane()));
    if (name == "lanemask.gt")
        return build.CreateNot(build.CreateOr(below(), build.CreateShl(one, lane())));
    if (name == "lanemask.ge")
        return build.CreateNot(below());
    if (name == "warpid")
        return build.CreateLShr(linearThread(build), 5);
    if (name == "nwarpid")
        return build.CreateLShr(build.CreateAdd(threads(), build.getInt32(31)), 5);
    if (name == "smid")
        return build.CreateURem(linearBlock(build), build.getInt32(kMultiprocessors));
    if (name == "nsmid")
        return build.getInt32(kMultiprocessors);
    if (name == "gridid")
        return build.getInt32(0);
    return clusterRegister(build, name);
}

/// LLVM's own names of mapa, getctarank and %is_explicit_cluster.
llvm::Value* clusterOperation(llvm::IRBuilder<>& build, const llvm::CallInst& call, llvm::StringRef name)
{
    llvm::Module& module = *build.GetInsertBlock()->getModule();
    if (name == "is_explicit_cluster")
        return build.CreateIsNotNull(
            build.CreateCall(module.getOrInsertFunction("__ls_explicit_cluster", build.getInt32Ty())));
    if (!name.starts_with("mapa") && !name.starts_with("getctarank"))
        return nullptr;
    llvm::Value* address =
        build.CreatePtrToInt(build.CreateAddrSpaceCast(call.getArgOperand(0), build.getPtrTy()), build.getInt64Ty());
    if (name.starts_with("getctarank"))
        return clusterRankOf(build, address);
    llvm::Value* mapped = mapToRank(build, address, call.getArgOperand(1));
    return build.CreateAddrSpaceCast(build.CreateIntToPtr(mapped, build.getPtrTy()), call.getType());
}

llvm::Value* atomicIntrinsic(llvm::IRBuilder<>& build, const llvm::CallInst& call, llvm::StringRef name)
{
    using Rmw = llvm::AtomicRMWInst;
    struct Named {
        const char* prefix;
        Rmw::BinOp op;
    };
    constexpr Named kNamed[] = {
        {"atomic.load.inc.32", Rmw::UIncWrap}, {"atomic.load.dec.32", Rmw::UDecWrap},
        {"atomic.add.gen.i", Rmw::Add},        {"atomic.add.gen.f", Rmw::FAdd},
        {"atomic.and.gen.i", Rmw::And},        {"atomic.or.gen.i", Rmw::Or},
        {"atomic.xor.gen.i", Rmw::Xor},        {"atomic.exch.gen.i", Rmw::Xchg},
        {"atomic.max.gen.i", Rmw::Max},        {"atomic.min.gen.i", Rmw::Min},
        {"atomic.inc.gen.i", Rmw::UIncWrap},   {"atomic.dec.gen.i", Rmw::UDecWrap},
    };
    constexpr auto kOrder = llvm::AtomicOrdering::Monotonic;
    const auto scope = name.ends_with(".cta") || name.contains(".cta.") ? blockScope(build.getContext())
                                                                        : llvm::SyncScope::ID{llvm::SyncScope::System};
    const bool isOfSystem = name.ends_with(".sys") || name.contains(".sys.");
    for (const Named& named : kNamed)
        if (name.starts_with(named.prefix)) {
            llvm::AtomicRMWInst* update = build.CreateAtomicRMW(named.op, call.getArgOperand(0), call.getArgOperand(1),
                                                                llvm::MaybeAlign(), kOrder, scope);
            update->setVolatile(isOfSystem);
            return update;
        }
    if (!name.starts_with("atomic.cas.gen.i"))
        return nullptr;
    llvm::AtomicCmpXchgInst* pair = build.CreateAtomicCmpXchg(
        call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2), llvm::MaybeAlign(), kOrder, kOrder, scope);
    pair->setVolatile(isOfSystem);
    return build.CreateExtractValue(pair, 0);
}

/// Whether all loads of \p ptx go by the read-only cache.
bool readsByCacheOnly(llvm::StringRef ptx)
{
    return ptx.contains(".nc") && ptx.count("ld.") == ptx.count(".nc");
}

/// As rewriteInlinePtx. What neither LLVM's scopes nor its loads tell is marked as for the headers' own: atomics of
/// system scope as volatile (device_atomics.h), reads by the read-only cache as non-temporal (__ldg).
void rewriteMarkedPtx(llvm::CallInst& call)
{
    const std::string ptx = llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString();
    const bool isOfSystem = llvm::StringRef(ptx).contains(".sys");
    const bool isCached = readsByCacheOnly(ptx);
    if (!isOfSystem && !isCached)
        return rewriteInlinePtx(call);
    llvm::Function& function = *call.getFunction();
    std::set<const llvm::Instruction*> before;
    for (const llvm::Instruction& instr : llvm::instructions(function))
        before.insert(&instr);
    before.erase(&call);  // what it becomes may lie where it lay
    rewriteInlinePtx(call);
    for (llvm::Instruction& instr : llvm::instructions(function)) {
        if (before.contains(&instr))
            continue;
        if (auto* update = dyn_cast<llvm::AtomicRMWInst>(&instr); update && isOfSystem)
            update->setVolatile(true);
        if (auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr); exchange && isOfSystem)
            exchange->setVolatile(true);
        if (isCached && llvm::isa<llvm::LoadInst>(instr))
            instr.setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(instr.getContext(), {}));
    }
}

/// __ls_atomic_add_f16, _bf16, _f16x2, _bf16x2, with _block where only the block need see it, _system where the host
/// may: clang has no built-in atomics of these types. A pair comes as a word.
bool rewriteNarrowAtomic(llvm::CallInst& call, llvm::StringRef name)
{
    if (!name.consume_front("__ls_atomic_add_"))
        return false;
    llvm::IRBuilder<> build(&call);
    const auto scope =
        name.consume_back("_block") ? blockScope(build.getContext()) : llvm::SyncScope::ID{llvm::SyncScope::System};
    const bool isOfSystem = name.consume_back("_system");
    llvm::Type* element = name.starts_with("bf16") ? build.getBFloatTy() : build.getHalfTy();
    const unsigned count = name.ends_with("x2") ? 2 : 1;
    llvm::Value* bits = call.getArgOperand(1);
    const auto part = [&](unsigned i) {
        llvm::Value* shifted = i ? build.CreateLShr(bits, 16 * i) : bits;
        return build.CreateBitCast(build.CreateTrunc(shifted, build.getInt16Ty()), element);
    };
    llvm::Value* value = part(0);
    if (count == 2) {
        llvm::Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, 2));
        value = build.CreateInsertElement(build.CreateInsertElement(pair, value, uint64_t{0}), part(1), uint64_t{1});
    }
    llvm::AtomicRMWInst* old = build.CreateAtomicRMW(llvm::AtomicRMWInst::FAdd, call.getArgOperand(0), value,
                                                     llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic, scope);
    old->setVolatile(isOfSystem);
    const auto bitsOf = [&](llvm::Value* number) { return build.CreateBitCast(number, build.getInt16Ty()); };
    if (count == 1) {
        replace(call, bitsOf(old));
        return true;
    }
    llvm::Value* low = build.CreateZExt(bitsOf(build.CreateExtractElement(old, uint64_t{0})), bits->getType());
    llvm::Value* high = build.CreateZExt(bitsOf(build.CreateExtractElement(old, uint64_t{1})), bits->getType());
    replace(call, build.CreateOr(low, build.CreateShl(high, 16)));
    return true;
}

/// memcpy and its kin where clang calls the function instead of an intrinsic.
bool rewriteLibraryCall(llvm::CallInst& call, llvm::StringRef name)
{
    if (call.arg_size() != 3)
        return false;
    llvm::IRBuilder<> build(&call);
    llvm::Value *to = call.getArgOperand(0), *from = call.getArgOperand(1), *bytes = call.getArgOperand(2);
    if (name == "memcpy")
        build.CreateMemCpy(to, llvm::MaybeAlign(), from, llvm::MaybeAlign(), bytes);
    else if (name == "memmove")
        build.CreateMemMove(to, llvm::MaybeAlign(), from, llvm::MaybeAlign(), bytes);
    else if (name == "memset")
        build.CreateMemSet(to, build.CreateTrunc(from, build.getInt8Ty()), bytes, llvm::MaybeAlign());
    else
        return false;
    replace(call, to);
    return true;
}

bool namesSharedMemory(const llvm::Constant& constant)
{
    if (const auto* global = dyn_cast<llvm::GlobalValue>(&constant))
        return global->getAddressSpace() == 3;
    return std::ranges::any_of(constant.operands(), [](const llvm::Use& part) {
        const auto* inner = dyn_cast<llvm::Constant>(part);
        return inner && namesSharedMemory(*inner);
    });
}

/// `Tile tile{shared}` copies a constant, which cannot hold an address that is each kernel's own: it is stored instead.
bool rewriteCopyOfAddresses(llvm::CallInst& call)
{
    const auto* copy = dyn_cast<llvm::MemCpyInst>(&call);
    const auto* from = copy ? dyn_cast<llvm::GlobalVariable>(copy->getRawSource()) : nullptr;
    const auto* bytes = copy ? dyn_cast<llvm::ConstantInt>(copy->getLength()) : nullptr;
    if (!from || !bytes || !from->isConstant() || !from->hasInitializer() ||
        !namesSharedMemory(*from->getInitializer()) ||
        bytes->getZExtValue() != call.getModule()->getDataLayout().getTypeAllocSize(from->getValueType()))
        return false;
    llvm::IRBuilder<> build(&call);
    build.CreateAlignedStore(const_cast<llvm::Constant*>(from->getInitializer()), copy->getRawDest(),
                             copy->getDestAlign(), copy->isVolatile());
    call.eraseFromParent();
    return true;
}

/// lrint and lround: a rounding and a conversion.
bool rewriteRoundToInteger(llvm::CallInst& call)
{
    const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call);
    llvm::Intrinsic::ID id = llvm::Intrinsic::not_intrinsic;
    switch (intrinsic ? intrinsic->getIntrinsicID() : llvm::Intrinsic::not_intrinsic) {
    case llvm::Intrinsic::lrint:
    case llvm::Intrinsic::llrint:
        id = llvm::Intrinsic::rint;
        break;
    case llvm::Intrinsic::lround:
    case llvm::Intrinsic::llround:
        id = llvm::Intrinsic::round;
        break;
    default:
        return false;
    }
    llvm::IRBuilder<> build(&call);
    replace(call, build.CreateFPToSI(build.CreateUnaryIntrinsic(id, call.getArgOperand(0)), call.getType()));
    return true;
}

void rewriteIntrinsic(llvm::CallInst& call)
{
    const llvm::Function* callee = call.getCalledFunction();
    llvm::StringRef name = callee ? callee->getName() : llvm::StringRef();
    if (!name.consume_front("llvm.nvvm."))
        return;
    llvm::IRBuilder<> build(&call);
    llvm::StringRef reg = name;
    if (reg.consume_front("read.ptx.sreg."))
        if (llvm::Value* value = specialRegister(build, reg))
            return replace(call, build.CreateZExtOrTrunc(value, call.getType()));
    if (name.starts_with("atomic."))
        if (llvm::Value* value = atomicIntrinsic(build, call, name))
            return replace(call, value);
    if (llvm::Value* value = clusterOperation(build, call, name))
        return replace(call, value);
    if (name == "saturate.f" || name == "saturate.d") {
        llvm::Value* zero = llvm::ConstantFP::get(call.getType(), 0.0);
        llvm::Value* one = llvm::ConstantFP::get(call.getType(), 1.0);
        return replace(call, build.CreateMinNum(build.CreateMaxNum(call.getArgOperand(0), zero), one));
    }
}

/// True when it was one of these.
bool rewriteCall(llvm::CallInst& call)
{
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee || !callee->isDeclaration())
        return false;
    if (rewriteLibraryCall(call, callee->getName()) || rewriteRoundToInteger(call) || rewriteCopyOfAddresses(call) ||
        rewriteNarrowAtomic(call, callee->getName()))
        return true;
    if (!callee->getName().starts_with("llvm.nvvm."))
        return false;
    rewriteIntrinsic(call);
    return true;
}

// ---- Vector elements chosen at run time ----

void rewriteVariableElement(llvm::Instruction& instr)
{
    llvm::IRBuilder<> build(&instr);
    if (auto* extract = dyn_cast<llvm::ExtractElementInst>(&instr)) {
        llvm::Value* vector = extract->getVectorOperand();
        llvm::Value* index = extract->getIndexOperand();
        if (isa<llvm::ConstantInt>(index))
            return;
        unsigned count = cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
        llvm::Value* value = build.CreateExtractElement(vector, uint64_t{0});
        for (unsigned i = 1; i < count; ++i)
            value = build.CreateSelect(build.CreateICmpEQ(index, llvm::ConstantInt::get(index->getType(), i)),
                                       build.CreateExtractElement(vector, uint64_t{i}), value);
        return replace(instr, value);
    }
    if (auto* insert = dyn_cast<llvm::InsertElementInst>(&instr)) {
        llvm::Value* index = insert->getOperand(2);
        if (isa<llvm::ConstantInt>(index))
            return;
        unsigned count = cast<llvm::FixedVectorType>(insert->getType())->getNumElements();
        llvm::Value* vector = insert->getOperand(0);
        for (unsigned i = 0; i < count; ++i) {
            llvm::Value* chosen = build.CreateICmpEQ(index, llvm::ConstantInt::get(index->getType(), i));
            llvm::Value* element =
                build.CreateSelect(chosen, insert->getOperand(1), build.CreateExtractElement(insert->getOperand(0), i));
            vector = build.CreateInsertElement(vector, element, i);
        }
        return replace(instr, vector);
    }
}

// ---- Bits under another type ----

/// A vector seen as a number or as a vector of wider or narrower elements: the first element is the lowest bits.
void rewriteBitCast(llvm::BitCastInst& instr)
{
    llvm::Type *from = instr.getSrcTy(), *to = instr.getDestTy();
    const unsigned fromBits = from->getScalarSizeInBits(), toBits = to->getScalarSizeInBits();
    const unsigned wide = std::max(fromBits, toBits), narrow = std::min(fromBits, toBits);
    if (fromBits == toBits || narrow == 0 || wide % narrow != 0)
        return;
    llvm::IRBuilder<> build(&instr);
    llvm::Type* whole = build.getIntNTy(wide);
    llvm::Value* source = instr.getOperand(0);
    llvm::Value* result = llvm::PoisonValue::get(to);
    const auto element = [&](unsigned index) {
        llvm::Value* value = from->isVectorTy() ? build.CreateExtractElement(source, index) : source;
        return build.CreateZExt(build.CreateBitCast(value, build.getIntNTy(fromBits)), whole);
    };
    const auto put = [&](llvm::Value* bits, unsigned index) {
        llvm::Value* value = build.CreateBitCast(build.CreateTrunc(bits, build.getIntNTy(toBits)), to->getScalarType());
        result = to->isVectorTy() ? build.CreateInsertElement(result, value, index) : value;
    };
    const unsigned parts = wide / narrow;
    const auto count = static_cast<unsigned>(from->getPrimitiveSizeInBits().getFixedValue()) / wide;
    for (unsigned i = 0; i < count; ++i) {
        llvm::Value* bits = element(fromBits == wide ? i : i * parts);
        for (unsigned part = 1; part < parts && fromBits == narrow; ++part)
            bits = build.CreateOr(bits, build.CreateShl(element(i * parts + part), part * narrow));
        for (unsigned part = 0; part < (toBits == wide ? 1 : parts); ++part)
            put(build.CreateLShr(bits, part * narrow), toBits == wide ? i : i * parts + part);
    }
    replace(instr, result);
}

// ---- Calls through pointers ----

FunctionAddresses takenAddresses(llvm::Module& module)
{
    FunctionAddresses addresses;
    for (const llvm::Function& function : module)
        if (!function.isIntrinsic() && function.hasAddressTaken())
            addresses.insert({&function, slotAddress(kCodeSlot) + 16 * (addresses.size() + 1)});
    return addresses;
}

/// switch over the addresses of all functions of the call's type; anything else is a trap.
void rewriteIndirectCall(llvm::CallInst& call, const FunctionAddresses& addresses)
{
    using namespace llvm;
    BasicBlock* before = call.getParent();
    Function* caller = before->getParent();
    BasicBlock* after = before->splitBasicBlock(&call);
    before->getTerminator()->eraseFromParent();
    IRBuilder<> build(before);
    build.SetCurrentDebugLocation(call.getDebugLoc());
    BasicBlock* nowhere = BasicBlock::Create(call.getContext(), "", caller, after);
    SwitchInst* choice = build.CreateSwitch(build.CreatePtrToInt(call.getCalledOperand(), build.getInt64Ty()), nowhere);
    IRBuilder<> trap(nowhere);
    trap.SetCurrentDebugLocation(call.getDebugLoc());
    trap.CreateIntrinsic(Intrinsic::trap, {}, {})->setMetadata(kBadCall, MDNode::get(call.getContext(), {}));
    // Never taken, but it lets all the calls meet again right behind.
    trap.CreateBr(after);
    PHINode* result = nullptr;
    if (!call.getType()->isVoidTy()) {
        result = PHINode::Create(call.getType(), 4, "", after->begin());
        result->addIncoming(PoisonValue::get(call.getType()), nowhere);
    }
    for (auto [function, address] : addresses) {
        if (function->isDeclaration() || function->getFunctionType() != call.getFunctionType())
            continue;
        BasicBlock* chosen = BasicBlock::Create(call.getContext(), "", caller, after);
        auto* direct = cast<CallInst>(call.clone());
        direct->setCalledFunction(const_cast<Function*>(function));
        direct->insertInto(chosen, chosen->end());
        BranchInst::Create(after, chosen)->setDebugLoc(call.getDebugLoc());
        choice->addCase(build.getInt64(address), chosen);
        if (result)
            result->addIncoming(direct, chosen);
    }
    if (result)
        call.replaceAllUsesWith(result);
    call.eraseFromParent();
}

/// A failed assertion ends its thread, so that nothing behind it is where diverged lanes must meet. Letting its block
/// run on into the branch's other side, which never happens, keeps the meeting point close.
void rejoinAfterTrap(llvm::BasicBlock& block)
{
    llvm::Instruction* end = block.getTerminator();
    const llvm::BasicBlock* from = block.getSinglePredecessor();
    if (!isa<llvm::UnreachableInst>(end) || !from || !end->getPrevNode())
        return;
    const auto* call = dyn_cast<llvm::CallInst>(end->getPrevNonDebugInstruction());
    const auto* branch = dyn_cast<llvm::BranchInst>(from->getTerminator());
    if (!call || !branch || !branch->isConditional())
        return;
    llvm::BasicBlock* other = branch->getSuccessor(branch->getSuccessor(0) == &block ? 1 : 0);
    if (other == &block)
        return;
    for (llvm::PHINode& phi : other->phis())
        phi.addIncoming(llvm::PoisonValue::get(phi.getType()), &block);
    llvm::BranchInst::Create(other, end)->setDebugLoc(end->getDebugLoc());
    end->eraseFromParent();
}

bool isIndirect(const llvm::Instruction& instr)
{
    const auto* call = dyn_cast<llvm::CallInst>(&instr);
    return call && !call->isInlineAsm() && !call->getCalledFunction() &&
           !isa<llvm::Function>(call->getCalledOperand()->stripPointerCasts());
}

bool usesDescriptors(llvm::Function& function)
{
    return std::ranges::any_of(llvm::instructions(function), [](const llvm::Instruction& instr) {
        const auto* call = dyn_cast<llvm::CallInst>(&instr);
        return call && call->isInlineAsm() &&
               llvm::StringRef(cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString())
                   .contains(kUsesDescriptors);
    });
}

}  // namespace

FunctionAddresses legalise(llvm::Module& module)
{
    unwrapSingleMembers(module);
    FunctionAddresses addresses = takenAddresses(module);
    if (std::ranges::any_of(module, usesDescriptors))
        countFromSharedMemory(module);
    for (llvm::Function& function : module) {
        for (llvm::Instruction* instr : instructionsOf(function))
            if (auto* call = dyn_cast<llvm::CallInst>(instr); call && call->isInlineAsm())
                rewriteMarkedPtx(*call);
        for (llvm::Instruction* instr : instructionsOf(function))
            if (isIndirect(*instr))
                rewriteIndirectCall(cast<llvm::CallInst>(*instr), addresses);
        for (llvm::Instruction* instr : instructionsOf(function)) {
            if (isa<llvm::ExtractElementInst, llvm::InsertElementInst>(instr))
                rewriteVariableElement(*instr);
            else if (auto* bits = dyn_cast<llvm::BitCastInst>(instr))
                rewriteBitCast(*bits);
            else if (auto* call = dyn_cast<llvm::CallInst>(instr); call && rewriteCall(*call))
                continue;
            else if (isToNarrowInteger(*instr))
                rewriteToNarrowInteger(cast<llvm::CastInst>(*instr));
            else
                NarrowFloats(*instr).rewrite();
        }
        for (llvm::BasicBlock& block : function)
            rejoinAfterTrap(block);
    }
    return addresses;
}

}  // namespace lanescope::simt
