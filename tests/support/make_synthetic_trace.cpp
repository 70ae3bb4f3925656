// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_synthetic_trace OUT.lanes [SIZE TILE]: a finished trace of a tiled matrix multiplication.
#include <cstdio>
#include <cstdlib>

#include "tests/support/synthetic_trace.h"

int main(int argc, char** argv)
{
    if (argc != 2 && argc != 4) {
        std::fprintf(stderr, "usage: make_synthetic_trace OUT.lanes [SIZE TILE]\n");
        return 2;
    }
    lanescope::test::SyntheticOptions options;
    if (argc == 4) {
        options.size = static_cast<uint32_t>(std::atoi(argv[2]));
        options.tile = static_cast<uint32_t>(std::atoi(argv[3]));
    }
    const lanescope::Result<void> done = lanescope::test::writeSyntheticTrace(argv[1], options);
    if (!done.ok()) {
        std::fprintf(stderr, "make_synthetic_trace: error: %s\n", done.error().text().c_str());
        return 1;
    }
    return 0;
}
