// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_module.h"

#include <cstring>
#include <filesystem>

#include "core/simt/ptx/ptx_reader.h"

namespace lanescope::simt {
namespace {

constexpr uint64_t kMostValues = 1 << 24;

/// Goes through the directives of a module.
class ModuleReader {
public:
    explicit ModuleReader(std::string_view text) : m_reader(text) {}

    std::optional<PtxModule> run(std::string& problem, uint32_t& line)
    {
        while (m_reader.problem().empty()) {
            m_reader.skipSpace();
            if (m_reader.atEnd())
                break;
            m_line = m_reader.line();
            directive();
        }
        line = m_line;
        problem = m_reader.problem();
        if (!problem.empty())
            return std::nullopt;
        return std::move(m_module);
    }

private:
    void directive()
    {
        std::string word = m_reader.word();
        bool isExternal = false;
        while (word == ".extern" || word == ".visible" || word == ".weak" || word == ".common") {
            isExternal |= word == ".extern";
            word = m_reader.word();
        }
        if (word == ".version")
            m_reader.operand();
        else if (word == ".target")
            target();
        else if (word == ".address_size")
            addressSize();
        else if (word == ".file")
            file();
        else if (word == ".entry" || word == ".func")
            function(word == ".entry");
        else if (word == ".global" || word == ".const" || word == ".shared")
            variable(word.substr(1), isExternal);
        else if (word == ".section")
            section();
        else if (word == ".alias")
            alias();
        else if (word == ".pragma")
            m_reader.skipBehind(';');
        else if (word.empty())
            m_reader.failHere();
        else
            m_reader.fail("the directive '" + word + "' is not known");
    }

    /// .target sm_90a, debug
    void target()
    {
        m_module.target = m_reader.name();
        while (m_reader.take(','))
            m_reader.name();
    }

    void addressSize()
    {
        if (m_reader.count() != 64)
            m_reader.fail("addresses of other than 64 bits");
    }

    void file()
    {
        const auto number = static_cast<uint32_t>(m_reader.count());
        std::string name = m_reader.quoted();
        // As of DWARF 5: a folder, and a file in it.
        m_reader.skipSpace();
        if (m_reader.peek() == '"')
            name = (std::filesystem::path(name) / m_reader.quoted()).string();
        m_module.files[number] = name;
        while (m_reader.take(','))
            m_reader.count();
    }

    void alias()
    {
        const std::string name = m_reader.name();
        m_reader.expect(',', "an alias");
        m_module.aliases[name] = m_reader.name();
        m_reader.expect(';', "an alias");
    }

    void function(bool isEntry)
    {
        PtxFunction function;
        function.isEntry = isEntry;
        function.line = m_line;
        attribute();
        m_reader.skipSpace();
        if (!isEntry && m_reader.peek() == '(')
            function.results = readPtxParameters(m_reader);
        function.name = m_reader.name();
        if (function.name.empty())
            return m_reader.failHere();
        checkPtxName(m_reader, function.name);
        function.parameters = readPtxParameters(m_reader);
        while (m_reader.problem().empty() && !m_reader.take(';')) {
            if (m_reader.take('{')) {
                function.hasBody = true;
                function.body = PtxStatementReader(m_reader).body();
                break;
            }
            performance(function);
        }
        m_module.functions.push_back(std::move(function));
    }

    void attribute()
    {
        m_reader.skipSpace();
        const size_t begin = m_reader.position();
        if (m_reader.peek() == '.' && m_reader.word() == ".attribute")
            m_reader.skipBehind(')');
        else
            m_reader.backTo(begin);
    }

    std::vector<uint64_t> counts()
    {
        std::vector<uint64_t> numbers;
        do
            numbers.push_back(m_reader.count());
        while (m_reader.take(','));
        return numbers;
    }

    /// What stands between a function's parameters and its body.
    void performance(PtxFunction& function)
    {
        const std::string word = m_reader.word();
        if (word == ".maxntid" || word == ".reqntid")
            function.maxThreads = counts();
        else if (word == ".minnctapersm")
            function.minBlocks = m_reader.count();
        else if (word == ".reqnctapercluster")
            function.cluster = counts();
        else if (word == ".maxnreg" || word == ".maxnctapersm" || word == ".maxclusterrank" ||
                 word == ".abi_preserve" || word == ".abi_preserve_control")
            counts();
        else if (word == ".pragma")
            m_reader.skipBehind(';');
        else if (word.empty())
            m_reader.failHere();
        else if (word != ".noreturn" && word != ".explicitcluster" && word != ".blocksareclusters" && word != ".unique")
            m_reader.fail("the directive '" + word + "' is not known");
    }

