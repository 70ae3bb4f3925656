// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/requested_device_launch.h"

#include "core/simt/code/program.h"
#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {

void RequestedDeviceLaunch::addObjects(const LaunchPlan& plan)
{
    const auto add = [&](device::ObjectKey key, uint64_t slot) {
        m_objects.push_back({key, plan.objects[slot].buffer, plan.objects[slot].bytes, slotAddress(slot)});
    };
    for (const MemoryObject& object : plan.program.shared) {
        add(object.key, object.slot);
        m_objects.back().sharedOffset = object.dynamic ? plan.program.dynamicSharedOffset() : object.offset;
    }
    for (const MemoryObject& object : plan.program.locals)
        add(object.key, object.slot);
    for (const ParameterPlace& place : plan.program.parameters)
        if (place.parameterSlot)
            add(place.key, place.parameterSlot);
}

RequestedDeviceLaunch::RequestedDeviceLaunch(const LaunchPlan& plan, const std::string& kernel,
                                             const std::vector<device::GlobalVariable>& variables,
                                             std::span<const void* const> arguments, uint32_t codeTotal)
{
    addObjects(plan);
    for (size_t i = 0; i < arguments.size(); ++i)
        m_arguments.emplace_back(static_cast<const std::byte*>(arguments[i]), plan.program.parameters[i].bytes);
    for (const device::GlobalVariable& variable : variables)
        m_globals.push_back(variable.address);
    m_launch.kernel = kernel;
    m_launch.id = plan.launch.id;
    m_launch.grid = plan.launch.grid;
    m_launch.block = plan.launch.block;
    m_launch.dynamicSharedBytes = plan.launch.dynamicSharedBytes;
    m_launch.cooperative = plan.options.cooperative;
    m_launch.cluster = plan.launch.cluster;
    m_launch.arguments = m_arguments;
    m_launch.places = plan.program.places;
    m_launch.sites = plan.program.sites;
    m_launch.objects = m_objects;
    m_launch.globals = m_globals;
    m_launch.codeTotal = codeTotal;
    m_launch.mayBeWritten = [&plan](uint64_t address) { return !plan.objects[address >> 32].valuesDerivable; };
    m_launch.writer = plan.options.writer;
    m_launch.recorded = plan.options.selectedBox;
}

}  // namespace lanescope::simt
