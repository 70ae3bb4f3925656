// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/memory/object_table.h"

#include <cstring>
#include <mutex>

namespace lanescope::simt {
namespace {

/// Tables that the launches before have left, all zero: programs launch by the thousand.
struct Spares {
    static constexpr size_t kMost = 16;
    std::mutex mutex;
    std::vector<std::unique_ptr<Arena>> arenas;
};

Spares& spares()
{
    static Spares& spares = *new Spares;  // outlives every launch, those of other threads at exit, too
    return spares;
}

}  // namespace

std::unique_ptr<Arena> ObjectTable::takeSpare()
{
    {
        const std::lock_guard lock(spares().mutex);
        if (!spares().arenas.empty()) {
            std::unique_ptr<Arena> arena = std::move(spares().arenas.back());
            spares().arenas.pop_back();
            return arena;
        }
    }
    return std::make_unique<Arena>((kEndSlot - kSlotBase) * sizeof(ObjectEntry));
}

ObjectTable::~ObjectTable()
{
    const std::lock_guard lock(spares().mutex);
    if (spares().arenas.size() == Spares::kMost)
        return;
    for (uint64_t slot : m_placed)
        std::memset(static_cast<void*>(data() + (slot - kSlotBase)), 0, sizeof(ObjectEntry));
    spares().arenas.push_back(std::move(m_entries));
}

}  // namespace lanescope::simt
