// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/kernel_functions.h"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

namespace lanescope::simt {

using llvm::dyn_cast;

std::vector<llvm::Function*> kernelsOf(llvm::Module& module)
{
    std::vector<llvm::Function*> found;
    auto add = [&](llvm::Function* function) {
        if (std::find(found.begin(), found.end(), function) == found.end())
            found.push_back(function);
    };
    if (const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations"))
        for (const llvm::MDNode* node : annotations->operands())
            if (node->getNumOperands() >= 2)
                if (const auto* tag = dyn_cast<llvm::MDString>(node->getOperand(1));
                    tag && tag->getString() == "kernel")
                    if (auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0)))
                        add(function);
    for (llvm::Function& function : module)
        if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
            add(&function);
    return found;
}

}  // namespace lanescope::simt
