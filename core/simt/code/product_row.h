// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multiply-adds in a row whose loads lie at constant distances: what an unrolled inner product consists of. Where the
// first pair of loads and the farthest ones are known to be inside their objects, so are all others.
#pragma once

#include <cstdint>
#include <vector>

#include "core/simt/code/flow.h"
#include "core/trace/event_run.h"

namespace lanescope::simt {

struct MemoryInfo;

struct ProductRow {
    static constexpr uint32_t kInRegisters = UINT32_MAX;

    /// Two loads of floats and the multiply-add of what they load.
    struct Step {
        int32_t offset[2] = {};      ///< bytes from where the row's first load of that operand is
        uint32_t loaded[2] = {};     ///< the loads' registers
        bool keeps[2] = {};          ///< somebody else reads these
        uint32_t from = 0;           ///< the summand's register; kInRegisters: the sum of the step before
        uint32_t to = kInRegisters;  ///< where the sum is kept; kInRegisters: only the next step reads it
    };
    /// Of the loads of one operand.
    struct Operand {
        const MemoryInfo* first = nullptr;
        int64_t lowest = 0;  ///< offsets from the first load
        int64_t highest = 0;
        uint32_t bits = 0;  ///< that are set in any offset
        std::vector<const MemoryInfo*> loads;
    };

    Operand operands[2];
    std::vector<Step> steps;
    uint32_t length = 0;  ///< instructions
    /// What is recorded of it: the loads, each operand one of the run's places, and what becomes of variables. It goes
    /// for rows of one sum without NaNs.
    trace::EventRun events;
    bool isOneSum = true;     ///< nobody sees the sums between
    bool asksOthers = false;  ///< what is recorded follows from global memory (Derives::FromAll)
};

}  // namespace lanescope::simt
