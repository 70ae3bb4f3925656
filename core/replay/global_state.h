// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global and constant memory of a launch at any step: initial contents plus all blocks' writes up to there.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/replay/image.h"

namespace lanescope::replay {

/// All global writes of a launch, by buffer, each list by (step, block). Immutable, shared between cursors.
struct LaunchWrites {
    struct Write {
        StepIndex step = 0;
        uint64_t offset = 0;
        std::array<uint8_t, 16> value{};
        uint8_t bytes = 0;
    };
    std::map<BufferId, std::vector<Write>> byBuffer;

    static Result<std::shared_ptr<const LaunchWrites>> load(trace::TraceReader& reader, LaunchId launch);
};

/// Images of the buffers that were asked for, each moved to a step when it is asked for. Moving costs
/// O(writes to that buffer between the two steps).
class GlobalState {
public:
    GlobalState(trace::TraceReader& reader, LaunchId launch) : m_reader(reader), m_launch(launch) {}

    /// Takes up new writes of a growing trace; images start anew when there are any.
    void setWrites(std::shared_ptr<const LaunchWrites> writes);
    const BufferImage& image(BufferId buffer, StepIndex step);
    /// The buffers that the launch writes, at \p step.
    void addTo(Hasher& hasher, StepIndex step);

private:
    struct MovableImage {
        BufferImage image;
        UndoTape tape;
        std::vector<uint8_t> applied;  ///< per write done: whether it is on the tape
    };

    MovableImage& load(BufferId buffer);

    trace::TraceReader& m_reader;
    LaunchId m_launch;
    std::shared_ptr<const LaunchWrites> m_writes;
    std::map<BufferId, MovableImage> m_images;
};

}  // namespace lanescope::replay
