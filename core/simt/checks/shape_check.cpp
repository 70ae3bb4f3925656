// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow way of a subscript outside its declared extent, lane by lane.
#include "core/simt/checks/shape_check.h"

#include <algorithm>
#include <bit>

#include "core/simt/checks/block_checks.h"
#include "core/trace/writer.h"

namespace lanescope::simt {
namespace {

int64_t subscript(Warp& warp, const ShapeDim& dim, unsigned lane)
{
    const Operand& operand = dim.index.operand;
    switch (dim.value) {
    case ShapeDim::Value::Constant:
        return dim.constant;
    case ShapeDim::Value::Unknown:
        return 0;
    case ShapeDim::Value::Register:
        break;
    }
    if (operand.form == Form::Scalar)
        return dim.index.wide ? warp.scalar<int64_t>(operand.reg) : warp.scalar<int32_t>(operand.reg);
    return dim.index.wide ? warp.vector<int64_t>(operand.reg)[lane] : warp.vector<int32_t>(operand.reg)[lane];
}

bool isOutside(Warp& warp, const ShapeDim& dim, unsigned lane)
{
    return dim.limited && static_cast<uint64_t>(subscript(warp, dim, lane)) >= dim.extent;
}

device::AccessFault faultOf(Warp& warp, const ShapeCheck& check, unsigned lane)
{
    device::AccessFault fault;
    fault.kind = device::AccessFault::Kind::OutOfShape;
    fault.staticSite = check.staticSite;
    fault.isWrite = check.isWrite;
    fault.block = warp.block->index;
    fault.thread = uint32_t{warp.id} * kWarpSize + lane;
    fault.epoch = warp.block->epoch;
    fault.step = warp.recorder ? warp.recorder->steps() : 0;
    for (size_t i = check.shown; i < check.dims.size(); ++i) {
        const ShapeDim& dim = check.dims[i];
        fault.subscripts.push_back({dim.value != ShapeDim::Value::Unknown, subscript(warp, dim, lane), dim.extent});
    }
    return fault;
}

}  // namespace

void reportShape(Warp& warp, const ShapeCheck& check)
{
    std::vector<device::AccessFault>& faults = warp.block->checks->faults;
    if (!warp.block->checks->bounds)
        return;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if (std::none_of(check.dims.begin(), check.dims.end(),
                         [&](const ShapeDim& dim) { return isOutside(warp, dim, lane); }))
            continue;
        auto known = std::find_if(faults.begin(), faults.end(), [&](const device::AccessFault& fault) {
            return fault.kind == device::AccessFault::Kind::OutOfShape && fault.staticSite == check.staticSite;
        });
        if (known == faults.end())
            known = faults.insert(faults.end(), faultOf(warp, check, lane));
        else
            ++known->count;
        known->instances.add({{warp.block->index, 0},
                              {uint32_t{warp.id} * kWarpSize + lane, 0},
                              0,
                              warp.block->epoch,
                              warp.recorder ? warp.recorder->steps() : 0},
                             false);
    }
}

}  // namespace lanescope::simt
