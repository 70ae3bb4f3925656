// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/object_linker.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lanescope::simt {
namespace {

/// A jump to what an entry of the table says, padded to 8 bytes.
constexpr size_t kStubBytes = 8;
/// Who is sanitized looks in front of a function for its type.
constexpr size_t kInFront = 16;
constexpr size_t kMostBytes = size_t{1} << 30;  // so that all is within reach of 32 bits

size_t roundedUp(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/// Memory that is to become code.
class CodePages {
public:
    CodePages() = default;
    CodePages(const CodePages&) = delete;
    CodePages& operator=(const CodePages&) = delete;
    ~CodePages()
    {
        if (m_begin)
            munmap(m_begin, m_bytes);
    }
    bool take(size_t bytes)
    {
        m_bytes = roundedUp(bytes, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
        void* const pages = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        m_begin = pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
        return m_begin != nullptr;
    }
    /// They stay until the process ends.
    bool makeExecutable()
    {
        if (mprotect(m_begin, m_bytes, PROT_READ | PROT_EXEC) != 0)
            return false;
        m_begin = nullptr;
        return true;
    }
    [[nodiscard]] std::byte* begin() const { return m_begin; }

private:
    std::byte* m_begin = nullptr;
    size_t m_bytes = 0;
};

class ObjectFile {
public:
    ObjectFile(std::span<const std::byte> object, const FindSymbol& find) : m_object(object), m_find(find) {}

    std::string link(const VisitFunction& visit)
    {
        if (std::string trouble = readHeaders(); !trouble.empty())
            return trouble;
        if (std::string trouble = place(); !trouble.empty())
            return trouble;
        for (const Elf64_Shdr& section : m_sections)
            if (section.sh_type == SHT_RELA && section.sh_info < m_sections.size() && m_places[section.sh_info])
                if (std::string trouble = relocate(section); !trouble.empty())
                    return trouble;
        std::byte* const base = m_pages.begin();
        if (!m_pages.makeExecutable())
            return std::string("no page may become executable: ") + std::strerror(errno);
        for (const Elf64_Sym& symbol : m_symbols)
            if (const auto at = placeOf(symbol);
                at && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
                visit(nameOf(symbol), base + *at);
        return {};
    }

private:
    static constexpr const char* kDamaged = "the object file is damaged";

    template <typename Entry>
    std::optional<std::vector<Entry>> read(uint64_t offset, uint64_t count) const
    {
        if (offset > m_object.size() || count > (m_object.size() - offset) / sizeof(Entry))
            return std::nullopt;
        std::vector<Entry> entries(count);
        if (count != 0)
            std::memcpy(entries.data(), m_object.data() + offset, count * sizeof(Entry));
        return entries;
    }
    template <typename Entry>
    std::optional<std::vector<Entry>> read(const Elf64_Shdr& section) const
    {
        return section.sh_entsize == sizeof(Entry) ? read<Entry>(section.sh_offset, section.sh_size / sizeof(Entry))
                                                   : std::nullopt;
    }

    std::string readHeaders()
    {
        const auto header = read<Elf64_Ehdr>(0, 1);
        if (!header)
            return kDamaged;
        const Elf64_Ehdr& file = header->front();
        if (std::memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_ident[EI_CLASS] != ELFCLASS64 ||
            file.e_ident[EI_DATA] != ELFDATA2LSB || file.e_type != ET_REL || file.e_machine != EM_X86_64 ||
            file.e_shentsize != sizeof(Elf64_Shdr))
            return kDamaged;
        auto sections = read<Elf64_Shdr>(file.e_shoff, file.e_shnum);
        if (!sections)
            return kDamaged;
        m_sections = std::move(*sections);
        for (const Elf64_Shdr& section : m_sections) {
            if (section.sh_type != SHT_SYMTAB)
                continue;
            auto symbols = read<Elf64_Sym>(section);
            if (!symbols || section.sh_link >= m_sections.size())
                return kDamaged;
            m_symbols = std::move(*symbols);
            auto names = read<char>(m_sections[section.sh_link].sh_offset, m_sections[section.sh_link].sh_size);
            if (!names || names->empty() || names->back() != '\0')
                return kDamaged;
            m_names = std::move(*names);
        }
        return {};
    }

    [[nodiscard]] std::string_view nameOf(const Elf64_Sym& symbol) const
    {
        return symbol.st_name < m_names.size() ? std::string_view(&m_names[symbol.st_name]) : std::string_view();
    }

    /// From the beginning of all; none: the object does not have it.
    [[nodiscard]] std::optional<size_t> placeOf(const Elf64_Sym& symbol) const
    {
        if (symbol.st_shndx >= m_sections.size() || !m_places[symbol.st_shndx] ||
            symbol.st_value > m_sections[symbol.st_shndx].sh_size)
            return std::nullopt;
        return *m_places[symbol.st_shndx] + symbol.st_value;
    }

    /// Sections, then an entry of the table and a stub for each symbol that anybody may ask for.
    std::string place()
    {
        size_t bytes = kInFront;
        m_places.resize(m_sections.size());
        for (size_t i = 0; i < m_sections.size(); ++i) {
            const Elf64_Shdr& section = m_sections[i];
            // Nobody unwinds through it.
            if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_type == SHT_X86_64_UNWIND || section.sh_size == 0)
                continue;
            if (section.sh_type != SHT_PROGBITS || (section.sh_flags & (SHF_WRITE | SHF_TLS)) != 0)
                return "the object file has a section of type " + std::to_string(section.sh_type) + ", flags " +
                       std::to_string(section.sh_flags);
            const size_t alignment = section.sh_addralign == 0 ? 1 : section.sh_addralign;
            if (section.sh_offset > m_object.size() || section.sh_size > m_object.size() - section.sh_offset ||
                alignment > 4096)
                return kDamaged;
            bytes = roundedUp(bytes, alignment);
            m_places[i] = bytes;
            bytes += section.sh_size;
            if (bytes > kMostBytes)
                return kDamaged;
        }
        m_table = roundedUp(bytes, sizeof(uint64_t));
        m_stubs = m_table + m_symbols.size() * sizeof(uint64_t);
        if (!m_pages.take(m_stubs + m_symbols.size() * kStubBytes))
            return std::string("there is no memory for code: ") + std::strerror(errno);
        for (size_t i = 0; i < m_sections.size(); ++i)
            if (m_places[i])
                std::memcpy(m_pages.begin() + *m_places[i], m_object.data() + m_sections[i].sh_offset,
                            m_sections[i].sh_size);
        return {};
    }

    /// Where the table says where symbol \p index is.
    std::optional<size_t> tableEntryOf(size_t index)
    {
        const size_t entry = m_table + index * sizeof(uint64_t);
        std::byte* const at = m_pages.begin() + entry;
        uint64_t known = 0;
        std::memcpy(&known, at, sizeof known);
        if (known != 0)
            return entry;
        const std::optional<size_t> own = placeOf(m_symbols[index]);
        const std::optional<const void*> address =
            own ? std::optional<const void*>(m_pages.begin() + *own) : m_find(nameOf(m_symbols[index]));
        if (!address)
            return std::nullopt;
        known = reinterpret_cast<uintptr_t>(*address);
        std::memcpy(at, &known, sizeof known);
        return entry;
    }

    /// Where it jumps to symbol \p index.
    std::optional<size_t> stubOf(size_t index)
    {
        const std::optional<size_t> entry = tableEntryOf(index);
        if (!entry)
            return std::nullopt;
        constexpr uint8_t kJump[] = {0xff, 0x25};  // jmp *distance(%rip)
        constexpr size_t kJumpBytes = sizeof kJump + sizeof(int32_t);
        const size_t stub = m_stubs + index * kStubBytes;
        const auto distance =
            static_cast<int32_t>(static_cast<int64_t>(*entry) - static_cast<int64_t>(stub + kJumpBytes));
        std::memcpy(m_pages.begin() + stub, kJump, sizeof kJump);
        std::memcpy(m_pages.begin() + stub + sizeof kJump, &distance, sizeof distance);
        return stub;
    }

    std::string relocate(const Elf64_Shdr& list)
    {
        const auto relocations = read<Elf64_Rela>(list);
        if (!relocations)
            return kDamaged;
        const Elf64_Shdr& section = m_sections[list.sh_info];
        const size_t begin = *m_places[list.sh_info];
        for (const Elf64_Rela& relocation : *relocations) {
            const size_t index = ELF64_R_SYM(relocation.r_info);
            constexpr size_t kBytes = sizeof(int32_t);
            if (index >= m_symbols.size() || section.sh_size < kBytes || relocation.r_offset > section.sh_size - kBytes)
                return kDamaged;
            std::optional<size_t> target;
            switch (const auto type = ELF64_R_TYPE(relocation.r_info); type) {
            case R_X86_64_PC32:
                target = placeOf(m_symbols[index]);
                if (!target)
                    return "the object file expects " + std::string(nameOf(m_symbols[index])) + " nearby";
                break;
            case R_X86_64_PLT32:
                target = placeOf(m_symbols[index]);
                if (!target)
                    target = stubOf(index);
                break;
            case R_X86_64_GOTPCREL:
            case R_X86_64_GOTPCRELX:
            case R_X86_64_REX_GOTPCRELX:
                target = tableEntryOf(index);
                break;
            default:
                return "the object file has a relocation of type " + std::to_string(type);
            }
            if (!target)
                return "nobody knows " + std::string(nameOf(m_symbols[index]));
            const size_t place = begin + relocation.r_offset;
            const auto distance = static_cast<int64_t>(*target + static_cast<uint64_t>(relocation.r_addend) - place);
            if (distance != static_cast<int32_t>(distance))
                return kDamaged;
            const auto near = static_cast<int32_t>(distance);
            std::memcpy(m_pages.begin() + place, &near, sizeof near);
        }
        return {};
    }

    std::span<const std::byte> m_object;
    const FindSymbol& m_find;
    std::vector<Elf64_Shdr> m_sections;
    std::vector<Elf64_Sym> m_symbols;
    std::vector<char> m_names;
    std::vector<std::optional<size_t>> m_places;  ///< of sections, from the beginning of all; none: they are not code
    size_t m_table = 0, m_stubs = 0;
    CodePages m_pages;
};

}  // namespace

std::string linkObject(std::span<const std::byte> object, const FindSymbol& find, const VisitFunction& visit)
{
    return ObjectFile(object, find).link(visit);
}

}  // namespace lanescope::simt
