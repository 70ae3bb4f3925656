// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <vector>

#include "core/simt/memory/address_slots.h"
#include "core/simt/memory/arena.h"
#include "core/simt/memory/object_entry.h"

namespace lanescope::simt {

/// What lies at which address slot. There are thousands of slots and a launch uses a few: of the others' entries, all
/// zero, not even the memory is touched.
class ObjectTable {
public:
    ObjectTable() : m_entries(takeSpare()) {}
    ObjectTable(const ObjectTable& other) : ObjectTable()
    {
        for (uint64_t slot : other.m_placed)
            place(slot) = other[slot];
    }
    ObjectTable& operator=(const ObjectTable&) = delete;
    ~ObjectTable();

    /// A fresh entry; the slot has none yet.
    ObjectEntry& place(uint64_t slot)
    {
        m_placed.push_back(slot);
        ObjectEntry* entry = std::construct_at(data() + (slot - kSlotBase));
        entry->placed = true;
        return *entry;
    }
    ObjectEntry& operator[](uint64_t slot) { return data()[slot - kSlotBase]; }
    const ObjectEntry& operator[](uint64_t slot) const { return data()[slot - kSlotBase]; }
    [[nodiscard]] const std::vector<uint64_t>& placedSlots() const { return m_placed; }
    /// By slot − kSlotBase.
    [[nodiscard]] ObjectEntry* data() const { return reinterpret_cast<ObjectEntry*>(m_entries->data()); }

private:
    static std::unique_ptr<Arena> takeSpare();

    std::unique_ptr<Arena> m_entries;
    std::vector<uint64_t> m_placed;
};

}  // namespace lanescope::simt
