// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/dependent_launches.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <elf.h>
#include <link.h>

namespace lanescope::runtime {
namespace {

struct Answer {
    unsigned long long loaded = 0;  ///< objects that had ever been loaded when this was found
    bool may = false;
};

/// Where the loader has put what a dynamic section names; null: the object has none, or nobody has relocated it.
const std::byte* placeOf(const ElfW(Dyn) * section, ElfW(Addr) base, ElfW(Sxword) tag)
{
    for (; section->d_tag != DT_NULL; ++section)
        if (section->d_tag == tag && section->d_un.d_ptr > base)
            return reinterpret_cast<const std::byte*>(section->d_un.d_ptr);
    return nullptr;
}

/// Whether the object asks others for such a function. Those stand in front of the symbols that are hashed, which are
/// its own.
bool asksForIt(const dl_phdr_info& object)
{
    const ElfW(Dyn)* section = nullptr;
    for (int i = 0; i < object.dlpi_phnum; ++i)
        if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
            section = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    if (!section)
        return false;
    const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(placeOf(section, object.dlpi_addr, DT_SYMTAB));
    const auto* names = reinterpret_cast<const char*>(placeOf(section, object.dlpi_addr, DT_STRTAB));
    const auto* hashed = reinterpret_cast<const uint32_t*>(placeOf(section, object.dlpi_addr, DT_GNU_HASH));
    const auto* chains = reinterpret_cast<const uint32_t*>(placeOf(section, object.dlpi_addr, DT_HASH));
    if (!symbols || !names || (!hashed && !chains))
        return false;
    const uint32_t count = hashed ? hashed[1] : chains[1];
    for (uint32_t i = 1; i < count; ++i)
        if (symbols[i].st_shndx == SHN_UNDEF &&
            std::string_view(names + symbols[i].st_name).starts_with("cudaLaunchKernelExC"))
            return true;
    return false;
}

int look(dl_phdr_info* object, size_t, void* answer)
{
    auto& [loaded, may] = *static_cast<Answer*>(answer);
    if (loaded == object->dlpi_adds)
        return 1;
    may |= std::string_view(object->dlpi_name).find("libcuda.so") != std::string_view::npos || asksForIt(*object);
    return 0;
}

int count(dl_phdr_info* object, size_t, void* loaded)
{
    *static_cast<unsigned long long*>(loaded) = object->dlpi_adds;
    return 1;
}

}  // namespace

bool mayLaunchDependents()
{
    static Answer known;  // asked with the runtime's lock held
    Answer now = known;
    dl_iterate_phdr(look, &now);
    dl_iterate_phdr(count, &now.loaded);
    known = now;
    return known.may;
}

}  // namespace lanescope::runtime
