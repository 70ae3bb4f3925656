// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope render: a view of a trace as a picture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

/// The names of the views for which \p isMeant.
template <typename Predicate>
std::vector<std::string> viewsFor(const Predicate& isMeant)
{
    std::vector<std::string> names;
    for (const gui::ViewDescription& view : gui::viewDescriptions())
        if (isMeant(view))
            names.push_back(view.name);
    return names;
}

/// "stage, source or window".
std::string allViewNames()
{
    std::vector<std::string> names = viewsFor([](const gui::ViewDescription&) { return true; });
    const std::string last = names.back();
    names.pop_back();
    return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

std::string viewsOfTwoTraces()
{
    return fmt::format("{}", fmt::join(viewsFor([](const auto& view) { return view.traces == 2; }), ", "));
}

std::string viewsWith(const std::string& flag)
{
    const auto has = [&](const gui::ViewDescription& view) {
        return std::any_of(view.options.begin(), view.options.end(), [&](const auto& o) { return o.flag == flag; });
    };
    return fmt::format("{}", fmt::join(viewsFor(has), ", "));
}

CLI::Validator checkOf(const gui::ViewOption::Number& number)
{
    return CLI::Range(number.least, number.most);
}

CLI::Validator checkOf(const gui::ViewOption::Count& count)
{
    return CLI::Range(static_cast<int>(count.least), static_cast<int>(count.most));
}

CLI::Validator checkOf(const gui::ViewOption::Word& word)
{
    return CLI::IsMember(word.words);
}

CLI::Validator checkOf(const gui::ViewOption::Text& /*text*/)
{
    return {};
}

/// The options that some views have; where several have one, it is the same for all of them.
void addViewOptions(CLI::App& command, gui::OptionValues& values)
{
    for (const gui::ViewDescription& view : gui::viewDescriptions())
        for (const gui::ViewOption& option : view.options) {
            if (command.get_option_no_throw(option.flag) != nullptr)
                continue;
            std::visit(
                [&](const auto& takes) {
                    using Value = typename std::decay_t<decltype(takes)>::Value;
                    command
                        .add_option_function<Value>(
                            option.flag, [&values, flag = option.flag](const Value& value) { values[flag] = value; },
                            viewsWith(option.flag) + ": " + option.help)
                        ->check(checkOf(takes));
                },
                option.takes);
        }
}

/// One view a line: its name, what it shows, the options that it has.
void listViews()
{
    for (const gui::ViewDescription& view : gui::viewDescriptions()) {
        std::vector<std::string> flags;
        if (view.traces == 2)
            flags.emplace_back("--compare");
        for (const gui::ViewOption& option : view.options)
            flags.push_back(option.flag);
        fmt::print("{:<12}{}{}\n", view.name, view.help,
                   flags.empty() ? "" : fmt::format(" ({})", fmt::join(flags, ", ")));
    }
}

}  // namespace

void addRenderCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<RenderOptions>();
    gui::RenderRequest& request = options->request;
    CLI::App* command = app.add_subcommand("render", "a view of a trace as a picture");
    command->add_option("trace", request.trace, "the trace")->required()->type_name("TRACE");
    command->add_option("--view", request.view, allViewNames())->required()->type_name("VIEW");
    command
        ->add_option("--at", request.focus,
                     "where: launch=0 block=1,0,0 step=137 (or epoch=2) thread=2,1,0, first, last, 50%")
        ->type_name("FOCUS");
    command->add_option("--overlay", options->overlays, "tiles, mapping, halo, banks, heat, age, race, bounds")
        ->type_name("LIST");
    command->add_option("--compare", request.compare, "view " + viewsOfTwoTraces() + ": the other trace")
        ->type_name("TRACE");
    command
        ->add_option("--role", request.role,
                     "counts what the warps of the focused block do that have this role (as view ring names it) alone")
        ->type_name("NAME");
    addViewOptions(*command, request.options);
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
    CLI::Option* output = command
                              ->add_option("-o,--output", request.output,
                                           "the picture: .png, .svg, .pdf, .gif or .mp4; or .html, a page that steps")
                              ->type_name("OUT");
    command
        ->add_flag("--proofread", options->proofread,
                   "tells instead which text of it is cut, covered, too small or overlaps; exit status 1 when any is")
        ->excludes(output);
    command
        ->add_flag_callback(
            "--list-views",
            [] {
                listViews();
                throw CLI::Success();
            },
            "lists the views: what each shows, which options it has")
        ->trigger_on_parse();
    command->callback([options, &context] { context.run = [options, &context] { return render(*options, context); }; });
}

}  // namespace lanescope::cli
