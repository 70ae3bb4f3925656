// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to the trace reader: whole files, and chunks and tallies past the checksums that guard them in a file.
#include <cstdio>
#include <string>

#include <unistd.h>

#include "tests/support/read_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // An input that does not begin like a database is taken as a chunk, and as tallies.
    if (size < 16 || std::string(reinterpret_cast<const char*>(data), 6) != "SQLite") {
        lanescope::test::decodeAsChunk({data, size});
        lanescope::test::decodeAsTallies({data, size});
        return 0;
    }
    static const std::string path = "/dev/shm/lanescope-fuzz-" + std::to_string(getpid()) + ".lanes";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr)
        return 0;
    std::fwrite(data, 1, size, file);
    std::fclose(file);
    lanescope::test::readEverything(path);
    std::remove(path.c_str());
    return 0;
}
