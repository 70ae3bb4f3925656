// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What belongs to one block alone: its shared and local memory and its variables. Copyable (a keyframe is a copy).
#pragma once

#include <deque>
#include <map>
#include <span>
#include <vector>

#include "core/replay/derived_values.h"
#include "core/replay/image.h"

namespace lanescope::replay {

/// Applies events and takes them back.
class BlockState {
public:
    explicit BlockState(const trace::Catalog& catalog) : m_catalog(&catalog) {}

    /// Runs \p event, which is the block's event number \p step. With a tape it can be undone, last first.
    void apply(StepIndex step, const trace::Event& event, UndoTape* tape);
    void undo(UndoTape& tape);
    /// Fills in the values of a variable write that follow from the state before it. Nothing for other events.
    void derive(trace::Event& event);

    /// Image of a shared buffer, or of a thread's local one. Blank when nothing has been written to it.
    const BufferImage& image(BufferId buffer, uint32_t thread);
    const VariableImage& variable(VariableId variable, uint32_t warp);
    void addTo(Hasher& hasher) const;
    /// About how much memory a copy takes.
    [[nodiscard]] size_t memory() const;

private:
    /// Shared buffers use thread 0.
    using ImageKey = std::pair<uint32_t, uint32_t>;
    using VariableKey = std::pair<uint32_t, uint32_t>;

    void applyLoad(const trace::Event& event, UndoTape* tape);
    void applyStore(StepIndex step, const trace::Event& event, UndoTape* tape);
    void applyVariable(StepIndex step, const trace::Event& event, UndoTape* tape);
    size_t imageIndex(BufferId buffer, uint32_t thread);
    size_t variableIndex(VariableId variable, uint32_t warp);
    [[nodiscard]] bool isOperand(SiteId load);
    LaneBits loadedValues(const trace::Event& event);
    LaneBits operandValues(const trace::DerivationStep& step, uint32_t warp, uint32_t bytes);

    const trace::Catalog* m_catalog;
    std::map<ImageKey, size_t> m_imageOf;
    std::deque<BufferImage> m_images;  ///< deque: references handed out stay valid
    std::map<VariableKey, size_t> m_variableOf;
    std::deque<VariableImage> m_variables;
    /// What loads that variables are computed from gave last, by site and warp.
    std::map<std::pair<uint32_t, uint32_t>, LaneBits> m_loaded;
    std::shared_ptr<const std::vector<uint8_t>> m_operands;  ///< by site; shared between copies
};

}  // namespace lanescope::replay
