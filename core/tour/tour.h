// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guided tours: stops in the recording of a program, each a place, a camera and a caption. The grammar is in
// docs/tours.md. Read this header first.
#pragma once

#include <string>
#include <vector>

#include "core/replay/replay.h"

namespace lanescope::tour {

struct Stop {
    uint32_t line = 0;  ///< of its title in the tour's text, 1-based
    std::string title;
    std::string focus;                  ///< FOCUS of the command's contract; empty: where a trace opens
    std::string after;                  ///< text of the source line that has just run; empty: the focus says it all
    uint32_t time = 1;                  ///< which time that line has run, or which finding of its kind, 1-based
    std::string finding;                ///< kind of the finding to go to; empty: none
    std::string cell;                   ///< selected: "a_shared[1][2]"; empty: none
    std::vector<std::string> camera;    ///< buffers, "threads", "blocks" that fill the stage; empty: everything
    std::vector<std::string> overlays;  ///< as `lanescope render --overlay` takes them
    std::string view;                   ///< analysis to show; empty: the timeline
    std::string caption;                ///< paragraphs, each on one line
};

struct Tour {
    std::string title;
    std::string program;  ///< file name in the gallery: "14_matmul_tiled.cu", "as_published/x.cu"
    std::vector<Stop> stops;
};

/// \p name is for error messages. Errors name the line, what was found and what is known.
Result<Tour> parse(const std::string& text, const std::string& name);

/// Where a stop lies in a recording.
struct Place {
    replay::Focus focus;
    std::vector<BufferId> camera;
    bool threads = false;  ///< in the camera
    bool blocks = false;
};

/// Error NotFound, with the stop's line, when the recording does not fit: no such source line, finding, buffer, cell,
/// or the line has not run that often. Cost: decodes the focused block.
Result<Place> placeOf(replay::Session& session, const Stop& stop);

}  // namespace lanescope::tour
