// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/shared_regions.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "core/simt/ir/debug_info.h"

namespace lanescope::simt {

namespace {

/// A local variable that points into the memory.
struct Pointer {
    uint64_t offset = 0;
    const llvm::DILocalVariable* variable = nullptr;
};

class PointerFinder {
public:
    explicit PointerFinder(llvm::ArrayRef<const llvm::GlobalVariable*> names) : m_names(names) {}

    /// All that the kernel runs, before anything is looked for.
    void countCallsIn(llvm::Function& function)
    {
        for (llvm::BasicBlock& block : function)
            for (llvm::Instruction& instr : block)
                if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instr))
                    ++m_calls[call->getCalledFunction()];
    }
    void lookIn(llvm::Function& function)
    {
        for (llvm::BasicBlock& block : function)
            for (llvm::Instruction& instr : block) {
                if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instr))
                    addStored(*store);
                if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instr))
                    addPassed(*call);
                for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instr.getDbgRecordRange()))
                    addNamed(record);
            }
    }
    [[nodiscard]] std::vector<Pointer>& found() { return m_found; }

private:
    /// Where in the memory a value always points to.
    [[nodiscard]] std::optional<uint64_t> offsetOf(const llvm::Value& value, const llvm::DataLayout& layout) const
    {
        if (!value.getType()->isPointerTy())
            return std::nullopt;
        llvm::APInt offset(layout.getIndexTypeSizeInBits(value.getType()), 0);
        const llvm::Value* base = value.stripAndAccumulateConstantOffsets(layout, offset, true);
        if (const auto aligned = alignedOffsetOf(*base, layout))
            return *aligned + offset.getZExtValue();
        const bool isInside = llvm::is_contained(m_names, base) && !offset.isNegative();
        return isInside ? std::optional(offset.getZExtValue()) : std::nullopt;
    }

    /// Of a pointer that was rounded up to a power of two: `(pointer + 1023) & ~1023`. Generic addresses of the memory
    /// begin at a multiple of any.
    [[nodiscard]] std::optional<uint64_t> alignedOffsetOf(const llvm::Value& value,
                                                          const llvm::DataLayout& layout) const
    {
        // An address is often a constant expression, which is no instruction.
        const auto operandOf = [](const llvm::Value* of, unsigned opcode, unsigned index) -> const llvm::Value* {
            return of && llvm::Operator::getOpcode(of) == opcode ? llvm::cast<llvm::User>(of)->getOperand(index)
                                                                 : nullptr;
        };
        using I = llvm::Instruction;
        const llvm::Value* rounded = operandOf(&value, I::IntToPtr, 0);
        const auto* kept = llvm::dyn_cast_or_null<llvm::ConstantInt>(operandOf(rounded, I::And, 1));
        const llvm::Value* sum = operandOf(rounded, I::And, 0);
        const auto* added = llvm::dyn_cast_or_null<llvm::ConstantInt>(operandOf(sum, I::Add, 1));
        const llvm::Value* pointer = operandOf(operandOf(sum, I::Add, 0), I::PtrToInt, 0);
        if (!kept || !added || !pointer || !added->getValue().isMask() || kept->getValue() != ~added->getValue())
            return std::nullopt;
        const auto offset = offsetOf(*pointer, layout);
        return offset ? std::optional((*offset + added->getZExtValue()) & static_cast<uint64_t>(kept->getSExtValue()))
                      : std::nullopt;
    }

    /// Without optimisation variables are in memory.
    void addStored(const llvm::StoreInst& store)
    {
        const auto* local = llvm::dyn_cast<llvm::AllocaInst>(store.getPointerOperand());
        const auto offset = local ? offsetOf(*store.getValueOperand(), store.getDataLayout()) : std::nullopt;
        const auto isStore = [](const llvm::User* user) { return llvm::isa<llvm::StoreInst>(user); };
        if (!offset || llvm::count_if(local->users(), isStore) != 1)
            return;
        for (const llvm::DbgVariableRecord* record : llvm::findDVRDeclares(const_cast<llvm::AllocaInst*>(local)))
            add(*offset, *record->getVariable());
    }
    /// What a function calls it that is called in one place only.
    void addPassed(const llvm::CallBase& call)
    {
        llvm::Function* callee = call.getCalledFunction();
        if (!callee || callee->isDeclaration() || m_calls[callee] != 1)
            return;
        for (unsigned i = 0; i < call.arg_size(); ++i)
            if (const auto offset = offsetOf(*call.getArgOperand(i), call.getDataLayout()))
                if (const llvm::DILocalVariable* parameter = parameterOf(*callee, i))
                    addPointer(*offset, *parameter);
    }
    static const llvm::DILocalVariable* parameterOf(llvm::Function& function, unsigned number)
    {
        for (llvm::Instruction& instr : function.getEntryBlock())
            for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instr.getDbgRecordRange()))
                if (record.getVariable()->getArg() == number + 1 && !record.getDebugLoc().getInlinedAt())
                    return record.getVariable();
        return nullptr;
    }
    void addNamed(llvm::DbgVariableRecord& record)
    {
        if (!record.isDbgValue() || record.getNumVariableLocationOps() != 1 ||
            record.getExpression()->getNumElements() != 0)
            return;
        const llvm::DataLayout& layout = record.getInstruction()->getDataLayout();
        if (const auto offset = offsetOf(*record.getVariableLocationOp(0), layout))
            add(*offset, *record.getVariable());
    }
    void add(uint64_t offset, const llvm::DILocalVariable& variable)
    {
        if (!variable.isParameter())
            addPointer(offset, variable);
    }
    void addPointer(uint64_t offset, const llvm::DILocalVariable& variable)
    {
        const bool isKnown = llvm::any_of(m_found, [&](const Pointer& each) { return each.variable == &variable; });
        if (!isKnown && !variable.isArtificial())
            m_found.push_back({offset, &variable});
    }

    llvm::ArrayRef<const llvm::GlobalVariable*> m_names;
    std::vector<Pointer> m_found;
    llvm::DenseMap<const llvm::Function*, unsigned> m_calls;  ///< how many there are of each function
};

