// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global and constant memory of a launch at any step: initial contents plus all blocks' writes up to there.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/replay/image.h"

namespace lanescope::replay {

/// All global writes of a launch, by buffer. Immutable, shared between cursors.
struct LaunchWrites {
    /// What one event wrote, lane for lane: pieces of as many bytes each, as far apart as the first two.
    struct Run {
        StepIndex step = 0;
        uint64_t offset = 0;
        uint64_t from = 0;   ///< where its bytes begin in OfBuffer::bytes
        uint32_t count = 0;  ///< bytes of a piece
        uint32_t pieces = 1;
        int64_t pitch = 0;  ///< from one piece to the next
        [[nodiscard]] uint64_t bytes() const { return uint64_t{count} * pieces; }
    };
    struct OfBuffer {
        std::vector<Run> runs;  ///< by (step, block)
        std::vector<uint8_t> bytes;
    };
    std::map<BufferId, OfBuffer> byBuffer;

    static Result<std::shared_ptr<const LaunchWrites>> load(trace::TraceReader& reader, LaunchId launch);
};

/// Images of the buffers that were asked for, each moved to a step when it is asked for. Moving forwards costs what is
/// written in between; so does moving back a little, and moving back far what is written up to there. Of a buffer that
/// was moved far there are several images, so that the way back costs nothing.
class GlobalState {
public:
    GlobalState(trace::TraceReader& reader, LaunchId launch) : m_reader(reader), m_launch(launch) {}

    /// Takes up new writes of a growing trace; images start anew when there are any.
    void setWrites(std::shared_ptr<const LaunchWrites> writes);
    /// Without BufferImage::lastWrite, which takes eight times the bytes and is seldom asked for.
    const BufferImage& image(BufferId buffer, StepIndex step);
    /// What image leaves out, of the first byte of each \p element bytes; empty where nothing is written before.
    [[nodiscard]] std::vector<StepIndex> lastWrites(BufferId buffer, StepIndex step, uint64_t element) const;
    /// The buffers that the launch writes, at \p step.
    void addTo(Hasher& hasher, StepIndex step);

private:
    struct MovableImage {
        BufferImage image;
        size_t applied = 0;         ///< runs
        size_t taped = 0;           ///< how many of them, the last ones, can be taken back
        std::vector<uint8_t> tape;  ///< what these changed, last on top
    };
    struct Images {
        MovableImage now;
        std::vector<MovableImage> others;  ///< where it was before it was moved far, the latest last
        uint64_t firstVersion = 0;         ///< with no run applied; with each, the next one
    };

    MovableImage begun(BufferId buffer) const;
    static bool isNear(const MovableImage& movable, const LaunchWrites::OfBuffer& writes, size_t target);
    void moveFar(BufferId buffer, Images& images, const LaunchWrites::OfBuffer& writes, size_t target) const;
    static void apply(MovableImage& movable, const LaunchWrites::OfBuffer& writes, bool onTape);
    static void takeBack(MovableImage& movable, const LaunchWrites::OfBuffer& writes);

    trace::TraceReader& m_reader;
    LaunchId m_launch;
    std::shared_ptr<const LaunchWrites> m_writes;
    std::map<BufferId, Images> m_images;
};

}  // namespace lanescope::replay
