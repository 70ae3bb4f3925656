// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope render: a view of a trace as a picture.
#include <cstdio>
#include <cstdlib>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/gui/gui.h"

namespace lanescope::cli {

namespace {

struct RenderOptions {
    gui::RenderRequest request;
    std::string size = "1600x1000";
    std::string overlays;
    bool proofread = false;
};

bool hasDisplay()
{
    const auto isSet = [](const char* name) {
        const char* value = std::getenv(name);
        return value && *value;
    };
    return isSet("DISPLAY") || isSet("WAYLAND_DISPLAY");
}

/// Tells what nobody can read.
int proofread(const gui::RenderRequest& request, Context& context)
{
    const auto faults = gui::proofread(context.argc, context.argv, request);
    if (!faults)
        return fail(faults.error());
    for (const gui::TextFault& fault : faults.value())
        std::puts(gui::describe(fault).c_str());
    return faults.value().empty() ? kOk : kFindings;
}

int render(RenderOptions options, Context& context)
{
    const Result<PictureSize> size = parseSize(options.size);
    if (!size)
        return fail(size.error());
    options.request.width = size.value().width;
    options.request.height = size.value().height;
    options.request.overlays = splitList(options.overlays);
    if (!hasDisplay())
        setenv("QT_QPA_PLATFORM", "offscreen", 0);
    if (options.proofread)
        return proofread(options.request, context);
    const Result<void> rendered = gui::render(context.argc, context.argv, options.request);
    return rendered ? kOk : fail(rendered.error());
}

}  // namespace

void addRenderCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<RenderOptions>();
    gui::RenderRequest& request = options->request;
    CLI::App* command = app.add_subcommand("render", "a view of a trace as a picture");
    command->add_option("trace", request.trace, "the trace")->required()->type_name("TRACE");
    command
        ->add_option(
            "--view", request.view,
            "stage, source, timeline, findings, blocks, sweep, why, banks, coalescing, lines, roofline, compare or "
            "window")
        ->required()
        ->type_name("VIEW");
    command
        ->add_option("--at", request.focus,
                     "where: launch=0 block=1,0,0 step=137 (or epoch=2) thread=2,1,0, first, last, 50%")
        ->type_name("FOCUS");
    command->add_option("--overlay", options->overlays, "tiles, mapping, halo, banks, heat, age, race, bounds")
        ->type_name("LIST");
    command->add_option("--compare", request.compare, "view compare: the other trace")->type_name("TRACE");
    command->add_option("--zoom", request.zoom, "sweep: how many times wider the columns are")
        ->check(CLI::Range(1.0, 1024.0));
    command->add_option("--pan", request.pan, "sweep: share of the columns that lie left of the picture, 0 to 1")
        ->check(CLI::Range(0.0, 1.0));
    command->add_option("--pad", request.pad, "banks: what if rows of shared arrays had this many elements more")
        ->check(CLI::Range(0, 1024));
    command->add_option("--swizzle", request.swizzle, "banks: what if columns were swizzled: none, xor or rotate")
        ->check(CLI::IsMember({"none", "xor", "rotate"}));
    command->add_option("--theme", request.theme, "light, dark or projector")->capture_default_str();
    command->add_option("--size", options->size, "pixels")->type_name("WxH")->capture_default_str();
    command->add_option("--from", request.from, "first picture of a sequence")->type_name("FOCUS");
    command->add_option("--to", request.to, "last picture of a sequence")->type_name("FOCUS");
    command->add_option("--by", request.by, "access, line, epoch or block")->type_name("UNIT");
    command
        ->add_option("--tour-stop", request.tourStop, "a stop of a guided tour, from 1: its focus, camera and caption")
        ->check(CLI::Range(1, 10'000))
        ->type_name("N");
    command->add_option("--tour", request.tour, "the tour (default: the one that comes with the program)")
        ->type_name("FILE");
    command->add_flag("!--no-caption", request.caption, "without the words of the tour's stop");
    command->add_flag("--palette", request.palette, "a .png of at most 256 colours, half as large");
    CLI::Option* output =
        command->add_option("-o,--output", request.output, "the picture: .png, .svg, .pdf, .gif or .mp4")
            ->type_name("OUT");
    command
        ->add_flag("--proofread", options->proofread,
                   "tells instead which text of it is cut, covered, too small or overlaps; exit status 1 when any is")
        ->excludes(output);
    command->callback([options, &context] { context.run = [options, &context] { return render(*options, context); }; });
}

}  // namespace lanescope::cli
