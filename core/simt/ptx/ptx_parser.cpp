// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_parser.h"

#include <bit>
#include <cctype>
#include <cstdlib>

namespace lanescope::simt {
namespace {

class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    std::optional<PtxText> run(std::string& problem)
    {
        skipSpace();
        while (m_at < m_text.size() && m_problem.empty()) {
            statement();
            skipSpace();
        }
        if (m_problem.empty())
            return std::move(m_result);
        problem = m_problem;
        return std::nullopt;
    }

private:
    [[nodiscard]] char peek(size_t ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }

    void skipSpace()
    {
        for (;;) {
            while (std::isspace(static_cast<unsigned char>(peek())))
                ++m_at;
            if (peek() == '/' && peek(1) == '/') {
                while (m_at < m_text.size() && peek() != '\n')
                    ++m_at;
            } else if (peek() == '/' && peek(1) == '*') {
                size_t end = m_text.find("*/", m_at);
                m_at = end == m_text.npos ? m_text.size() : end + 2;
            } else {
                return;
            }
        }
    }

    bool take(char wanted)
    {
        skipSpace();
        if (peek() != wanted)
            return false;
        ++m_at;
        return true;
    }

    void fail(const std::string& what)
    {
        if (m_problem.empty())
            m_problem = what;
        m_at = m_text.size();
    }

    static bool isNameStart(char c)
    {
        return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
    }
    static bool isName(char c)
    {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
    }

    /// A register's or a label's name; "${0:q}" and "${0}" are "$0", and what makes a label unique ("${:uid}") is "$".
    /// Dots belong to special registers (%tid.x).
    std::string name()
    {
        skipSpace();
        std::string result;
        bool special = peek() == '%';
        for (;;) {
            if (peek() == '$' && peek(1) == '{') {
                m_at += 2;
                size_t end = m_text.find('}', m_at);
                std::string_view inside = m_text.substr(m_at, end - m_at);
                m_at = end == m_text.npos ? m_text.size() : end + 1;
                result += '$';
                result += inside.substr(0, inside.find(':'));
            } else if (isName(peek()) || (special && peek() == '.')) {
                result += m_text[m_at++];
            } else {
                return result;
            }
        }
    }

    /// "name:". A colon inside an opcode is double.
    bool label()
    {
        const size_t begin = m_at;
        PtxStatement place;
        place.label = name();
        if (take(':') && peek() != ':') {
            m_result.statements.push_back(std::move(place));
            return true;
        }
        m_at = begin;
        return false;
    }

    void statement()
    {
        if (take('{') || take('}') || take(';'))
            return;
        if (peek() == '.')
            return declaration();
        if (isNameStart(peek()) && label())
            return;
        PtxStatement next;
        if (take('@')) {
            next.predicateNegated = take('!');
            next.predicate = name();
            skipSpace();
        }
        while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '.' || peek() == '_' || peek() == ':')
            next.text += m_text[m_at++];
        if (next.text.empty())
            return fail("'" + std::string(m_text.substr(m_at, 20)) + "'");
        splitOpcode(next);
        skipSpace();
        if (!take(';') && m_at < m_text.size()) {
            do
                next.operands.push_back(operand());
            while (take(','));
            if (!take(';') && m_at < m_text.size() && peek() != '}')
                return fail("'" + std::string(m_text.substr(m_at, 20)) + "'");
        }
        m_result.statements.push_back(std::move(next));
    }

    static void splitOpcode(PtxStatement& statement)
    {
        std::string part;
        for (char c : statement.text + ".") {
            if (c != '.') {
                part += c;
                continue;
            }
            if (!part.empty())
                statement.opcode.push_back(part);
            part.clear();
        }
    }

    /// .reg .b32 a, b<4>; or a hint to the assembler, .pragma "…";
    void declaration()
    {
        std::string word;
        auto nextWord = [&] {
            word.clear();
            skipSpace();
            while (peek() == '.' || isName(peek()))
                word += m_text[m_at++];
        };
        nextWord();
        if (word == ".pragma") {
            size_t end = m_text.find(';', m_at);
            m_at = end == m_text.npos ? m_text.size() : end + 1;
            return;
        }
        if (word != ".reg")
            return fail("the directive '" + word + "'");
        nextWord();
        std::string type = word.size() > 1 ? word.substr(1) : word;
        do {
            std::string base = name();
            if (take('<')) {
                int count = std::atoi(std::string(m_text.substr(m_at, 8)).c_str());
                while (m_at < m_text.size() && peek() != '>')
                    ++m_at;
                take('>');
                for (int i = 0; i < count; ++i)
                    m_result.registers.push_back({base + std::to_string(i), type});
            } else {
                m_result.registers.push_back({base, type});
            }
        } while (take(','));
        take(';');
    }