    void variable(const std::string& space, bool isExternal)
    {
        do {
            PtxVariable variable = readPtxVariable(m_reader, space);
            variable.isExternal = isExternal;
            if (m_reader.take('='))
                initialiser(variable);
            m_module.variables.push_back(std::move(variable));
        } while (m_reader.take(','));
        m_reader.expect(';', "a variable");
    }

    void initialiser(PtxVariable& variable)
    {
        if (!m_reader.take('{'))
            variable.values.push_back(value());
        else
            values(variable, 0);
        if (variable.count == 0)
            variable.count = variable.values.size();
    }

    /// Behind a brace; what is in braces of its own follows what came before.
    void values(PtxVariable& variable, int depth)
    {
        constexpr int kDeepest = 8;
        if (depth > kDeepest)
            return m_reader.fail("values in more than " + std::to_string(kDeepest) + " braces");
        if (m_reader.take('}'))
            return;
        do {
            if (m_reader.take('{'))
                values(variable, depth + 1);
            else
                variable.values.push_back(value());
        } while (m_reader.take(',') && variable.values.size() < kMostValues);
        m_reader.expect('}', "values");
    }

    /// A number, a name, or generic(name), with what is added to it.
    PtxOperand value()
    {
        PtxOperand result = m_reader.operand();
        if (result.kind == PtxOperand::Kind::Register && result.name == "generic") {
            m_reader.expect('(', "a generic address");
            result = m_reader.operand();
            m_reader.expect(')', "a generic address");
            m_reader.skipSpace();
            if (m_reader.peek() == '+' || m_reader.peek() == '-')
                result.integer = m_reader.number().integer;
        }
        if (result.kind != PtxOperand::Kind::Register && result.kind != PtxOperand::Kind::Integer &&
            result.kind != PtxOperand::Kind::Float)
            m_reader.fail("a value of another kind");
        return result;
    }

    // ---- Sections ----

    void section()
    {
        const std::string name = m_reader.word();
        PtxSection& section = m_module.sections[name];
        m_reader.expect('{', "a section");
        while (m_reader.problem().empty() && !m_reader.take('}')) {
            m_reader.skipSpace();
            if (m_reader.atEnd())
                return m_reader.fail("a section without '}'");
            if (m_reader.peek() != '.') {
                const std::string label = m_reader.name();
                m_reader.expect(':', "a label");
                section.labels[label] = section.bytes.size();
                continue;
            }
            const unsigned bytes = static_cast<unsigned>(bytesOfPtxType(m_reader.word().substr(1)));
            if (bytes == 0)
                return m_reader.fail("a type that is not known in a section");
            do
                datum(section, bytes);
            while (m_reader.take(','));
        }
    }

    void datum(PtxSection& section, unsigned bytes)
    {
        m_reader.skipSpace();
        uint64_t value = 0;
        if (m_reader.peek() == '.' || PtxReader::isNameStart(m_reader.peek())) {
            PtxSection::Reference reference;
            reference.offset = section.bytes.size();
            reference.bytes = bytes;
            reference.name = m_reader.word();
            m_reader.skipSpace();
            if (m_reader.peek() == '-' && PtxReader::isNameStart(m_reader.peek(1))) {
                m_reader.take('-');
                reference.less = m_reader.word();
            } else if (m_reader.peek() == '+' || m_reader.peek() == '-') {
                reference.addend = m_reader.number().integer;
            }
            section.references.push_back(std::move(reference));
        } else {
            value = static_cast<uint64_t>(m_reader.number().integer);
        }
        for (unsigned i = 0; i < bytes; ++i)
            section.bytes += static_cast<char>(i < 8 ? value >> (8 * i) & 0xff : 0);
    }

    PtxReader m_reader;
    PtxModule m_module;
    uint32_t m_line = 1;
};

}  // namespace

uint64_t bytesOfPtxType(std::string_view type)
{
    if (type == "f16x2" || type == "bf16x2")
        return 4;
    if (type == "texref" || type == "samplerref" || type == "surfref")
        return 8;
    for (const auto& [digits, bytes] : {std::pair{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}, {"128", 16}})
        if (type.ends_with(digits) && type.size() - std::strlen(digits) <= 2 &&
            std::string_view("busf").find(type[0]) != std::string_view::npos && type.size() > std::strlen(digits)) {
            const std::string_view letters = type.substr(0, type.size() - std::strlen(digits));
            if (letters.size() == 1 || letters == "bf")
                return static_cast<uint64_t>(bytes);
        }
    return 0;
}

std::optional<PtxModule> parsePtxModule(std::string_view text, std::string& problem, uint32_t& line)
{
    return ModuleReader(text).run(problem, line);
}

}  // namespace lanescope::simt
