// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/code_writer.h"

#include "core/base/assert.h"
#include "core/simt/lower/leaves.h"
#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

Instr& CodeWriter::emit(Handler handler, const llvm::Instruction* where)
{
    if (!handler)
        throw Unsupported{where ? "the instruction '" + describe(*where) + "'" : "an instruction", where};
    m_code.push_back({});
    m_code.back().run = handler;
    m_flowSlots.push_back({});
    return m_code.back();
}

CodeWriter::Label CodeWriter::newLabel()
{
    m_labels.push_back(0);
    return Label{m_labels.size() - 1};
}

Instr& CodeWriter::emitJump(Handler handler, Label target, const llvm::Instruction* where)
{
    m_jumps.emplace_back(m_code.size(), target);
    return emit(handler, where);
}

void CodeWriter::connect(BranchInfo& info, Label ifTrue, Label ifFalse, std::optional<Label> reconverge)
{
    m_branches.push_back({&info, ifTrue, ifFalse, reconverge});
}

void CodeWriter::connect(SwitchInfo& info, std::vector<Label> cases, Label fallback, std::optional<Label> reconverge)
{
    LS_ASSERT(cases.size() == info.cases.size());
    m_switches.push_back({&info, std::move(cases), fallback, reconverge});
}

uint32_t CodeWriter::addFlow(Flow flow)
{
    m_program.flows.push_back(std::move(flow));
    return static_cast<uint32_t>(m_program.flows.size());
}

void CodeWriter::describeLast(Flow flow)
{
    m_flowSlots.back().inner = addFlow(std::move(flow));
}

void CodeWriter::describeFrom(size_t begin, Flow flow)
{
    flow.length = static_cast<uint32_t>(m_code.size() - begin);
    m_flowSlots[begin].outer = addFlow(std::move(flow));
}

void CodeWriter::beginBlock()
{
    m_blockInstructions = 0;
    m_blockFlops = 0;
}

void CodeWriter::count(uint32_t flops)
{
    ++m_blockInstructions;
    m_blockFlops += flops;
}

const Instr* CodeWriter::finish(Label entry)
{
    std::vector<Instr>& code = m_program.code.emplace_back(std::move(m_code));
    m_program.flowSlots.push_back(std::move(m_flowSlots));
    const auto at = [&](Label label) { return code.data() + m_labels[static_cast<size_t>(label)]; };
    const auto ifAny = [&](std::optional<Label> label) { return label ? at(*label) : nullptr; };
    for (const auto& [index, label] : m_jumps)
        code[index].imm = reinterpret_cast<uint64_t>(at(label));
    for (const BranchTargets& branch : m_branches) {
        branch.info->ifTrue = at(branch.ifTrue);
        branch.info->ifFalse = at(branch.ifFalse);
        branch.info->reconverge = ifAny(branch.reconverge);
    }
    for (const SwitchTargets& each : m_switches) {
        for (size_t i = 0; i < each.cases.size(); ++i)
            each.info->cases[i].second = at(each.cases[i]);
        each.info->fallback = at(each.fallback);
        each.info->reconverge = ifAny(each.reconverge);
    }
    for (size_t i = code.size(); i-- > 0;)
        if (code[i].run == runJoinPoint && i + 1 < code.size())
            code[i].a = code[i + 1].run == runExit || (code[i + 1].run == runJoinPoint && code[i + 1].a);
    return at(entry);
}

}  // namespace lanescope::simt
