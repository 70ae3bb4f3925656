// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/cubin.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

namespace lanescope::attach {

namespace {

/// In a symbol's st_other: a kernel.
constexpr uint8_t kEntry = 0x10;

/// Entries of a kernel's .nv.info section: format, attribute, then a value of 2 bytes or a size of 2 and as many bytes.
constexpr uint8_t kSizedValue = 4;
constexpr uint8_t kParameterInfo = 0x17;
constexpr size_t kParameterInfoBytes = 12;
constexpr uint32_t kParameterBytesShift = 18;

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    CubinContents read()
    {
        if (!readSections())
            return {};
        CubinContents contents;
        for (const Elf64_Shdr& section : m_sections)
            if (section.sh_type == SHT_SYMTAB)
                readSymbols(section, contents);
        for (const Elf64_Shdr& section : m_sections)
            describe(nameOf(section.sh_name, m_names), section, contents);
        for (CubinFunction& function : contents.functions)
            std::ranges::sort(function.parameters, {}, &CubinParameter::ordinal);
        return contents;
    }

private:
    template <typename Value>
    [[nodiscard]] std::optional<Value> at(uint64_t offset) const
    {
        Value value;
        if (offset > m_bytes.size() || m_bytes.size() - offset < sizeof value)
            return std::nullopt;
        std::memcpy(&value, m_bytes.data() + offset, sizeof value);
        return value;
    }

    [[nodiscard]] std::span<const std::byte> bytesOf(const Elf64_Shdr& section) const
    {
        if (section.sh_type == SHT_NOBITS || section.sh_offset > m_bytes.size() ||
            section.sh_size > m_bytes.size() - section.sh_offset)
            return {};
        return m_bytes.subspan(section.sh_offset, section.sh_size);
    }

    bool readSections()
    {
        const auto header = at<Elf64_Ehdr>(0);
        if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
            header->e_shentsize != sizeof(Elf64_Shdr))
            return false;
        for (uint64_t i = 0; i < header->e_shnum; ++i) {
            const auto section = at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
            if (!section)
                return false;
            m_sections.push_back(*section);
        }
        if (header->e_shstrndx >= m_sections.size())
            return false;
        m_names = bytesOf(m_sections[header->e_shstrndx]);
        return true;
    }

    static std::string nameOf(uint64_t offset, std::span<const std::byte> names)
    {
        if (offset >= names.size())
            return {};
        const auto* begin = reinterpret_cast<const char*>(names.data()) + offset;
        return {begin, strnlen(begin, names.size() - offset)};
    }

    void readSymbols(const Elf64_Shdr& table, CubinContents& contents)
    {
        if (table.sh_link >= m_sections.size())
            return;
        const std::span<const std::byte> names = bytesOf(m_sections[table.sh_link]);
        const std::span<const std::byte> symbols = bytesOf(table);
        for (size_t i = 0; i + sizeof(Elf64_Sym) <= symbols.size(); i += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, symbols.data() + i, sizeof symbol);
            const std::string name = nameOf(symbol.st_name, names);
            if (name.empty() || symbol.st_shndx >= m_sections.size())
                continue;
            const std::string section = nameOf(m_sections[symbol.st_shndx].sh_name, m_names);
            const auto type = ELF64_ST_TYPE(symbol.st_info);
            if (type == STT_FUNC && section == ".text." + name)
                contents.functions.push_back(
                    {name, (symbol.st_other & kEntry) != 0, m_sections[symbol.st_shndx].sh_size, 0, {}});
            else if (type == STT_OBJECT && section.starts_with(".nv.global"))
                contents.variables.push_back({name, symbol.st_value, symbol.st_size});
        }
    }

    void describe(const std::string& section, const Elf64_Shdr& header, CubinContents& contents)
    {
        const auto functionNamed = [&](std::string_view prefix) -> CubinFunction* {
            if (!section.starts_with(prefix))
                return nullptr;
            const auto found =
                std::ranges::find(contents.functions, section.substr(prefix.size()), &CubinFunction::name);
            return found == contents.functions.end() ? nullptr : &*found;
        };
        if (CubinFunction* function = functionNamed(".nv.shared."))
            function->sharedBytes = header.sh_size;
        else if (CubinFunction* kernel = functionNamed(".nv.info."))
            forEachEntry(bytesOf(header), [&](uint8_t attribute, std::span<const std::byte> value) {
                if (attribute == kParameterInfo && value.size() == kParameterInfoBytes)
                    kernel->parameters.push_back(
                        {at16(value, 4), at16(value, 6), at32(value, 8) >> kParameterBytesShift});
            });
    }

    static uint16_t at16(std::span<const std::byte> bytes, size_t offset)
    {
        uint16_t value = 0;
        std::memcpy(&value, bytes.data() + offset, sizeof value);
        return value;
    }
    static uint32_t at32(std::span<const std::byte> bytes, size_t offset)
    {
        uint32_t value = 0;
        std::memcpy(&value, bytes.data() + offset, sizeof value);
        return value;
    }

    /// \p use(attribute, value) for the entries of a .nv.info section that have a sized value.
    template <typename Use>
    static void forEachEntry(std::span<const std::byte> info, Use use)
    {
        for (size_t i = 0; i + 4 <= info.size();) {
            const size_t bytes = std::to_integer<uint8_t>(info[i]) == kSizedValue ? at16(info, i + 2) : 0;
            if (bytes > info.size() - i - 4)
                return;
            if (bytes > 0)
                use(std::to_integer<uint8_t>(info[i + 1]), info.subspan(i + 4, bytes));
            i += 4 + bytes;
        }
    }

    std::span<const std::byte> m_bytes;
    std::vector<Elf64_Shdr> m_sections;
    std::span<const std::byte> m_names;
};

}  // namespace

CubinContents readCubin(std::span<const std::byte> cubin)
{
    return Reader(cubin).read();
}

std::string demangled(const std::string& name)
{
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    const std::string result = status == 0 && text ? text : name;
    std::free(text);
    return result;
}

}  // namespace lanescope::attach