    PtxOperand operand()
    {
        PtxOperand first = simpleOperand();
        skipSpace();
        if (peek() != '|')
            return first;
        ++m_at;
        PtxOperand pair;
        pair.kind = PtxOperand::Kind::Pair;
        pair.elements = {std::move(first), simpleOperand()};
        return pair;
    }

    PtxOperand simpleOperand()
    {
        PtxOperand result;
        skipSpace();
        if (take('{')) {
            result.kind = PtxOperand::Kind::Vector;
            do
                result.elements.push_back(simpleOperand());
            while (take(','));
            if (!take('}'))
                fail("a vector without '}'");
            return result;
        }
        if (take('['))
            return address();
        if (take('!') || (peek() == '-' && isNameStart(peek(1)) && take('-'))) {
            result = simpleOperand();
            result.isNegated = true;
            return result;
        }
        if (peek() == '_' && !isName(peek(1))) {
            ++m_at;
            return result;
        }
        if (isNameStart(peek())) {
            result.kind = PtxOperand::Kind::Register;
            result.name = name();
            if (peek() == '.')
                for (++m_at; std::isalnum(static_cast<unsigned char>(peek()));)
                    result.selector += m_text[m_at++];
            return result;
        }
        return number();
    }

    PtxOperand address()
    {
        PtxOperand result;
        result.kind = PtxOperand::Kind::Address;
        skipSpace();
        if (isNameStart(peek()))
            result.name = name();
        else
            result.integer = number().integer;
        skipSpace();
        while (peek() == '+' || peek() == '-') {
            bool minus = peek() == '-';
            ++m_at;
            skipSpace();
            if (isNameStart(peek())) {
                PtxOperand offset;
                offset.kind = PtxOperand::Kind::Register;
                offset.name = name();
                result.elements.push_back(offset);
            } else {
                int64_t offset = number().integer;
                result.integer += minus ? -offset : offset;
            }
            skipSpace();
        }
        if (!take(']'))
            fail("an address without ']'");
        return result;
    }

    PtxOperand number()
    {
        PtxOperand result;
        skipSpace();
        std::string text;
        if (peek() == '-' || peek() == '+')
            text += m_text[m_at++];
        skipSpace();
        if (peek() == '0' && (peek(1) == 'f' || peek(1) == 'F' || peek(1) == 'd' || peek(1) == 'D')) {
            result.isSingle = peek(1) == 'f' || peek(1) == 'F';
            m_at += 2;
            std::string digits;
            while (std::isxdigit(static_cast<unsigned char>(peek())))
                digits += m_text[m_at++];
            result.kind = PtxOperand::Kind::Float;
            result.integer = static_cast<int64_t>(std::strtoull(digits.c_str(), nullptr, 16));
            return result;
        }
        bool isFloat = false;
        bool isHex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
        while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '.' ||
               (!isHex && (peek() == '-' || peek() == '+') && (text.ends_with('e') || text.ends_with('E')))) {
            isFloat |= peek() == '.' || (!isHex && (peek() == 'e' || peek() == 'E'));
            text += m_text[m_at++];
        }
        if (text.empty()) {
            fail("'" + std::string(m_text.substr(m_at, 20)) + "'");
            return result;
        }
        result.kind = isFloat ? PtxOperand::Kind::Float : PtxOperand::Kind::Integer;
        result.integer =
            isFloat ? std::bit_cast<int64_t>(std::strtod(text.c_str(), nullptr))
                    : static_cast<int64_t>(text[0] == '-'
                                               ? std::strtoll(text.c_str(), nullptr, 0)
                                               : static_cast<long long>(std::strtoull(text.c_str(), nullptr, 0)));
        return result;
    }

    std::string_view m_text;
    size_t m_at = 0;
    std::string m_problem;
    PtxText m_result;
};

}  // namespace

std::optional<PtxText> parsePtx(std::string_view text, std::string& problem)
{
    return Parser(text).run(problem);
}

}  // namespace lanescope::simt
