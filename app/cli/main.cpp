// SPDX-License-Identifier: GPL-3.0-or-later
// Entry point: declares the subcommands, parses, runs the chosen one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "app/cli/commands.h"

namespace lanescope::cli {

int fail(const std::string& message)
{
    std::fflush(stdout);
    fmt::print(stderr, "lanescope: error: {}\n", message);
    return kCouldNotRun;
}

int fail(const Error& error)
{
    return fail(error.text());
}

namespace {

std::string joined(int argc, char** argv)
{
    std::string line = "lanescope";
    for (int i = 1; i < argc; ++i)
        line += std::string(" ") + argv[i];
    return line;
}

/// CLI11 writes help and its own errors; ours are one line with a hint.
int report(const CLI::App& app, const CLI::ParseError& error)
{
    if (error.get_exit_code() == 0)
        return app.exit(error);
    std::string message = error.what();
    if (!message.empty() && message[0] >= 'A' && message[0] <= 'Z' && message[1] >= 'a')
        message[0] = static_cast<char>(message[0] - 'A' + 'a');
    return fail(message + "; see lanescope --help");
}

/// nvcc's command line is not for CLI11: where it is, its words begin, else 0.
int wordsForNvcc(int argc, char** argv)
{
    const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : std::string();
    if (name == "lanescope-nvcc" || name == "nvcc")
        return 1;
    return argc > 1 && std::string_view(argv[1]) == "nvcc" ? 2 : 0;
}

#ifdef LANESCOPE_HAS_GUI
/// A program or trace alone is to be seen: `lanescope prog.cu` is `lanescope view prog.cu`.
bool isViewed(int argc, char** argv, const CLI::App& app)
{
    const auto isNamed = [&](const CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; };
    std::error_code ignored;
    return argc > 1 && app.get_subcommands(isNamed).empty() && std::filesystem::is_regular_file(argv[1], ignored);
}
#endif

int run(int argc, char** argv)
{
    if (const int words = wordsForNvcc(argc, argv))
        return nvcc({argv + words, argv + argc});
    CLI::App app{"Lanescope: a visual debugger for CUDA kernels.\n"
                 "Without a subcommand: opens the window on the gallery's tiled matmul."};
    app.name("lanescope");
    app.set_version_flag("--version", std::string("lanescope ") + kLanescopeVersion);
    app.require_subcommand(0, 1);

    // Of a recording for another machine: what was typed there.
    const char* const typed = std::getenv("LANESCOPE_COMMAND_LINE");
    Context context{argc, argv, typed ? typed : joined(argc, argv), nullptr};
    addRecordCommand(app, context);
    addRemoteCommand(app, context);
    addRunCommand(app, context);
    addBuildCommand(app, context);
    addNvccCommand(app, context);
    addCheckCommand(app, context);
    addMergeCommand(app, context);
    addInfoCommand(app, context);
    addStateCommand(app, context);
    addReportCommand(app, context);
    addDiffCommand(app, context);
    addLayoutCommand(app, context);
    addExerciseCommand(app, context);
    addDoctorCommand(app, context);
#ifdef LANESCOPE_HAS_GUI
    addRenderCommand(app, context);
    addViewCommand(app, context);
#endif
    try {
        std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
#ifdef LANESCOPE_HAS_GUI
        if (isViewed(argc, argv, app))
            words.insert(words.begin(), "view");
#endif
        std::reverse(words.begin(), words.end());  // as CLI11 takes them
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        return report(app, error);
    }
    if (context.run)
        return context.run();
    std::fputs(app.help().c_str(), stdout);  // built without the window
    return kOk;
}

}  // namespace

}  // namespace lanescope::cli

int main(int argc, char** argv)
{
    return lanescope::cli::run(argc, argv);
}
