// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator beside Oclgrind, and recording beside not recording: one program, one machine, one run. Prints times
// and, what counts, ratios.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

const std::string kLanescope = LANESCOPE_EXE;
const std::string kProgram = SOURCE_DIR "/tests/bench/programs/matmul_tiled.cu";

struct Timed {
    double kernelSeconds = 0;  ///< as the program printed it
    double wholeSeconds = 0;   ///< of the process
};

Timed runCommand(const std::string& command)
{
    auto start = std::chrono::steady_clock::now();
    FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
    Timed timed;
    if (!pipe || fscanf(pipe, "%lf", &timed.kernelSeconds) != 1 || pclose(pipe) != 0) {
        fmt::print(stderr, "bench_simulator: error: this failed: {}\n", command);
        std::exit(1);
    }
    timed.wholeSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return timed;
}

Timed bestOf(int runs, const std::string& command)
{
    Timed best = runCommand(command);
    for (int i = 1; i < runs; ++i) {
        Timed again = runCommand(command);
        best.kernelSeconds = std::min(best.kernelSeconds, again.kernelSeconds);
        best.wholeSeconds = std::min(best.wholeSeconds, again.wholeSeconds);
    }
    return best;
}

double fileBytes(const std::string& path)
{
    struct stat status{};
    return stat(path.c_str(), &status) == 0 ? double(status.st_size) : 0;
}

/// Loads and stores of all lanes in the tiled matmul: per tile 2 of each and 2·16 loads, then one store.
double laneAccesses(double size)
{
    return size * size * ((size / 16) * (4 + 32) + 1);
}

/// Warp instructions of one launch, from the trace of a recording.
double warpInstructions(const std::string& mode, int size)
{
    std::string trace = fmt::format("/tmp/lanescope-bench-{}.lanes", getpid());
    runCommand(fmt::format("{} record {}{} -o {} --no-variables -- {}", kLanescope, mode, kProgram, trace, size));
    FILE* pipe = popen(fmt::format("{} report {} --format json", kLanescope, trace).c_str(), "r");
    std::string text;
    for (int c = 0; pipe && (c = fgetc(pipe)) != EOF;)
        text += static_cast<char>(c);
    if (pipe)
        pclose(pipe);
    std::remove(trace.c_str());
    return nlohmann::json::parse(text)["launches"][0]["warpInstructions"].get<double>();
}

void instructionRates()
{
    for (const char* mode : {"", "--as-compiled "}) {
        const double instructions = warpInstructions(mode, 256);
        for (const char* checks : {"", "--no-checks "}) {
            // The best of several launches: the first one reads the module, too.
            const Timed own =
                bestOf(5, fmt::format("{} run {}{}--threads 1 {} -- 256 5", kLanescope, mode, checks, kProgram));
            fmt::print("simulator  256^3 tiled matmul{}, {}: {:.0f} M warp instructions a second on one core{}\n",
                       *mode ? ", as compiled" : "", *checks ? "bounds checked" : "all checks",
                       instructions / own.kernelSeconds / 1e6, *mode && *checks ? " (wanted: 200)" : "");
        }
    }
}

void recordingRates()
{
    constexpr int kSize = 512;
    const std::string mode = "--as-compiled ";
    const double instructions = warpInstructions(mode, kSize);
    const std::string trace = fmt::format("/tmp/lanescope-bench-{}.lanes", getpid());
    for (const char* variables : {"", "--no-variables "}) {
        const Timed own = bestOf(5, fmt::format("{} record {}--threads 1 {}{} -o {} -- {}", kLanescope, mode, variables,
                                                kProgram, trace, kSize));
        fmt::print("recording  {}^3 tiled matmul, as compiled{}: {:.0f} M warp instructions a second on one core{}\n",
                   kSize, *variables ? ", without variables" : ", all checks and variables",
                   instructions / own.kernelSeconds / 1e6, *variables ? "" : " (wanted: 60)");
    }
    std::remove(trace.c_str());
}

