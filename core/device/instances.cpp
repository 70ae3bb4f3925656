// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/device/instances.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lanescope::device {
namespace {

auto sizeOf(const Instance& instance)
{
    return std::tuple(std::max(instance.blocks[0], instance.blocks[1]),
                      std::max(instance.threads[0], instance.threads[1]),
                      std::min(instance.threads[0], instance.threads[1]));
}

}  // namespace

size_t Instances::count(const Kind& kind)
{
    auto known = std::find_if(m_kinds.begin(), m_kinds.end(), [&](const Kind& other) {
        return other.blocks == kind.blocks && other.threads == kind.threads;
    });
    const auto place = static_cast<size_t>(known - m_kinds.begin());
    if (known != m_kinds.end())
        known->count += kind.count;
    else if (m_kinds.size() < kMostKinds)
        m_kinds.push_back(kind);
    else
        return kMostKinds;
    return place;
}

size_t Instances::add(const Instance& instance, bool twoSides, uint64_t times)
{
    if (empty() || sizeOf(instance) < sizeOf(m_smallest))
        m_smallest = instance;
    if (twoSides)
        return count({static_cast<int64_t>(instance.blocks[1] - instance.blocks[0]),
                      int64_t{instance.threads[1]} - int64_t{instance.threads[0]}, times, instance});
    return count({0, int64_t{instance.threads[0]}, times, instance});
}

void Instances::merge(const Instances& other, bool swapped)
{
    auto turned = [&](Instance instance) {
        if (swapped) {
            std::swap(instance.blocks[0], instance.blocks[1]);
            std::swap(instance.threads[0], instance.threads[1]);
        }
        return instance;
    };
    if (!other.empty() && (empty() || sizeOf(other.m_smallest) < sizeOf(m_smallest)))
        m_smallest = turned(other.m_smallest);
    for (const Kind& kind : other.m_kinds)
        count({swapped ? -kind.blocks : kind.blocks, swapped ? -kind.threads : kind.threads, kind.count,
               turned(kind.first)});
}

const Instance& Instances::typical() const
{
    return std::max_element(m_kinds.begin(), m_kinds.end(),
                            [](const Kind& a, const Kind& b) { return a.count < b.count; })
        ->first;
}

}  // namespace lanescope::device
