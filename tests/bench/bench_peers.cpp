// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator beside what else runs kernels on a CPU: Oclgrind, which interprets, and PoCL, which compiles them. The
// same kernels, one machine, one run; ratios are what counts. What is not installed is left out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benchmark_page.h"

using namespace lanescope::bench;

namespace {

const std::string kLanescope = LANESCOPE_EXE;
const std::string kPrograms = SOURCE_DIR "/tests/bench/programs/";

/// What a program of peers.inc prints (peers::print).
struct Measured {
    double best = 0;       ///< seconds
    double processor = 0;  ///< seconds, the median of several launches
    double sum = 0;
};

std::optional<Measured> measuredBy(const std::string& command)
{
    FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
    Measured measured;
    const bool read = pipe && std::fscanf(pipe, "%lf %lf %lf", &measured.best, &measured.processor, &measured.sum) == 3;
    for (int c = 0; pipe && c != EOF;)
        c = std::fgetc(pipe);
    if (!pipe || pclose(pipe) != 0 || !read)
        return std::nullopt;
    return measured;
}

/// \p command: "run", or "record" with where to.
Measured own(const std::string& options, const std::string& kernel, int runs, const std::string& environment = "",
             const std::string& command = "run")
{
    const auto measured = measuredBy(fmt::format("env {} {} {} {} {}peers.cu -- {} {}", environment, kLanescope,
                                                 command, options, kPrograms, kernel, runs));
    if (!measured) {
        fmt::print(stderr, "bench_peers: error: the simulator failed at {}\n", kernel);
        std::exit(1);
    }
    return *measured;
}

double ownSeconds(const std::string& options, const std::string& kernel, int runs)
{
    return own("--as-compiled " + options, kernel, runs).best;
}

void besideOclgrind(const std::string& kernel, int wanted, int wantedChecked)
{
    const auto plainRun = measuredBy(fmt::format("oclgrind {} {} 1", OPENCL_EXE, kernel));
    const auto checkedRun =
        measuredBy(fmt::format("oclgrind --data-races --uninitialized {} {} 1", OPENCL_EXE, kernel));
    if (!plainRun || !checkedRun)
        return;
    const double plain = plainRun->best, checked = checkedRun->best;
    const double own = ownSeconds("--no-checks", kernel, 9);
    const double ownChecked = ownSeconds("", kernel, 9);
    fmt::print(
        "{:18} {:8.2f} ms, Oclgrind {:7.0f} ms: {:5.0f}x (wanted {}x); races and uninitialised reads looked for: "
        "{:8.2f} ms, Oclgrind {:7.0f} ms: {:5.0f}x (wanted {}x)\n",
        kernel, own * 1e3, plain * 1e3, plain / own, wanted, ownChecked * 1e3, checked * 1e3, checked / ownChecked,
        wantedChecked);
    std::fflush(stdout);
}

/// Ratios of one kernel's processor time to that of PoCL's native code, one thread.
struct Row {
    std::string kernel;
    double pocl = 0;  ///< seconds
    double plain = 0;
    double spread = 0;  ///< from the smallest to the largest plain ratio
    double checked = 0;
    double unoptimised = 0;  ///< with all checks, to as compiled
    double recorded = 0;     ///< with all checks, to the run without a trace; processor time of all threads
    double twoThreads = 0;   ///< how many times as fast as one, by the clock, with all checks
    bool isSame = true;      ///< what came out
};

double medianOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Five times in turns: what else the machine does falls on all alike.
std::optional<Row> besidePocl(const std::string& kernel)
{
    constexpr int kTurns = 5, kRuns = 15, kSlowRuns = 5;
    // A kernel that runs long has been made machine code after a while.
    const std::string made = "LANESCOPE_NATIVE=always";
    const std::string trace = (std::filesystem::temp_directory_path() / "bench_peers.lanes").string();
    Row row{.kernel = kernel};
    std::vector<double> times, plain, checked, unoptimised, recorded, twoThreads;
    for (int turn = 0; turn < kTurns; ++turn) {
        const auto pocl = measuredBy(fmt::format(
            "env POCL_MAX_PTHREAD_COUNT=1 {} {} {} '' 'Portable Computing Language'", OPENCL_EXE, kernel, kRuns));
        if (!pocl)
            return std::nullopt;
        const Measured without = own("--as-compiled --threads 1 --no-checks", kernel, kRuns, made);
        const Measured with = own("--as-compiled --threads 1", kernel, kRuns, made);
        times.push_back(pocl->processor);
        plain.push_back(without.processor / pocl->processor);
        checked.push_back(with.processor / pocl->processor);
        unoptimised.push_back(own("--threads 1", kernel, kSlowRuns, made).processor / with.processor);
        recorded.push_back(
            own("--as-compiled --threads 1", kernel, kSlowRuns, made, "record -q -o " + trace).processor /
            with.processor);
        twoThreads.push_back(with.best / own("--as-compiled --threads 2", kernel, kRuns, made).best);
        row.isSame &= std::fabs(without.sum - pocl->sum) <= 1e-3 * std::fabs(pocl->sum) && with.sum == without.sum;
    }
    std::error_code ignored;
    std::filesystem::remove(trace, ignored);
    row.pocl = medianOf(times);
    row.plain = medianOf(plain);
    row.spread = *std::max_element(plain.begin(), plain.end()) - *std::min_element(plain.begin(), plain.end());
    row.checked = medianOf(checked);
    row.unoptimised = medianOf(unoptimised);
    row.recorded = medianOf(recorded);
    row.twoThreads = medianOf(twoThreads);
    return row;
}

double geometricMean(const std::vector<Row>& rows, double Row::* value)
{
    double sum = 0;
    for (const Row& row : rows)
        sum += std::log(row.*value);
    return std::exp(sum / static_cast<double>(rows.size()));
}

std::string tableOf(const std::vector<Row>& rows)
{
    std::string table =
        "| kernel, size | PoCL, ms | without checks | spread | all checks | -O0 | recorded | two threads |\n"
        "|---|---|---|---|---|---|---|---|\n";
    for (const Row& row : rows)
        table += fmt::format("| {} | {:.2f} | {:.1f}× | {:.1f} | {:.1f}× | {:.1f}× | {:.1f}× | {:.1f}× |{}\n",
                             row.kernel, row.pocl * 1e3, row.plain, row.spread, row.checked, row.unoptimised,
                             row.recorded, row.twoThreads, row.isSame ? "" : " **other result**");
    const auto mean = [&](double Row::* value) { return geometricMean(rows, value); };
    return table + fmt::format("| geometric mean | | {:.1f}× | | {:.1f}× | {:.1f}× | {:.1f}× | {:.1f}× |\n",
                               mean(&Row::plain), mean(&Row::checked), mean(&Row::unoptimised), mean(&Row::recorded),
                               mean(&Row::twoThreads));
}

std::string plotOf(const std::vector<Row>& rows)
{
    std::vector<std::string> labels;
    Bars plain{"without checks", {}}, checked{"all checks", {}};
    for (const Row& row : rows) {
        labels.push_back(row.kernel);
        plain.values.push_back(row.plain);
        checked.values.push_back(row.checked);
    }
    return barPlot(labels, {plain, checked}, {1, 5});
}

/// Prints the table, and writes it to \p page unless that is empty, with the plot beside it.
void besidePoclAll(const std::vector<const char*>& kernels, const std::string& page)
{
    std::vector<Row> rows;
    for (const char* kernel : kernels)
        if (auto row = besidePocl(kernel))
            rows.push_back(*row);
    if (rows.empty())
        return fmt::print("no PoCL to compare with\n");
    const std::string table = tableOf(rows);
    fmt::print("{}", table);
    std::fflush(stdout);
    if (page.empty())
        return;
    const std::filesystem::path plot = std::filesystem::path(page).replace_extension(".svg");
    writePage(plot.string(), plotOf(rows));
    writePage(
        page,
        fmt::format(
            "# Benchmarks\n\n`./dev bench` writes this page, here on {}. Every ratio is of one run: what is "
            "compared runs in turns, five of them, and the median is shown; the spread, from the smallest to the "
            "largest, says what of it is noise.\n\n"
            "## Beside native code\n\n"
            "Kernels of `tests/bench/programs/peers.inc`, the same text in CUDA and OpenCL, compiled, and made "
            "machine code, before; one thread. Processor time of a launch as multiples of PoCL's (without checks, "
            "with all of them; the spread is that of the first), and as multiples of what it takes with all "
            "checks: at -O0, and recorded as compiled. The last column says how many times as fast two threads "
            "are.\n\n![without and with all checks, beside PoCL]({})\n\n{}",
            machineName(), plot.filename().string(), table));
}

}  // namespace

/// argv[1]: the page to write.
int main(int argc, char** argv)
{
    if (std::string(OPENCL_EXE).empty())
        return fmt::print("bench_peers: built without OpenCL: nobody to compare with\n"), 0;
    besidePoclAll({"matmul 256",      "stencil 1024",   "scan 262144",      "reduction 262144", "histogram 262144",
                   "conv2d 1024",     "jacobi 1024",    "differences 1024", "rows 512",         "columns 1024",
                   "rank_k 128",      "covariance 128", "sweep 512",        "eliminate 1024",   "hash 65536",
                   "collatz 65536",   "bodies 1024",    "shuffles 262144",  "bitonic 262144",   "scatter 262144",
                   "gather 262144",   "halves 1048576", "transpose 1024",   "heat 1024",        "mandelbrot 512",
                   "recurrence 512",  "grey 1048576",   "particles 131072", "tables 65536",     "diagonals 65536",
                   "insertion 65536", "options 262144", "permute 262144"},
                  argc > 1 ? argv[1] : "");
    besideOclgrind("matmul 128", 500, 1000);
    for (const char* kernel : {"reduction 262144", "scan 262144", "stencil 512", "histogram 1048576"})
        besideOclgrind(kernel, 200, 400);
    return 0;
}