void besideOclgrind()
{
    Timed own = bestOf(3, fmt::format("{} run {} -- 128 5", kLanescope, kProgram));
    if (std::system("command -v oclgrind >/dev/null") != 0) {
        fmt::print("simulator  128^3 tiled matmul, -O0, checks on: {:.2f} ms; no oclgrind here to compare with\n",
                   own.kernelSeconds * 1e3);
        return;
    }
    Timed plain = runCommand(fmt::format("oclgrind {} matmul 128 1 -cl-opt-disable", OPENCL_EXE));
    Timed optimised = runCommand(fmt::format("oclgrind {} matmul 128 1", OPENCL_EXE));
    fmt::print("simulator  128^3 tiled matmul, 16x16 tiles, -O0, checks on, not recording: {:.2f} ms\n",
               own.kernelSeconds * 1e3);
    fmt::print("oclgrind   the same kernel: {:.0f} ms without optimisation, {:.0f} ms as it runs by default\n",
               plain.kernelSeconds * 1e3, optimised.kernelSeconds * 1e3);
    fmt::print("ratio      {:.0f}x, {:.0f}x (wanted: 150x)\n", plain.kernelSeconds / own.kernelSeconds,
               optimised.kernelSeconds / own.kernelSeconds);
}

void recordingBesideNot()
{
    std::string trace = fmt::format("/tmp/lanescope-bench-{}.lanes", getpid());
    Timed plain = bestOf(5, fmt::format("{} run {} -- 256", kLanescope, kProgram));
    for (const char* variables : {"", "--no-variables "}) {
        Timed recorded = bestOf(5, fmt::format("{} record {} -o {} {}-- 256", kLanescope, kProgram, trace, variables));
        fmt::print("recording  256^3 tiled matmul{}: kernel {:.0f} ms beside {:.0f} ms, whole run {:.0f} ms beside "
                   "{:.0f} ms\n",
                   *variables ? ", without variables" : ", with variables", recorded.kernelSeconds * 1e3,
                   plain.kernelSeconds * 1e3, recorded.wholeSeconds * 1e3, plain.wholeSeconds * 1e3);
        fmt::print("ratio      kernel {:.2f}x, whole run {:.2f}x (wanted: at most 3x); {:.3f} bytes per lane access "
                   "(wanted: at most {})\n",
                   recorded.kernelSeconds / plain.kernelSeconds, recorded.wholeSeconds / plain.wholeSeconds,
                   fileBytes(trace) / laneAccesses(256), *variables ? "0.5" : "3");
    }
    std::remove(trace.c_str());
}

/// Seconds of the kernel alone, or of the whole run where \p whole.
double seconds(const std::string& options, int size, int runs, bool whole = false)
{
    const Timed timed = bestOf(runs, fmt::format("{} run {} {} -- {}", kLanescope, options, kProgram, size));
    return whole ? timed.wholeSeconds : timed.kernelSeconds;
}

void checkedBesideNot()
{
    for (const char* mode : {"", "--as-compiled "}) {
        const double checked = seconds(mode, 256, 5);
        const double unchecked = seconds(std::string(mode) + "--no-checks", 256, 5);
        fmt::print("checks     256^3 tiled matmul{}: {:.0f} ms with all checks, {:.0f} ms with none\n",
                   *mode ? ", as compiled" : "", checked * 1e3, unchecked * 1e3);
        fmt::print("ratio      {:.2f}x (wanted: at most 2.5x)\n", checked / unchecked);
    }
}

void manyThreadsBesideOne()
{
    if (std::thread::hardware_concurrency() < 2)
        return;
    // In turn: what else the machine does comes and goes.
    double one = 1e9, two = 1e9;
    for (int i = 0; i < 5; ++i) {
        one = std::min(one, seconds("--threads 1", 512, 1));
        two = std::min(two, seconds("--threads 2", 512, 1));
    }
    fmt::print("threads    512^3 tiled matmul: {:.0f} ms on one host thread, {:.0f} ms on two\n", one * 1e3, two * 1e3);
    fmt::print("ratio      {:.2f}x (wanted: at least 1.8x)\n", one / two);
}

void startUp()
{
    const std::string command = fmt::format("{} record {}/kernels/14_matmul_tiled.cu -o /tmp/lanescope-bench-{}.lanes",
                                            kLanescope, SOURCE_DIR, getpid());
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        if (std::system((command + " >/dev/null 2>&1").c_str()) != 0)
            return;
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::remove(fmt::format("/tmp/lanescope-bench-{}.lanes", getpid()).c_str());
    fmt::print(
        "start-up   9x9 tiled matmul, compiled before: {:.0f} ms from command to finished trace (wanted: 300 ms)\n",
        best * 1e3);
}

}  // namespace

int main()
{
    instructionRates();
    recordingRates();
    besideOclgrind();
    recordingBesideNot();
    checkedBesideNot();
    manyThreadsBesideOne();
    startUp();
    return 0;
}
