// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/begun_launch.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>

#include "core/device/judge.h"

namespace lanescope::simt {
namespace {

/// Why a launch ended early, for people: limits first by their name.
Error stopError(const LaunchOutcome& outcome, const trace::Launch& launch, const device::LaunchOptions& options)
{
    Dim3 block = positionOf(outcome.stopBlock, launch.grid);
    std::string where =
        fmt::format("kernel {} {} ({},{},{})", launch.kernel, launch.blockWord, block.x, block.y, block.z);
    StopReason reason = outcome.stopReason;
    if (reason.kind == FindingKind::StepLimit)
        reason.message = fmt::format("more than {} warp instructions in one launch (--max-steps){}{}",
                                     options.maxSteps ? options.maxSteps : kDefaultMaxSteps,
                                     reason.message.empty() ? "" : ": ", reason.message);
    const bool isLimit = reason.kind && endsRun(*reason.kind);
    return {isLimit ? Error::Code::Limit : Error::Code::BadInput, reason.text(), where};
}

/// What the kernel printed, and what its failed assertions say, as CUDA words it.
void emitText(GridState& grid, const trace::Launch& launch, const device::LaunchOptions& options)
{
    std::string text = grid.takeText();
    if (options.output && !text.empty())
        options.output(text);
    for (const GridState::FailedAssertion& failed : grid.failedAssertions()) {
        Dim3 block = positionOf(failed.block, launch.grid);
        Dim3 thread = positionOf(failed.thread, launch.block);
        if (options.errorOutput)
            options.errorOutput(fmt::format("{}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n",
                                            failed.where, block.x, block.y, block.z, thread.x, thread.y, thread.z,
                                            failed.expression));
    }
}

/// The end of a launch, as the trace has it.
void record(trace::TraceWriter& writer, trace::Launch launch, const device::DeviceOutcome& outcome, bool complete)
{
    launch.blocksRecorded = outcome.blocksRecorded;
    launch.blocksDropped = outcome.blocksDropped;
    launch.eventsDropped = outcome.eventsDropped;
    launch.warpInstructions = outcome.warpInstructions;
    launch.flops = outcome.flops;
    launch.complete = complete;
    if (!outcome.counts.empty())
        writer.addCounts(outcome.counts);
    if (!outcome.measurements.empty())
        writer.addMeasurements(outcome.measurements);
    if (!outcome.operations.empty())
        writer.addOperations(outcome.operations);
    writer.endLaunch(launch);
}

}  // namespace

Result<void> LoadedModule::Begun::plan(const device::KernelInfo& info)
{
    auto planned = m_module.plan(info, m_launch, m_state, m_arguments, m_options);
    if (!planned)
        return planned.error();
    m_plan = std::move(planned).value();
    if (m_options.part.of != 0 && handsOver(*m_plan))
        return Error{Error::Code::Unsupported,
                     "blocks of this launch depend on each other (by values that atomics return, flags, volatile "
                     "accesses, a barrier of the grid or malloc), so it cannot run in parts",
                     llvm::demangle(m_kernel)};
    if (m_options.watch)
        m_plan->found = [this](device::DeviceOutcome soFar) { m_options.watch->found(m_module.judge(*m_plan, soFar)); };
    m_state.runNow = [this](std::vector<RequestedLaunch> requested, uint32_t time) {
        return m_options.depth < kDeepestLaunch ? m_module.runNow(std::move(requested), time, *m_plan, m_result) : time;
    };
    return {};
}

Result<bool> LoadedModule::Begun::goOn(device::Patience patience)
{
    if (m_options.device)
        return runOn(*m_options.device);
    const auto start = std::chrono::steady_clock::now();
    if (!m_blocks)
        m_blocks.emplace(*m_plan);
    const bool hasEnded = m_blocks->goOn(patience);
    m_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!hasEnded) {
        beginBesideOthers();
        return false;
    }
    LaunchOutcome outcome = m_blocks->takeOutcome();
    endTime(outcome.endTime);
    if (outcome.copiedUndefined)
        m_module.m_memory.forgetDefinedness();
    m_outcome = outcomeOf(std::move(outcome));
    return true;
}

Result<bool> LoadedModule::Begun::runOn(device::LaunchDevice& device)
{
    const RequestedDeviceLaunch request(*m_plan, m_kernel, m_module.m_variables, m_arguments,
                                        m_module.m_numbers ? m_module.m_numbers->total() : 0);
    auto ran = device.run(request.launch(), m_module.m_memory);
    if (!ran)
        return ran.error();
    m_outcome = std::move(ran).value();
    return true;
}

/// The launch is paused: from now on others are under way, too, and the host may write what it reads.
void LoadedModule::Begun::beginBesideOthers()
{
    m_module.letOthersWrite(*m_plan);
    if (m_plan->peers || !m_options.races)
        return;
    const std::shared_ptr<SyncOrder> order = m_blocks->order();
    const std::optional<uint32_t> startTime = m_blocks->startTime();
    auto group = std::make_shared<LaunchGroup>(startTime.value_or(m_plan->startTime),
                                               order ? order : std::make_shared<SyncOrder>());
    if (!startTime)
        group->lose();
    m_module.m_races.beginGroup(group);
    m_module.joinGroup(*m_plan);
}

void LoadedModule::Begun::endTime(uint32_t time)
{
    if (m_plan->peers)
        m_module.m_races.endInGroup(m_plan->peers->own, time);
    else if (!m_module.m_races.group())
        m_module.m_races.setTime(time);
}

device::DeviceOutcome LoadedModule::Begun::outcomeOf(LaunchOutcome outcome) const
{
    outcome.seconds = m_seconds;
    if (!outcome.stopReason.empty() && !outcome.trapped)
        outcome.stopped = stopError(outcome, m_plan->launch, m_options);
    return device::DeviceOutcome(std::move(outcome));
}

device::LaunchResult LoadedModule::Begun::finish()
{
    const LaunchPlan& plan = *m_plan;
    device::LaunchResult& result = m_result;
    std::ranges::move(m_module.judge(plan, m_outcome), std::back_inserter(result.findings));
    if (m_options.races && !plan.peers)
        m_module.noteLaunch(plan);
    m_module.rememberCopies(plan, m_outcome);
    const device::LaunchError error = errorOf(m_outcome, contextOf(plan));
    if (result.error == device::LaunchError::None)
        result.error = error != device::LaunchError::None    ? error
                       : !m_state.failedAssertions().empty() ? device::LaunchError::Assertion
                       : m_outcome.trapped                   ? device::LaunchError::Other
                                                             : device::LaunchError::None;
    result.seconds = m_outcome.seconds;
    result.warpInstructions += m_outcome.warpInstructions;
    result.trapped |= m_outcome.trapped;
    if (!result.stopped)
        result.stopped = m_outcome.stopped;
    if (m_options.depth < kDeepestLaunch)
        result.children = m_module.childrenOf(m_state.takeRequested());
    m_module.m_clock += m_outcome.longestBlock * 8 + 20000;
    emitText(m_state, plan.launch, m_options);
    if (!m_outcome.note.empty() && m_options.errorOutput)
        m_options.errorOutput("lanescope: note: " + m_outcome.note + "\n");
    if (m_options.writer) {
        m_module.shapeStages(plan, m_state);
        record(*m_options.writer, plan.launch, m_outcome, !result.stopped);
    }
    return std::move(result);
}

}  // namespace lanescope::simt
