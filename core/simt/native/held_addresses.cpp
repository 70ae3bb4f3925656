// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/held_addresses.h"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

namespace lanescope::simt::native {
namespace {

/// What is mapped in this process, ascending.
class MappedMemory {
public:
    MappedMemory()
    {
        std::FILE* const maps = std::fopen("/proc/self/maps", "re");
        if (!maps)
            return;
        char line[512];
        uint64_t begin = 0, end = 0;
        while (std::fgets(line, sizeof line, maps))
            if (std::sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) == 2)
                m_ranges.emplace_back(begin, end);
        (void)std::fclose(maps);
    }
    /// Where nothing is known, all large numbers may be.
    [[nodiscard]] bool holds(uint64_t number) const
    {
        if (m_ranges.empty())
            return number > UINT32_MAX;
        const auto behind = std::ranges::upper_bound(m_ranges, number, {}, &std::pair<uint64_t, uint64_t>::first);
        return behind != m_ranges.begin() && number < std::prev(behind)->second;
    }

private:
    std::vector<std::pair<uint64_t, uint64_t>> m_ranges;
};

class AddressFinder {
public:
    bool isIn(const llvm::Constant& constant)
    {
        if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant))
            return number->getBitWidth() == 64 && m_memory.holds(number->getZExtValue());
        if (const auto* numbers = llvm::dyn_cast<llvm::ConstantDataSequential>(&constant)) {
            for (unsigned i = 0; numbers->getElementByteSize() == 8 && i < numbers->getNumElements(); ++i)
                if (numbers->getElementType()->isIntegerTy() && m_memory.holds(numbers->getElementAsInteger(i)))
                    return true;
            return false;
        }
        if (!m_seen.insert(&constant).second)
            return false;
        return std::ranges::any_of(constant.operands(), [this](const llvm::Use& operand) {
            const auto* of = llvm::dyn_cast<llvm::Constant>(operand.get());
            return of && isIn(*of);
        });
    }

private:
    MappedMemory m_memory;
    llvm::SmallPtrSet<const llvm::Constant*, 32> m_seen;
};

}  // namespace

bool holdsAddresses(const llvm::Module& module)
{
    AddressFinder finder;
    for (const llvm::GlobalVariable& variable : module.globals())
        if (variable.hasInitializer() && finder.isIn(*variable.getInitializer()))
            return true;
    for (const llvm::Function& function : module)
        for (const llvm::Instruction& instruction : llvm::instructions(function))
            for (const llvm::Use& operand : instruction.operands())
                if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get()))
                    if (finder.isIn(*constant))
                        return true;
    return false;
}

}  // namespace lanescope::simt::native
