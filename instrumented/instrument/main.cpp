// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lanescope-instrument DEVICE.bc OUT.ptx LOGGER.bc [LIBDEVICE.bc]: the device code that logs what it does, as PTX.
// A program of its own, because it is the one part that needs LLVM's NVPTX back end.
#include <cstdio>
#include <fstream>

#include "instrumented/instrument/device_code.h"

using namespace lanescope;
using namespace lanescope::instrument;

namespace {

int run(int argc, char** argv)
{
    const std::unique_ptr<DeviceCode> code = load(argv[1]);
    addLogCalls(*code);
    placeVariables(*code);
    addLibraries(*code, {argv[3], argc > 4 ? argv[4] : ""});
    const std::string ptx = writePtx(*code);
    std::ofstream out(argv[2], std::ios::binary);
    out << ptx;
    out.close();
    if (!out)
        throw Refused{{Error::Code::Io, "cannot be written", argv[2]}};
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 4 || argc > 5) {
        std::fprintf(stderr, "usage: lanescope-instrument DEVICE.bc OUT.ptx LOGGER.bc [LIBDEVICE.bc]\n");
        return 2;
    }
    try {
        return run(argc, argv);
    } catch (const Refused& refused) {
        std::fprintf(stderr, "%s\n", refused.error.text().c_str());
        return 1;
    }
}
