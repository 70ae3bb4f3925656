// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// run_corpus FOLDER: gives a fuzzer's target every file of the folder, whole, cut short and with random bytes changed;
// always in the same way. What must not happen ends the process.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kMutationsOfAFile = 200;

std::vector<std::filesystem::path> filesOf(const char* folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

void readMutations(const std::vector<uint8_t>& whole, std::mt19937& random)
{
    for (int round = 0; round < kMutationsOfAFile; ++round) {
        std::vector<uint8_t> bytes = whole;
        for (int changes = 1 + round % 4; changes > 0; --changes)
            bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
        if (round % 5 == 0)
            bytes.resize(random() % bytes.size());
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2)
        return std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
    const std::vector<std::filesystem::path> files = filesOf(argv[1]);
    std::mt19937 random(1);
    for (const std::filesystem::path& path : files) {
        std::printf("%s\n", path.filename().c_str());
        std::fflush(stdout);
        std::ifstream file(path, std::ios::binary);
        const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
        if (!bytes.empty())
            readMutations(bytes, random);
    }
    if (files.empty())
        std::fprintf(stderr, "%s: no files\n", argv[1]);
    return files.empty() ? 1 : 0;
}
