// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator beside what else runs kernels on a CPU: Oclgrind, which interprets, and PoCL, which compiles them. The
// same kernels, one machine, one run; ratios are what counts. What is not installed is left out.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace {

const std::string kLanescope = LANESCOPE_EXE;
const std::string kPrograms = SOURCE_DIR "/tests/bench/programs/";

/// The seconds that \p command prints.
std::optional<double> secondsOf(const std::string& command)
{
    FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
    double seconds = 0;
    const bool read = pipe && std::fscanf(pipe, "%lf", &seconds) == 1;
    for (int c = 0; pipe && c != EOF;)
        c = std::fgetc(pipe);
    if (!pipe || pclose(pipe) != 0 || !read)
        return std::nullopt;
    return seconds;
}

double ownSeconds(const std::string& options, const std::string& kernel, int runs)
{
    const auto seconds = secondsOf(
        fmt::format("{} run --as-compiled {} {}peers.cu -- {} {}", kLanescope, options, kPrograms, kernel, runs));
    if (!seconds) {
        fmt::print(stderr, "bench_peers: error: the simulator failed at {}\n", kernel);
        std::exit(1);
    }
    return *seconds;
}

void besideOclgrind(const std::string& kernel, int wanted, int wantedChecked)
{
    const auto plain = secondsOf(fmt::format("oclgrind {} {} 1", OPENCL_EXE, kernel));
    const auto checked = secondsOf(fmt::format("oclgrind --data-races --uninitialized {} {} 1", OPENCL_EXE, kernel));
    if (!plain || !checked)
        return;
    const double own = ownSeconds("--no-checks", kernel, 9);
    const double ownChecked = ownSeconds("", kernel, 9);
    fmt::print(
        "{:18} {:8.2f} ms, Oclgrind {:7.0f} ms: {:5.0f}x (wanted {}x); races and uninitialised reads looked for: "
        "{:8.2f} ms, Oclgrind {:7.0f} ms: {:5.0f}x (wanted {}x)\n",
        kernel, own * 1e3, *plain * 1e3, *plain / own, wanted, ownChecked * 1e3, *checked * 1e3, *checked / ownChecked,
        wantedChecked);
    std::fflush(stdout);
}

void besidePocl(const std::string& kernel)
{
    const auto pocl = secondsOf(
        fmt::format("env POCL_MAX_PTHREAD_COUNT=1 {} {} 5 '' 'Portable Computing Language'", OPENCL_EXE, kernel));
    if (!pocl)
        return;
    const double own = ownSeconds("--no-checks --threads 1", kernel, 5);
    fmt::print("{:18} {:8.2f} ms on one thread, PoCL's native code {:8.2f} ms: {:.1f} times its time (wanted 2)\n",
               kernel, own * 1e3, *pocl * 1e3, own / *pocl);
    std::fflush(stdout);
}

}  // namespace

int main()
{
    if (std::string(OPENCL_EXE).empty())
        return fmt::print("bench_peers: built without OpenCL: nobody to compare with\n"), 0;
    besideOclgrind("matmul 128", 500, 1000);
    for (const char* kernel : {"reduction 262144", "scan 262144", "stencil 512", "histogram 1048576"})
        besideOclgrind(kernel, 200, 400);
    for (const char* kernel : {"matmul 512", "stencil 2048"})
        besidePocl(kernel);
    return 0;
}
