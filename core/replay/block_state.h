// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What belongs to one block alone: its shared and local memory and its variables. Copyable (a keyframe is a copy).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/replay/derived_values.h"
#include "core/replay/image.h"

namespace lanescope::replay {

/// Numbers of pairs of an id and a warp, from 0 in the order in which they are first asked for. Every event asks.
class NumbersByWarp {
public:
    uint32_t of(uint32_t id, uint32_t warp)
    {
        if (id >= m_numbers.size())
            m_numbers.resize(id + size_t{1});
        std::vector<uint32_t>& ofId = m_numbers[id];
        if (warp >= ofId.size())
            ofId.resize(warp + size_t{1}, kNone);
        if (ofId[warp] == kNone)
            ofId[warp] = m_count++;
        return ofId[warp];
    }
    /// Those that there are, by id and then by warp.
    template <typename Visit>
    void visit(const Visit& visit) const
    {
        for (uint32_t id = 0; id < m_numbers.size(); ++id)
            for (uint32_t warp = 0; warp < m_numbers[id].size(); ++warp)
                if (m_numbers[id][warp] != kNone)
                    visit(id, warp, m_numbers[id][warp]);
    }

private:
    static constexpr uint32_t kNone = UINT32_MAX;
    std::vector<std::vector<uint32_t>> m_numbers;  ///< [id][warp]
    uint32_t m_count = 0;
};

/// Of one lane's value of a write that \p site derives.
uint32_t bytesOfDerived(const trace::Site& site);

/// Applies events and takes them back.
class BlockState {
public:
    /// Gives a global or constant buffer that nobody writes during the launch; what it points to stays until the next
    /// call.
    using Unwritten = std::function<const BufferImage&(BufferId)>;

    /// \p unwritten must outlive it and its copies.
    BlockState(const trace::Catalog& catalog, LaunchId launch, BlockIndex block, const Unwritten& unwritten)
        : m_catalog(&catalog), m_launch(launch), m_block(block), m_unwritten(&unwritten)
    {
    }

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

    void applyLoad(const trace::Event& event, UndoTape* tape);
    void applyStore(StepIndex step, const trace::Event& event, UndoTape* tape);
    void applyVariable(StepIndex step, const trace::Event& event, UndoTape* tape);
    void applyDerived(StepIndex step, const trace::Event& event, UndoTape* tape);
    /// The image that \p site's variable has in \p warp, which is about to be written; null when it is none's.
    VariableImage* imageToWrite(const trace::Site& site, uint32_t warp, UndoTape* tape);
    size_t imageIndex(BufferId buffer, uint32_t thread);
    size_t variableIndex(VariableId variable, uint32_t warp);
    size_t loadedIndex(SiteId load, uint32_t warp);
    [[nodiscard]] bool isOperand(SiteId load);
    const BufferImage& sharedImage(BufferId buffer);
    template <typename Word>
    void keepLoaded(LaneBits& kept, const trace::Event& event);
    [[nodiscard]] LaneBits derivedValues(const trace::Site& site, uint32_t warp);
    void fillOperand(const trace::DerivationStep& step, uint32_t warp, LaneBits& values);

    const trace::Catalog* m_catalog;
    LaunchId m_launch;
    BlockIndex m_block;
    const Unwritten* m_unwritten;
    std::map<ImageKey, size_t> m_imageOf;
    std::optional<std::pair<ImageKey, size_t>> m_lastImage;  ///< of m_imageOf: lanes mostly ask for one after the other
    std::deque<BufferImage> m_images;                        ///< deque: references handed out stay valid
    NumbersByWarp m_variableOf;
    std::deque<VariableImage> m_variables;
    NumbersByWarp m_loadedOf;  ///< by site
    /// What loads that variables are computed from gave last.
    std::vector<LaneBits> m_loaded;
    std::shared_ptr<const std::vector<uint8_t>> m_operands;  ///< by site; shared between copies
};

}  // namespace lanescope::replay
