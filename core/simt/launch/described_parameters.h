// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What debug information says of a kernel's parameters: looked up once, as small programs launch often.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include "core/simt/ir/debug_info.h"

namespace lanescope::simt {

/// A pointer that a parameter is, or has in it.
struct DescribedPointer {
    PointerPart part;
    trace::ValueType element;          ///< what it points to, without qualifiers; bytes where nothing is known of it
    bool isPassedWithExtents = false;  ///< they are parameters, too: "NAME.shape[0]"
};

struct DescribedParameter {
    std::string name;                    ///< "arg0" where nothing is known of it
    const llvm::DIType* type = nullptr;  ///< null: nothing is known of it
    trace::ValueType value;
    std::vector<DescribedPointer> pointers;
    bool isTensor = false;  ///< a struct that has its layout in it, as Mojo passes tensors
};

std::vector<DescribedParameter> describeParameters(llvm::Function& function);

}  // namespace lanescope::simt
