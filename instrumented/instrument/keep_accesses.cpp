// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for hardware's counters: the recorded accesses and no others. What a compiler makes of several (one of more
// bytes, or none) would be counted as something else than what was recorded.
#include <set>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/code/program.h"
#include "instrumented/instrument/device_code.h"

namespace lanescope::instrument {

void keepAccesses(DeviceCode& code)
{
    std::set<uint32_t> recorded;
    for (const auto& [kernel, program] : code.programs)
        for (const device::SitePlace& place : program->places)
            recorded.insert(place.place.value >> device::PlaceNumber::kPieceBits);
    for (llvm::Function& function : *code.module)
        for (llvm::Instruction& instr : llvm::instructions(function)) {
            if (!recorded.contains(code.numbers->of(instr)))
                continue;
            if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instr))
                load->setVolatile(true);
            else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instr))
                store->setVolatile(true);
        }
}

}  // namespace lanescope::instrument
