// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the reader of tours, and looks for the stops of what it accepts in a tiled matrix multiplication.
#include <string>

#include "core/tour/tour.h"
#include "tests/fuzz/matmul_session.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const auto session = test::openMatmul();
    const auto tour = tour::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz.tour");
    if (!tour.ok())
        return 0;
    for (const tour::Stop& stop : tour.value().stops)
        static_cast<void>(tour::placeOf(*session, stop));
    return 0;
}
