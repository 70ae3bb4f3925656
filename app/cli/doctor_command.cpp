// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope doctor: what this machine has of what Lanescope uses, and how to get the rest.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/json_text.h"
#include "core/attach/sanitizer_api.h"
#include "core/base/temporary_folder.h"
#include "core/cuda/cupti.h"
#include "core/cuda/driver.h"
#include "instrumented/compiler/clang.h"
#include "instrumented/compiler/installation.h"
#include "instrumented/compiler/process.h"

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

enum class Need : uint8_t { Always, ForSome };

/// What was looked for, and what came of it.
struct Examined {
    std::string what;     ///< "compiler"
    std::string purpose;  ///< what it is for
    Need need = Need::ForSome;
    bool isThere = false;
    std::string text;  ///< what was found, or what is missing and how to get it
};

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

/// The first line that a program in PATH says of itself, with its path; empty: there is no such program.
std::string versionOf(const std::string& name, const char* option = "--version")
{
    const std::string path = compiler::findProgram(name);
    if (path.empty())
        return {};
    const TemporaryFolder folder("doctor");
    compiler::ProcessRequest request;
    request.command = {path, option};
    request.outputFile = folder.file("version");
    const Result<pid_t> started = compiler::startProcess(request);
    // Slurm's without a configuration say why they cannot, and no version.
    const bool told = started && compiler::waitForProcess(started.value()).code == 0;
    std::ifstream file(request.outputFile);
    std::string line;
    if (told)
        std::getline(file, line);
    return line.empty() ? path : fmt::format("{} ({})", line, path);
}

Examined program(std::string what, std::string purpose, const char* name, const char* advice,
                 const char* option = "--version")
{
    const std::string version = versionOf(name, option);
    return {std::move(what), std::move(purpose), Need::ForSome, !version.empty(), version.empty() ? advice : version};
}

Examined compilerExamined()
{
    const Result<compiler::Clang> clang = compiler::findClang();
    return {"compiler", "compiles .cu programs", Need::Always, bool(clang),
            clang ? versionOf(clang.value().program) : clang.error().text()};
}

/// Compiles and runs a kernel, as a user's program would be.
Examined simulatorExamined(const compiler::Installation& installation)
{
    Examined result{"simulator", "runs kernels without a GPU", Need::Always, false, ""};
    const TemporaryFolder folder("doctor");
    const std::string source = folder.file("doctor.cu");
    std::ofstream(source) << "#include <cstdio>\n"
                             "__global__ void hello() { printf(\"a kernel ran\\n\"); }\n"
                             "int main() { hello<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n";
    compiler::ProcessRequest request;
    request.command = {installation.executable, "run", source};
    request.outputFile = folder.file("output");
    const Result<pid_t> started = compiler::startProcess(request);
    const bool ran = started && compiler::waitForProcess(started.value()).code == 0;
    std::ifstream file(request.outputFile);
    const std::string output(std::istreambuf_iterator<char>(file), {});
    result.isThere = ran && output.starts_with("a kernel ran");
    result.text = result.isThere ? "a kernel was compiled and ran"
                                 : "a small kernel did not compile or run: " + firstLine(output);
    return result;
}

Examined filesExamined(std::string what, std::string purpose, const std::string& file, const char* advice)
{
    std::error_code ignored;
    const bool isThere = fs::exists(file, ignored);
    return {std::move(what), std::move(purpose), Need::ForSome, isThere, isThere ? file : file + ": " + advice};
}

Examined windowExamined()
{
    Examined result{"window", "shows recordings", Need::ForSome, false, ""};
#ifdef LANESCOPE_HAS_GUI
    const auto isSet = [](const char* name) {
        const char* value = std::getenv(name);
        return value && *value;
    };
    result.isThere = isSet("WAYLAND_DISPLAY") || isSet("DISPLAY");
    result.text = result.isThere ? "there is a display; fonts are built in"
                                 : "no display (DISPLAY and WAYLAND_DISPLAY are not set); lanescope render, check and "
                                   "report need none";
#else
    result.text = "this Lanescope was built without it: build with Qt 6";
#endif
    return result;
}

std::string gpuText(const cuda::Driver& driver)
{
    int version = 0;
    int count = 0;
    driver.driverVersion(&version);
    driver.deviceCount(&count);
    std::string text = fmt::format("driver for CUDA {}.{}", version / 1000, version % 1000 / 10);
    for (int i = 0; i < count; ++i) {
        int device = 0;
        int major = 0;
        int minor = 0;
        std::array<char, 256> name{};
        driver.device(&device, i);
        driver.deviceName(name.data(), int(name.size()), device);
        driver.deviceAttribute(&major, cuda::kMajorCapability, device);
        driver.deviceAttribute(&minor, cuda::kMinorCapability, device);
        text += fmt::format(", {} (capability {}.{})", name.data(), major, minor);
    }
    return text;
}

