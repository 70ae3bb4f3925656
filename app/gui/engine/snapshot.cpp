// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/snapshot.h"

namespace lanescope::gui {

const std::byte* BufferView::at(uint64_t element) const
{
    const uint64_t size = buffer.element.totalBytes();
    if (!state || element >= shape.elements || (element + 1) * size > state->bytes.size())
        return nullptr;
    return state->bytes.data() + element * size;
}

bool BufferView::hasValue(uint64_t element) const
{
    return at(element) != nullptr && state->isInitialised(element * buffer.element.totalBytes());
}

std::optional<size_t> Snapshot::indexOf(BufferId buffer) const
{
    for (size_t i = 0; i < buffers.size(); ++i)
        if (buffers[i].buffer.id == buffer)
            return i;
    return std::nullopt;
}

}  // namespace lanescope::gui
