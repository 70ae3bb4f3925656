// SPDX-License-Identifier: GPL-3.0-or-later
// make_sample_trace OUT.lanes matmul SIZE TILE | map ELEMENTS THREADS BLOCKS | map2d SIZE SIDE
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/app/sample_kernels.h"

using namespace lanescope;

static uint32_t number(int argc, char** argv, int index)
{
    return index < argc ? static_cast<uint32_t>(std::strtoul(argv[index], nullptr, 10)) : 1;
}

int main(int argc, char** argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "make_sample_trace: found %d arguments, expected OUT.lanes KIND NUMBERS…\n", argc - 1);
        return 2;
    }
    const std::string kind = argv[2];
    auto writer = trace::TraceWriter::create(argv[1], test::sampleSession(kind + ".cu"), {});
    if (!writer) {
        std::fprintf(stderr, "make_sample_trace: %s\n", writer.error().text().c_str());
        return 2;
    }
    if (kind == "matmul")
        test::writeTiledMatmul(*writer.value(), number(argc, argv, 3), number(argc, argv, 4));
    else if (kind == "gather")
        test::writeGather(*writer.value(), number(argc, argv, 3), number(argc, argv, 4));
    else if (kind == "map")
        test::writeMap(*writer.value(), number(argc, argv, 3), number(argc, argv, 4), number(argc, argv, 5));
    else
        test::writeMap2d(*writer.value(), number(argc, argv, 3), number(argc, argv, 4));
    auto finished = writer.value()->finish(trace::ProgramEnd::exited(0), {});
    if (!finished)
        std::fprintf(stderr, "make_sample_trace: %s\n", finished.error().text().c_str());
    return finished ? 0 : 2;
}
