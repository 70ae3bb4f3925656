// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/program_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/commands.h"
#include "core/cuda/driver.h"

namespace lanescope::cli {

namespace {

/// What the runtime takes (instrumented/runtime/options.h).
constexpr unsigned kMostDevices = 16;

/// A fresh folder, which the program finds in TMPDIR.
std::string scratchFolder()
{
    std::string path = std::filesystem::temp_directory_path().string() + "/lanescope-sandbox-XXXXXX";
    if (!mkdtemp(path.data()))
        return "/nonexistent";
    setenv("TMPDIR", path.c_str(), 1);
    return path;
}

}  // namespace

bool wantsProgress()
{
    const char* const wanted = std::getenv("LANESCOPE_PROGRESS");
    return !wanted || std::string_view(wanted) != "0";
}

void addCompileOptions(CLI::App& command, ProgramOptions& options)
{
    command
        .add_option("--cuda-path", options.toolkit,
                    "a CUDA toolkit: its Thrust, CUB, libcu++, narrow floats and cuRAND are read instead of "
                    "Lanescope's, and what Lanescope has not")
        ->check([](const std::string& folder) {
            return std::filesystem::is_directory(std::filesystem::path(folder) / "include")
                       ? std::string()
                       : folder + " holds no folder 'include'";
        })
        ->type_name("DIR");
    command.add_option("-I", options.includeDirectories, "include folder")->allow_extra_args(false)->type_name("DIR");
    command
        .add_option("--step-into", options.stepInto,
                    "step into the code of this folder's or file's headers, though they are found by -I and so a "
                    "library's, whose code is optimised (also: LANESCOPE_STEP_INTO, several with colons between)")
        ->allow_extra_args(false)
        ->type_name("PATH");
    command.add_option("-D", options.definitions, "preprocessor definition")
        ->allow_extra_args(false)
        ->type_name("NAME[=VALUE]");
    command.add_option("--device", options.device, "simulator or cuda")
        ->check(CLI::IsMember({"simulator", "cuda"}))
        ->capture_default_str();
    command.add_flag("--as-compiled", options.asCompiled,
                     "optimised device code: the accesses that hardware sees (default: -O0, every variable visible)");
}

void addRunOptions(CLI::App& command, ProgramOptions& options)
{
    command
        .add_option("--schedule", options.schedule,
                    "lockstep, sequential, reverse, random:SEED, or lanes:SEED (each lane on its own)")
        ->capture_default_str();
    command
        .add_option("--devices", options.devices,
                    "how many devices the program finds in the simulator (default: LANESCOPE_DEVICES, else 1)")
        ->check(CLI::Range(1U, kMostDevices))
        ->type_name("N");
    command.add_option("--max-steps", options.maxSteps,
                       "stop a launch after so many warp instructions (default: 137 billion)");
    command.add_option("--max-seconds", options.maxSeconds, "with --device cuda: stop a kernel that runs longer");
    command.add_option("--threads", options.threads, "host threads that run blocks (default: one per core)");
    command.add_flag("--sandbox", options.sandbox,
                     "no network for the program, and no writing outside the folder that TMPDIR names (Linux)");
    command.add_option("args", options.arguments, "arguments of the program, after --");
}

void addRecordOptions(CLI::App& command, ProgramOptions& options)
{
    command.add_option("--launch", options.launch, "record only launch N (counted from 0)")->type_name("N");
    command.add_option("--blocks", options.blocks, "record only these blocks")->type_name("x0:x1,y0:y1,z0:z1");
    command
        .add_option("--max-bytes", options.maxBytes, "byte budget of the trace, e.g. 512M; blocks beyond are dropped")
        ->type_name("N");
    command.add_flag("--count", options.count,
                     "with --device cuda: only count what accesses cost, by site; for full-size runs");
    command.add_flag("--races", options.races, "with --count: also look for races, by shadow memory on the GPU")
        ->needs("--count");
    command.add_flag("--counters", options.counters,
                     "with --device cuda: also run each kernel for the GPU's own counters (CUPTI)");
    command.add_flag("--no-variables", options.noVariables, "do not record variables");
    command
        .add_option("--progress-fd", options.progressFd,
                    "write one JSON line per launch begin and end to this file descriptor")
        ->type_name("FD");
}

Result<std::string> runtimeOptions(const ProgramOptions& options, const std::string& commandLine,
                                   FindingsAtExit findings)
{
    if ((options.count || options.counters) && options.device != "cuda")
        return Error{Error::Code::BadInput, "needs --device cuda", options.count ? "--count" : "--counters"};
    if (options.device == "cuda")
        if (const Result<const cuda::Driver*> driver = cuda::Driver::find(); !driver)
            return driver.error();
    const Result<std::string> schedule = parseSchedule(options.schedule);
    if (!schedule)
        return schedule.error();
    nlohmann::json json = {{"commandLine", commandLine},
                           {"schedule", schedule.value()},
                           {"device", options.device},
                           {"maxSteps", options.maxSteps},
                           {"hostThreads", options.threads},
                           {"variables", !options.noVariables},
                           {"count", options.count},
                           {"races", options.races},
                           {"maxSeconds", options.maxSeconds},
                           {"counters", options.counters},
                           {"checks", !options.noChecks},
                           {"progressFd", options.progressFd},
                           {"tellsProgress", options.progressFd < 0 && wantsProgress()},
                           {"reportFindings", findings == FindingsAtExit::Listed}};
    if (options.devices > 1 && options.device == "cuda")
        return Error{Error::Code::BadInput, "several devices are the simulator's: a real GPU is recorded alone",
                     "--devices"};
    if (options.devices != 0)
        json["devices"] = options.devices;
    if (options.sandbox)
        json["sandbox"] = scratchFolder();
    if (options.launch)
        json["launch"] = *options.launch;
    if (!options.maxBytes.empty()) {
        const Result<uint64_t> bytes = parseByteCount(options.maxBytes);
        if (!bytes)
            return bytes.error();
        json["maxBytes"] = bytes.value();
    }
    if (!options.blocks.empty()) {
        const Result<BlockRange> range = parseBlockRange(options.blocks);
        if (!range)
            return range.error();
        const auto& [first, last] = range.value();
        json["blocks"] = {{first.x, last.x}, {first.y, last.y}, {first.z, last.z}};
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string programName(const std::string& source)
{
    const std::filesystem::path path = std::filesystem::path(source).replace_extension();
    return path.has_parent_path() ? path.string() : "./" + path.string();
}

std::optional<compiler::CompiledProgram> compileProgram(const ProgramOptions& options, const std::string& output)
{
    compiler::CompileRequest request;
    request.source = options.source;
    request.includeDirectories = options.includeDirectories;
    request.stepInto = options.stepInto;
    request.definitions = options.definitions;
    request.asCompiled = options.asCompiled;
    request.device = options.device == "cuda" ? compiler::Device::Gpu : compiler::Device::Simulator;
    request.output = output;
    request.toolkit = options.toolkit;
    const Result<compiler::CompiledProgram> program = compiler::compile(request, compiler::findInstallation());
    if (program) {
        std::fputs(program.value().messages.c_str(), stderr);
        return program.value();
    }
    failToCompile(program.error(), options.source);
    return std::nullopt;
}

int failToCompile(const Error& error, const std::string& source)
{
    if (error.code != Error::Code::BadInput || !error.where.empty())
        return fail(error);
    std::fputs(error.message.c_str(), stderr);  // clang's own text
    return fail(fmt::format("{} does not compile", source));
}

}  // namespace lanescope::cli
