// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lanescope-instrument DEVICE.bc OUT.ptx LIBRARIES [LIBDEVICE.bc]: the device code for a GPU, as PTX, once for each
// purpose (core/cuda/images.h). A program of its own, because it is the one part that needs LLVM's NVPTX back end.
// lanescope-instrument --libraries DEVICE.bc OURS FOLDERS… [--own PATHS…]: DEVICE.bc with the code of headers in
// FOLDERS optimised, in its place (library_code.h), but for those in PATHS. OURS: the folder of Lanescope's headers.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <future>

#include "core/cuda/images.h"
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/raw_ostream.h>

#include "instrumented/instrument/device_code.h"
#include "instrumented/instrument/library_code.h"

using namespace lanescope;
using namespace lanescope::instrument;
using cuda::Purpose;

namespace {

/// \p folder: of lanescope_logger.bc and its like.
std::string ptxFor(Purpose purpose, const char* bitcode, const std::string& folder, const char* math)
{
    const std::unique_ptr<DeviceCode> code = load(bitcode);
    std::vector<std::string> libraries{folder + "/lanescope_logger.bc"};
    switch (purpose) {
    case Purpose::Record:
        addLogCalls(*code);
        break;
    case Purpose::Count:
        addCountCalls(*code);
        libraries.push_back(folder + "/lanescope_counter.bc");
        break;
    case Purpose::Races:
        addRaceCalls(*code);
        libraries.push_back(folder + "/lanescope_counter.bc");
        libraries.push_back(folder + "/lanescope_races.bc");
        break;
    case Purpose::Measure:
        keepAccesses(*code);
        break;
    }
    placeVariables(*code);
    placeSharedAddresses(*code);
    restoreWarpgroupProducts(*code);
    addLibraries(*code, {libraries, folder + "/lanescope_tensors.bc", math});
    return writePtx(*code);
}

int run(int argc, char** argv)
{
    initialiseTarget();
    std::vector<std::future<std::string>> texts;
    for (const Purpose purpose : cuda::kPurposes)
        texts.push_back(
            std::async(std::launch::async, ptxFor, purpose, argv[1], std::string(argv[3]), argc > 4 ? argv[4] : ""));
    std::string images;
    for (size_t i = 0; i < texts.size(); ++i)
        images += cuda::imageOf(cuda::kPurposes[i], texts[i].get());
    std::ofstream out(argv[2], std::ios::binary);
    out << images;
    out.close();
    if (!out)
        throw Refused{{Error::Code::Io, "cannot be written", argv[2]}};
    return 0;
}

int runOnLibraries(const char* path, const char* ours, std::vector<std::string> folders)
{
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = read(path, context);
    const auto end = std::ranges::find(folders, "--own");
    std::vector<std::string> own(end == folders.end() ? end : end + 1, folders.end());
    folders.erase(end, folders.end());
    optimiseLibraries(*module, FileOwners(*module, std::move(folders), std::move(own), ours));
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    if (!error)
        llvm::WriteBitcodeToFile(*module, out);
    out.close();
    if (error || out.has_error())
        throw Refused{{Error::Code::Io, "cannot be written", path}};
    return 0;
}

bool isOnLibraries(int argc, char** argv)
{
    return argc >= 4 && std::string_view(argv[1]) == "--libraries";
}

}  // namespace

int main(int argc, char** argv)
{
    const bool onLibraries = isOnLibraries(argc, argv);
    if (!onLibraries && (argc < 4 || argc > 5)) {
        std::fprintf(stderr, "usage: lanescope-instrument DEVICE.bc OUT.ptx LIBRARIES [LIBDEVICE.bc]\n"
                             "       lanescope-instrument --libraries DEVICE.bc OURS FOLDERS... [--own PATHS...]\n");
        return 2;
    }
    try {
        return onLibraries ? runOnLibraries(argv[2], argv[3], {argv + 4, argv + argc}) : run(argc, argv);
    } catch (const Refused& refused) {
        std::fprintf(stderr, "%s\n", refused.error.text().c_str());
        return 1;
    }
}
