// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/code_numbers.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace lanescope::simt {

CodeNumbers::CodeNumbers(const llvm::Module& module)
{
    uint32_t globals = 0, arguments = 0, instructions = 0;
    for (const llvm::GlobalVariable& global : module.globals())
        m_globals[&global] = globals++;
    for (const llvm::Function& function : module) {
        if (function.isDeclaration())
            continue;
        for (const llvm::Argument& argument : function.args())
            m_arguments[&argument] = arguments++;
        for (const llvm::Instruction& instr : llvm::instructions(function))
            m_instructions[&instr] = instructions++;
    }
    m_total = globals + arguments + instructions;
}

}  // namespace lanescope::simt
