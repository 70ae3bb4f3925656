// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope state: buffers, variables and active lanes at a step.
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/state_document.h"

namespace lanescope::cli {

namespace {

struct StateOptions {
    std::string trace;
    std::string at;
    std::string format = "text";
    std::string buffer;
    bool allBlocks = false;
};

/// The document of the block that the text, with \p base for what it leaves out, looks at.
Result<Json> stateOf(replay::Session& session, const std::string& text, const replay::Focus& base,
                     const std::string& buffer)
{
    const Result<replay::Focus> focus = session.parseFocus(text, base);
    if (!focus)
        return focus.error();
    const trace::Launch& launch = session.catalog().launches[focus.value().launch.value];
    const BlockIndex block{linearIndex(focus.value().block, launch.grid)};
    Result<std::unique_ptr<replay::BlockCursor>> cursor = session.cursor(focus.value().launch, block);
    if (!cursor)
        return cursor.error();
    const StepIndex step = std::min(focus.value().step, cursor.value()->stepCount());
    if (const Result<void> moved = cursor.value()->seek(step); !moved)
        return moved.error();
    return stateDocument(session, *cursor.value(), focus.value(), buffer);
}

Result<std::vector<Json>> statesOf(replay::Session& session, const StateOptions& options)
{
    const Result<replay::Focus> opening = session.openingFocus();
    if (!opening)
        return opening.error();
    std::vector<Json> states;
    if (!options.allBlocks) {
        const Result<Json> state = stateOf(session, options.at, opening.value(), options.buffer);
        if (!state)
            return state.error();
        states.push_back(state.value());
        return states;
    }
    const Result<replay::Focus> first = session.parseFocus(options.at, opening.value());
    if (!first)
        return first.error();
    const std::string text = withoutBlock(options.at);
    const trace::Launch& launch = session.catalog().launches[first.value().launch.value];
    const Result<std::vector<BlockIndex>> blocks = session.reader().blocks(launch.id);
    if (!blocks)
        return blocks.error();
    for (const BlockIndex block : blocks.value()) {
        replay::Focus base = first.value();
        base.block = positionOf(block.value, launch.grid);
        const Result<Json> state = stateOf(session, text, base, options.buffer);
        if (!state)
            return state.error();
        states.push_back(state.value());
    }
    return states;
}

int printState(const StateOptions& options)
{
    Result<std::unique_ptr<replay::Session>> session = replay::Session::open(options.trace);
    if (!session)
        return fail(session.error());
    const Result<std::vector<Json>> states = statesOf(*session.value(), options);
    if (!states)
        return fail(states.error());
    if (options.format == "text") {
        for (const Json& state : states.value())
            fmt::print("{}", stateText(state));
        return kOk;
    }
    Json document = {{"schema", kJsonSchema}, {"program", session.value()->catalog().session.program}};
    if (options.allBlocks)
        document["states"] = states.value();
    else
        document.update(states.value()[0]);
    printJson(document);
    return kOk;
}

}  // namespace

void addStateCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<StateOptions>();
    CLI::App* command = app.add_subcommand("state", "buffers, variables and active lanes at a step");
    command->add_option("trace", options->trace, "the trace")->required()->type_name("TRACE");
    command
        ->add_option("--at", options->at,
                     "launch=0 block=1,0,0 step=137 thread=2,1,0, first, last, 50%, or epoch=1 for the step at which "
                     "the block's first barrier is complete")
        ->type_name("FOCUS");
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->add_option("--buffer", options->buffer, "only the buffer of this name")->type_name("NAME");
    command->add_flag("--all-blocks", options->allBlocks, "every recorded block of the launch");
    command->callback([options, &context] { context.run = [options] { return printState(*options); }; });
}

}  // namespace lanescope::cli
