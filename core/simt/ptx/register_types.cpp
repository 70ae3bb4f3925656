// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/register_types.h"

#include <algorithm>
#include <map>
#include <vector>

namespace lanescope::simt {
namespace {

using Kind = PtxOperand::Kind;

class RegisterTypes {
public:
    explicit RegisterTypes(const PtxText& text)
    {
        for (const PtxRegister& reg : text.registers)
            if (reg.type == "b32" || reg.type == "b64")
                m_numbers.emplace(reg.name, m_numbers.size());
        for (size_t i = 0; i < m_numbers.size(); ++i)
            m_parents.push_back(i);
        m_votes.resize(m_numbers.size());
        findConstants(text);
        for (const PtxStatement& each : text.statements)
            if (each.label.empty() && each.problem.empty())
                read(each);
    }

    std::set<std::string> floats()
    {
        for (size_t i = 0; i < m_votes.size(); ++i)
            if (const size_t root = rootOf(i); root != i)
                m_votes[root] += m_votes[i];
        std::set<std::string> names;
        for (const auto& [name, number] : m_numbers)
            if (m_votes[rootOf(number)] > 0)
                names.insert(name);
        return names;
    }

private:
    size_t rootOf(size_t number)
    {
        while (m_parents[number] != number)
            number = m_parents[number] = m_parents[m_parents[number]];
        return number;
    }

    /// Registers that only ever hold a number of the text: a zero may go to integers and to floats.
    void findConstants(const PtxText& text)
    {
        std::set<std::string> others;
        for (const PtxStatement& each : text.statements) {
            if (!each.label.empty() || each.operands.empty())
                continue;
            const bool isConstant =
                each.opcode.front() == "mov" && each.operands.size() == 2 && each.operands[1].kind == Kind::Integer;
            std::set<std::string>& into = isConstant ? m_constants : others;
            into.insert(each.operands[0].name);
            for (const PtxOperand& part : each.operands[0].elements)
                into.insert(part.name);
        }
        for (const std::string& other : others)
            m_constants.erase(other);
    }

    void join(const PtxOperand& a, const PtxOperand& b)
    {
        if (m_constants.contains(b.name))
            return;
        const auto first = m_numbers.find(a.name), second = m_numbers.find(b.name);
        if (a.kind == Kind::Register && b.kind == Kind::Register && first != m_numbers.end() &&
            second != m_numbers.end())
            m_parents[rootOf(first->second)] = rootOf(second->second);
    }

    void vote(const PtxOperand& operand, std::string_view type)
    {
        for (const PtxOperand& each : operand.elements)
            if (operand.kind == Kind::Vector)
                vote(each, type);
        const auto found = m_numbers.find(operand.name);
        if (operand.kind == Kind::Register && found != m_numbers.end())
            m_votes[found->second] += type == "f32" || type == "f64" ? 1 : -1;
    }

    void vote(const PtxStatement& s, size_t index, std::string_view type)
    {
        if (index < s.operands.size())
            vote(s.operands[index], type);
    }

    void voteFrom(const PtxStatement& s, size_t first)
    {
        for (size_t i = first; i < s.operands.size(); ++i)
            vote(s.operands[i], s.opcode.back());
    }

    /// What only carries bits; whether it was that.
    bool moves(const PtxStatement& s)
    {
        const std::string& name = s.opcode.front();
        const bool isUntyped = s.opcode.back()[0] == 'b' || (name == "mov" && s.opcode.back()[0] != 'f');
        if (s.operands.size() < 2 || !isUntyped)
            return false;
        if (name == "mov" || name == "shfl")
            join(s.operands[0].kind == Kind::Pair ? s.operands[0].elements.front() : s.operands[0], s.operands[1]);
        else if (name == "selp" && s.operands.size() > 2) {
            join(s.operands[0], s.operands[1]);
            join(s.operands[0], s.operands[2]);
        } else {
            return name == "ld" || name == "st" || name == "ldu" || name == "atom";
        }
        return true;
    }

    void read(const PtxStatement& s)
    {
        const std::string& name = s.opcode.front();
        if (s.opcode.size() < 2 || moves(s))
            return;
        const std::string& before = s.opcode[s.opcode.size() - 2];
        if (name == "setp" || name == "testp") {
            voteFrom(s, 1);
        } else if (name == "cvt" || name == "set") {
            vote(s, 0, before);
            voteFrom(s, 1);
        } else if (name == "mma") {
            readProduct(s);
        } else if (s.has("wide")) {
            vote(s, 0, "wide");
            vote(s, 1, s.opcode.back());
            vote(s, 2, s.opcode.back());
        } else if (name != "cp" && name != "call" && name != "ldmatrix") {
            voteFrom(s, 0);
        }
    }

    /// mma.sync.aligned.shape.row.col.d.a.b.c
    void readProduct(const PtxStatement& s)
    {
        const size_t count = s.opcode.size();
        if (count > 4 && s.operands.size() > 3 && s.opcode[count - 4] == "f32") {
            vote(s, 0, "f32");
            vote(s, 3, "f32");
        }
    }

    std::map<std::string, size_t> m_numbers;
    std::vector<size_t> m_parents;
    std::vector<int> m_votes;
    std::set<std::string> m_constants;
};

}  // namespace

std::set<std::string> floatRegisters(const PtxText& text)
{
    return RegisterTypes(text).floats();
}

}  // namespace lanescope::simt
