// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that have NVIDIA's runtime linked in (nvcc's default, CuPy's modules) have its functions under their names
// in their own code. Each is made to jump to ours, so that NVIDIA's runtime never runs. Loaded before such a program
// starts, or by Python after such a module was loaded.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct LoadedFile {
    std::string path;
    uint64_t base = 0;
};

/// A function that the file defines; addresses are the process's.
struct Function {
    std::string_view name;
    uint64_t address = 0;
    uint64_t room = 0;  ///< bytes to the next function
};

class MappedFile {
public:
    explicit MappedFile(const std::string& path)
    {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status = {};
        if (file >= 0 && fstat(file, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(ElfW(Ehdr)))) {
            void* const mapped = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
            if (mapped != MAP_FAILED) {
                data_ = static_cast<const char*>(mapped);
                size_ = static_cast<size_t>(status.st_size);
            }
        }
        if (file >= 0)
            close(file);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile()
    {
        if (data_)
            munmap(const_cast<char*>(data_), size_);
    }

    /// Null where the file is not that long.
    template <class T>
    const T* at(uint64_t offset, uint64_t count = 1) const
    {
        const bool fits = offset <= size_ && count <= (size_ - offset) / sizeof(T);
        return data_ && fits ? reinterpret_cast<const T*>(data_ + offset) : nullptr;
    }

private:
    const char* data_ = nullptr;
    size_t size_ = 0;
};

std::vector<LoadedFile> loadedFiles()
{
    std::vector<LoadedFile> files;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t /*bytes*/, void* all) {
            const bool isProgram = !info->dlpi_name || !*info->dlpi_name;
            static_cast<std::vector<LoadedFile>*>(all)->push_back(
                {isProgram ? "/proc/self/exe" : info->dlpi_name, info->dlpi_addr});
            return 0;
        },
        &files);
    return files;
}

const ElfW(Shdr) * symbolTable(const MappedFile& file)
{
    const auto* header = file.at<ElfW(Ehdr)>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return nullptr;
    const auto* sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
    for (int i = 0; sections && i < header->e_shnum; ++i)
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum)
            return &sections[i];
    return nullptr;
}

std::vector<Function> functionsOf(const MappedFile& file, uint64_t base)
{
    std::vector<Function> functions;
    const auto* table = symbolTable(file);
    if (!table)
        return functions;
    const auto* sections = file.at<ElfW(Shdr)>(file.at<ElfW(Ehdr)>(0)->e_shoff);
    const auto& strings = sections[table->sh_link];
    const char* const text = file.at<char>(strings.sh_offset, strings.sh_size);
    const uint64_t count = table->sh_size / sizeof(ElfW(Sym));
    const auto* symbols = file.at<ElfW(Sym)>(table->sh_offset, count);
    if (!text || !symbols || strings.sh_size == 0 || text[strings.sh_size - 1] != 0)
        return functions;
    for (uint64_t i = 0; i < count; ++i)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF &&
            symbols[i].st_name < strings.sh_size)
            functions.push_back({text + symbols[i].st_name, base + symbols[i].st_value});
    std::ranges::sort(functions, {}, &Function::address);
    for (size_t i = 0; i < functions.size(); ++i) {
        size_t next = i + 1;
        while (next < functions.size() && functions[next].address == functions[i].address)
            ++next;
        functions[i].room = next < functions.size() ? functions[next].address - functions[i].address : 0;
    }
    return functions;
}

/// The stand-in for the runtime that defines \p functions; null: they are of no such runtime, or of one too old.
void* standinFor(const std::vector<Function>& functions)
{
    const auto has = [&](std::string_view name) {
        return std::ranges::any_of(functions, [&](const Function& function) { return function.name == name; });
    };
    // Of its own functions, programs call this one never.
    if (!has("cudaGetExportTable") || has("cudaBindTexture"))
        return nullptr;
    const char* const name = has("cudaGetDeviceProperties_v2") ? "libcudart.so.12" : "libcudart.so.13";
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

#if defined(__x86_64__)
constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)
#elif defined(__aarch64__)
constexpr unsigned char kJump[] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6};  // ldr x16, .+8; br x16
#else
#error "which instruction jumps to the address that follows it?"
#endif

/// Whether the code at \p function now jumps to \p target.
bool redirect(const Function& function, const void* target)
{
    const auto address = reinterpret_cast<uint64_t>(target);
    if (function.room < sizeof kJump + sizeof address)
        return false;
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t begin = function.address / page * page;
    const uint64_t bytes = function.address + sizeof kJump + sizeof address - begin;
    auto* const pages = reinterpret_cast<void*>(begin);
    if (mprotect(pages, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    auto* const code = reinterpret_cast<char*>(function.address);
    std::memcpy(code, kJump, sizeof kJump);
    std::memcpy(code + sizeof kJump, &address, sizeof address);
    __builtin___clear_cache(code, code + sizeof kJump + sizeof address);
    return mprotect(pages, bytes, PROT_READ | PROT_EXEC) == 0;
}

void replaceIn(const LoadedFile& loaded)
{
    const MappedFile file(loaded.path);
    const std::vector<Function> functions = functionsOf(file, loaded.base);
    void* const standin = standinFor(functions);
    if (!standin)
        return;
    for (const Function& function : functions) {
        if (!function.name.starts_with("cuda") && !function.name.starts_with("__cuda"))
            continue;
        const void* const ours = dlsym(standin, std::string(function.name).c_str());
        if (ours && !redirect(function, ours))
            std::fprintf(stderr, "lanescope: warning: %s of %s cannot be replaced\n",
                         std::string(function.name).c_str(), loaded.path.c_str());
    }
}

}  // namespace

/// Replaces NVIDIA's runtime in all that is loaded by now.
extern "C" __attribute__((visibility("default"), constructor)) void lanescopeReplaceLinkedRuntimes()
{
    static std::set<std::string>* const seen = new std::set<std::string>;
    for (const LoadedFile& loaded : loadedFiles())
        if (seen->insert(loaded.path).second)
            replaceIn(loaded);
}
