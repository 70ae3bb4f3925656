// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PTX text is made of: names, numbers, operands. Whoever reads statements or modules stands on this.
#pragma once

#include <string>
#include <string_view>

#include "core/simt/ptx/ptx_parser.h"

namespace lanescope::simt {

/// Goes through a text. After the first problem nothing is left to read.
class PtxReader {
public:
    explicit PtxReader(std::string_view text) : m_text(text) {}

    [[nodiscard]] char peek(size_t ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    [[nodiscard]] size_t position() const { return m_at; }
    /// Forgets a problem that was met behind \p position, and goes on there.
    void backTo(size_t position)
    {
        m_problem.clear();
        m_at = position;
    }
    /// Behind the next \p wanted, whatever stands before it; false, and at the end, when there is none.
    bool skipBehind(char wanted);
    /// Of what comes next, 1-based.
    uint32_t line();

    /// Whether what comes next is of an inline assembly statement of the program.
    [[nodiscard]] bool isInline() const { return m_isInline; }

    void skipSpace();
    bool take(char wanted);
    void expect(char wanted, const char* where);
    void fail(const std::string& what);
    /// Names what stands at this place.
    void failHere();

    static bool isNameStart(char c);
    static bool isName(char c);
    /// A register's or a label's name; "${0:q}" and "${0}" are "$0", and what makes a label unique ("${:uid}") is "$".
    /// Dots belong to special registers (%tid.x).
    std::string name();
    /// ".word", with its dot; or a word.
    std::string word();
    std::string opcode();
    /// "…", without the quotes.
    std::string quoted();
    PtxOperand operand();
    PtxOperand number();
    uint64_t count();

private:
    void skipComment();
    PtxOperand simpleOperand(int depth = 0);
    PtxOperand elements(PtxOperand::Kind kind, char end, int depth);
    PtxOperand named();
    PtxOperand address(int depth);
    PtxOperand floatBits(bool isSingle, bool isNegative);
    PtxOperand floatNumber(const std::string& text);
    PtxOperand integerNumber(const std::string& text);

    static constexpr int kDeepest = 8;  ///< operands in operands
    std::string_view m_text;
    size_t m_at = 0;
    size_t m_counted = 0;  ///< up to where lines have been counted
    uint32_t m_line = 1;
    bool m_isInline = false;
    std::string m_problem;
};

/// Statements, and what is declared between them.
class PtxStatementReader {
public:
    explicit PtxStatementReader(PtxReader& reader) : m_reader(reader) {}

    /// All there is: of an inline assembly statement, where braces only separate.
    PtxText all();
    /// Up to the brace that closes a function's body, whose own is open. What of a statement is not understood is the
    /// statement's problem only.
    PtxText body();

private:
    void statement();
    bool label();
    bool directive();
    void registers();
    void place();
    void table(const std::string& label);
    void prototype(const std::string& label);
    void instruction();
    void recover(size_t begin, PtxStatement& statement);
    void open();
    void close();
    void resolveScopes();

    PtxReader& m_reader;
    PtxText m_text;
    std::vector<uint32_t> m_parents{0};  ///< of scopes; the outermost is its own
    uint32_t m_scope = 0;
    bool m_recovers = false;
    bool m_closed = false;                                  ///< the brace of the body
    std::map<std::string, std::vector<uint32_t>> m_scoped;  ///< names declared in inner scopes
};

/// A problem when modules may not call anything so.
void checkPtxName(PtxReader& reader, const std::string& name);
/// .param .u64 .ptr .global .align 8 name and the like, from behind the space's name on; the name "_" is taken too.
PtxVariable readPtxVariable(PtxReader& reader, const std::string& space);
/// (variable, …)
std::vector<PtxVariable> readPtxParameters(PtxReader& reader);

}  // namespace lanescope::simt
