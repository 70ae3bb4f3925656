// SPDX-License-Identifier: GPL-3.0-or-later
// The window and its pictures, as the command line calls them. Read this header first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/gui/view_description.h"
#include "core/base/result.h"

namespace lanescope::gui {

/// One picture of one view. Works without a display.
struct RenderRequest {
    std::string trace;           ///< path of a *.lanes file
    std::string view;            ///< the name of one of viewDescriptions()
    std::string focus;           ///< FOCUS of the command's contract; empty = Session::openingFocus
    std::string theme = "dark";  ///< "dark", "light" or "projector"
    std::string output;          ///< .png, .svg, .pdf, .gif, .mp4; .html: every step in every theme, in one file
    int width = 1600;            ///< pixels
    int height = 1000;           ///< pixels
    std::vector<std::string> overlays;
    OptionValues options;  ///< that the view describes; what only others take is left alone
    std::string role;      ///< of the focused block's warps, as the ring names it: counts these alone; empty = all
    std::string compare;   ///< path of the other trace, of a view that shows two
    std::string from;      ///< .pdf, .gif, .mp4, .html: first focus of a sequence; empty = one picture
    std::string to;
    std::string by;        ///< "access", "line", "epoch" or "block"
    int tourStop = 0;      ///< stop of a guided tour, 1-based: its focus, camera, overlays and caption; 0 = none
    bool caption = true;   ///< of the tour's stop, under the picture
    bool palette = false;  ///< .png: at most 256 colours
    std::string tour;      ///< path of the tour; empty = the one that comes with the program
};

/// Writes the picture. Errors name the known views, themes, overlays and endings where one is unknown.
/// Creates a QApplication when there is none; call from the main thread.
Result<void> render(int& argc, char** argv, const RenderRequest& request);

/// A piece of text in a picture that cannot be read; lengths in pixels of the picture.
struct TextFault {
    enum class Kind : uint8_t {
        Cut,       ///< by the edge of the picture, a clip or a widget
        Covered,   ///< in part, by what was painted later
        Overlaps,  ///< `other`
        Small,     ///< for any reader
        Elided,    ///< to next to nothing
    };
    Kind kind = Kind::Cut;
    std::string text;
    std::string other;
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
};
/// As one line for a person: "cut: 'acc' at 12,40, 30x9".
std::string describe(const TextFault& fault);

/// What cannot be read in the picture that render() writes. Writes nothing.
Result<std::vector<TextFault>> proofread(int& argc, char** argv, const RenderRequest& request);

struct ViewRequest {
    std::string input;               ///< PROG.cu, TRACE or empty (what was open last, else the gallery's tiled matmul)
    std::vector<std::string> ranks;  ///< further traces, of the same job's other processes
    std::string focus;               ///< FOCUS or empty
    std::string compare;             ///< path of a trace to compare with, or empty
    std::string executable;          ///< path of the lanescope binary to start `record` with
};

/// Shows the window and runs the event loop; returns the exit status.
int runWindow(int& argc, char** argv, const ViewRequest& request);

}  // namespace lanescope::gui
