// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/fault_handler.h"

#include <fmt/format.h>
#include <signal.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>

#include "instrumented/runtime/exit_report.h"
#include "instrumented/runtime/host_frames.h"
#include "instrumented/runtime/last_words.h"
#include "instrumented/runtime/runtime.h"
#include "instrumented/runtime/work_order.h"

namespace lanescope::runtime {

namespace {

/// Closing the trace runs SQLite, and finding the line reads debug information: both want a real stack.
constexpr size_t kStackBytes = 4 * 1024 * 1024;

struct sigaction g_previousSegv = {};
struct sigaction g_previousBus = {};

bool isWrite(const void* context)
{
#if defined(__x86_64__)
    constexpr greg_t kWriteBit = 2;  // of the page fault's error code
    return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit;
#else
    (void)context;
    return false;
#endif
}

/// The faulting instruction, or the call that led to it when it is in a library.
HostFrames faultFrames(const void* context)
{
    HostFrames frames = HostFrames::inHandler();
#if defined(__x86_64__)
    const greg_t at = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
    for (int i = frames.count - 1; i >= 0; --i)
        if (frames.address[static_cast<size_t>(i)] == reinterpret_cast<void*>(at))
            frames.address[static_cast<size_t>(i)] = reinterpret_cast<void*>(at + 1);  // it is no return address
#else
    (void)context;
#endif
    return frames;
}

std::string describe(Runtime& runtime, uint64_t address)
{
    const std::optional<device::Allocation> allocation = runtime.memory().find(address);
    if (!allocation)
        return "no buffer";
    const uint64_t offset = address - allocation->address;
    const BufferName* name = runtime.bufferName(allocation->buffer);
    std::string text =
        name ? fmt::format("buffer '{}' ({} bytes, {})", name->name, allocation->bytes, allocation->origin)
             : fmt::format("a buffer of {} bytes ({})", allocation->bytes, allocation->origin);
    if (!allocation->live)
        text += " that has been freed";
    if (name && name->elementBytes > 0 && offset % name->elementBytes == 0)
        return text + fmt::format(", element {}", offset / name->elementBytes);
    return text + fmt::format(", byte {}", offset);
}

trace::Finding makeFinding(Runtime& runtime, uint64_t address, const std::string& message, bool write,
                           const simt::CodePlace& place)
{
    trace::Finding finding;
    finding.kind = FindingKind::HostAccessOfDeviceMemory;
    finding.severity = Severity::Error;
    finding.message = message;
    if (const std::optional<device::Allocation> allocation = runtime.memory().find(address)) {
        const BufferName* name = runtime.bufferName(allocation->buffer);
        finding.buffer = name ? name->name : allocation->origin;
    }
    if (place.line > 0) {
        trace::FindingAccess access;
        access.where = {runtime.trace().sourceOf(place.file), place.line, place.column};
        access.access = write ? "write" : "read";
        finding.accesses = {access};
    }
    return finding;
}

void onFault(int signal, siginfo_t* info, void* context)
{
    const uint64_t address = reinterpret_cast<uint64_t>(info->si_addr);
    if (hostTouched(address, isWrite(context), faultFrames(context)))
        return;
    // Whatever else happens, the instruction runs again and finds the previous handler.
    sigaction(SIGSEGV, &g_previousSegv, nullptr);
    sigaction(SIGBUS, &g_previousBus, nullptr);
    // The host's own crash: the findings so far are what may explain it. So is what it does with memory that it would
    // have been given, had a limit not stopped the run.
    if (!device::DeviceMemory::isDeviceAddress(address) || Runtime::instance().stopped()) {
        if ((signal == SIGSEGV ? g_previousSegv : g_previousBus).sa_handler == SIG_DFL)
            sayLastWords(signal);
        return;
    }
    Runtime& runtime = Runtime::instance();
    const simt::CodePlace place = hostCallOf(faultFrames(context), runtime.options().headers).place();
    const std::string message = fmt::format("host code {} device memory: address {:#x} is {}; use cudaMemcpy",
                                            isWrite(context) ? "wrote" : "read", address, describe(runtime, address));
    std::fflush(stdout);
    const std::string where = place.line > 0 ? fmt::format("{}:{}: ", place.file, place.line) : "";
    std::fprintf(stderr, "lanescope: error: %s%s\n", where.c_str(), message.c_str());
    runtime.trace().addFindings({makeFinding(runtime, address, message, isWrite(context), place)});
    reportExit(trace::ProgramEnd::ofSignal(signal));
    ::signal(signal, SIG_DFL);
}

void useOwnStack()
{
    // Used until the process ends.
    static void* const memory = std::malloc(kStackBytes);
    stack_t stack = {};
    stack.ss_size = kStackBytes;
    stack.ss_sp = memory;
    sigaltstack(&stack, nullptr);
}

}  // namespace

void installFaultHandler()
{
    useOwnStack();
    struct sigaction action = {};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &g_previousSegv);
    sigaction(SIGBUS, &action, &g_previousBus);
}

}  // namespace lanescope::runtime