Examined gpuExamined()
{
    const Result<const cuda::Driver*> driver = cuda::Driver::find();
    return {"GPU", "--device cuda, --attach", Need::ForSome, bool(driver),
            driver ? gpuText(*driver.value()) : driver.error().text()};
}

/// Whether this user may read a GPU's counters: NVIDIA's kernel module says so.
std::optional<bool> mayCount()
{
    std::ifstream file("/proc/driver/nvidia/params");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("RmProfilingAdminOnly:"))
            return line.ends_with(" 0") || geteuid() == 0;
    return std::nullopt;
}

Examined countersExamined()
{
    Examined result{"counters", "--counters: a GPU's own numbers", Need::ForSome, false, ""};
    if (const Result<const cuda::Cupti*> cupti = cuda::Cupti::find(); !cupti) {
        result.text = cupti.error().text();
        return result;
    }
    const std::optional<bool> allowed = mayCount();
    result.isThere = allowed.value_or(false);
    result.text = !allowed   ? "CUPTI is there, NVIDIA's kernel module is not"
                  : *allowed ? "CUPTI is there, and this user may read counters"
                             : "CUPTI is there, but only root may read counters: set "
                               "NVreg_RestrictProfilingToAdminUsers=0 for NVIDIA's kernel module";
    return result;
}

Examined toolkitExamined()
{
    const Result<std::string> toolkit = attach::findToolkit();
    return {"toolkit", "--attach, libraries of CUDA", Need::ForSome, bool(toolkit),
            toolkit ? toolkit.value() : toolkit.error().text()};
}

std::vector<Examined> examineAll()
{
    const compiler::Installation installation = compiler::findInstallation();
    return {compilerExamined(),
            simulatorExamined(installation),
            windowExamined(),
            filesExamined("gallery", "examples", installation.kernels, "no such folder; install Lanescope again"),
            filesExamined("front ends", "-- COMMAND, .py, .mojo", installation.library + "/standins/libcuda.so.1",
                          "no such file; install Lanescope again"),
            program("g++", "host sources of lanescope nvcc", "g++", "no g++ in PATH: apt install g++"),
            program("python", "Triton, Numba, CuPy", "python3", "no python3 in PATH: apt install python3"),
            program("mojo", ".mojo programs", "mojo", "no mojo in PATH: pip install mojo"),
            program("ffmpeg", "pictures that move (.gif, .mp4)", "ffmpeg", "no ffmpeg in PATH: apt install ffmpeg",
                    "-version"),
            countersExamined(),  // before the driver is asked for anything
            gpuExamined(),
            toolkitExamined(),
            program("MPI", "programs of several ranks", "mpirun", "no mpirun in PATH: apt install openmpi-bin"),
            program("Slurm", "jobs on a cluster", "srun", "no srun in PATH: apt install slurm-client")};
}

int doctor(const std::string& format)
{
    bool isWell = true;
    Json document = Json::array();
    for (const Examined& each : examineAll()) {
        const bool isMissed = !each.isThere && each.need == Need::Always;
        isWell &= !isMissed;
        document.push_back({{"what", each.what},
                            {"for", each.purpose},
                            {"needed", each.need == Need::Always},
                            {"found", each.isThere},
                            {"text", each.text}});
        if (format == "text")
            fmt::print("{:7} {:11} {:33} {}\n",
                       each.isThere ? "ok"
                       : isMissed   ? "MISSING"
                                    : "-",
                       each.what, each.purpose, each.text);
    }
    if (format == "json")
        fmt::print("{}\n", Json{{"schema", 1}, {"examined", document}}.dump(2));
    else
        fmt::print("\n{}\n", isWell ? "Everything that is always needed is there; - marks what only some uses need."
                                    : "MISSING marks what no .cu program can be recorded without; recordings are shown "
                                      "all the same.");
    return isWell ? kOk : kCouldNotRun;
}

}  // namespace

void addDoctorCommand(CLI::App& app, Context& context)
{
    auto format = std::make_shared<std::string>("text");
    CLI::App* command = app.add_subcommand("doctor", "what this machine has of what Lanescope uses");
    command->add_option("--format", *format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([=, &context] { context.run = [=] { return doctor(*format); }; });
}

}  // namespace lanescope::cli