/// What \p pointer points to: members of a struct, or elements as far as the next region.
std::vector<MemoryRegion> regionsAt(const Pointer& pointer)
{
    const llvm::DILocalVariable& variable = *pointer.variable;
    const llvm::DIType* const type = pointeeOf(variable.getType());
    if (!type)
        return {};
    const std::string name = variable.getName().str();
    std::vector<MemoryRegion> regions = regionsOf(type, name);
    const DeclaredShape shape = shapeOf(type);
    if (regions.empty())
        regions.push_back({0, 0, name, shape.element, shape.dims, {}});
    for (MemoryRegion& region : regions) {
        region.offset += pointer.offset;
        region.declaredAt = fmt::format("{}:{}", pathOf(variable.getFile()), variable.getLine());
    }
    return regions;
}

bool isOfBytes(const trace::ValueType& element)
{
    return element.totalBytes() == 1;
}

}  // namespace

std::vector<MemoryRegion> dynamicRegions(llvm::ArrayRef<const llvm::GlobalVariable*> names,
                                         llvm::ArrayRef<llvm::Function*> functions, const trace::ValueType& element)
{
    PointerFinder finder(names);
    for (llvm::Function* function : functions)
        finder.countCallsIn(*function);
    for (llvm::Function* function : functions)
        finder.lookIn(*function);
    std::vector<std::vector<MemoryRegion>> groups;
    for (const Pointer& pointer : finder.found())
        if (std::vector<MemoryRegion> group = regionsAt(pointer); !group.empty())
            groups.push_back(std::move(group));
    // Of several that begin at one place, a struct says most, and bytes say least.
    std::ranges::stable_sort(groups, [](const auto& a, const auto& b) {
        const auto rank = [](const std::vector<MemoryRegion>& group) {
            return std::tuple(group.front().offset, group.front().bytes == 0, isOfBytes(group.front().element));
        };
        return rank(a) < rank(b);
    });
    std::vector<MemoryRegion> regions;
    uint64_t end = 0;
    for (std::vector<MemoryRegion>& group : groups) {
        const bool isFirstThere = regions.empty() || group.front().offset != regions.back().offset;
        if (group.front().offset < end || !isFirstThere)
            continue;
        std::ranges::move(group, std::back_inserter(regions));
        end = regions.back().offset + regions.back().bytes;
    }
    const bool saysNothing = regions.size() == 1 && regions.front().bytes == 0 && regions.front().offset == 0 &&
                             (isOfBytes(regions.front().element) || regions.front().element.name == element.name);
    return saysNothing ? std::vector<MemoryRegion>() : regions;
}

}  // namespace lanescope::simt
