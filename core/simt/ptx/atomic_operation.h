// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an atomic update of LLVM's is in code.
#pragma once

#include <optional>

#include <llvm/IR/Instructions.h>

#include "core/simt/code/instruction.h"

namespace lanescope::simt {

/// Of values of \p type; None: there is no such operation.
inline std::optional<AtomicOp> atomicOperation(llvm::AtomicRMWInst::BinOp operation, const llvm::Type& type)
{
    using Rmw = llvm::AtomicRMWInst;
    const bool isHalf = type.getScalarType()->isHalfTy(), isBFloat = type.getScalarType()->isBFloatTy();
    switch (operation) {
    case Rmw::Xchg:
        return AtomicOp::Exchange;
    case Rmw::Add:
        return AtomicOp::Add;
    case Rmw::Sub:
        return AtomicOp::Sub;
    case Rmw::And:
        return AtomicOp::And;
    case Rmw::Or:
        return AtomicOp::Or;
    case Rmw::Xor:
        return AtomicOp::Xor;
    case Rmw::FMax:
    case Rmw::FMin:
        if (isHalf || isBFloat)
            return std::nullopt;
        return operation == Rmw::FMax ? AtomicOp::Max : AtomicOp::Min;
    case Rmw::Max:
        return AtomicOp::Max;
    case Rmw::Min:
        return AtomicOp::Min;
    case Rmw::UMax:
        return AtomicOp::UMax;
    case Rmw::UMin:
        return AtomicOp::UMin;
    case Rmw::FAdd:
        return isHalf ? AtomicOp::HalfAdd : isBFloat ? AtomicOp::BFloatAdd : AtomicOp::FAdd;
    case Rmw::UIncWrap:
        return AtomicOp::Inc;
    case Rmw::UDecWrap:
        return AtomicOp::Dec;
    default:
        return std::nullopt;
    }
}

}  // namespace lanescope::simt
