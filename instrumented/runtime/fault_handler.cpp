// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/fault_handler.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "instrumented/runtime/exit_report.h"
#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {

namespace {

/// Closing the trace runs SQLite, which wants a real stack.
constexpr size_t kStackBytes = 512 * 1024;

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

/// "prog.cu:23: " of the innermost frame in the program itself, from the program's line tables; "" when they cannot be
/// read. The process is dying anyway: starting addr2line in a signal handler is worth the try.
std::string hostLocation()
{
    void* frames[32];
    const int count = backtrace(frames, 32);
    const auto* program = reinterpret_cast<const void*>(getauxval(AT_PHDR));
    Dl_info main = {};
    if (!dladdr(program, &main))
        return "";
    for (int i = 0; i < count; ++i) {
        Dl_info info = {};
        if (!dladdr(frames[i], &info) || info.dli_fbase != main.dli_fbase)
            continue;
        const uint64_t offset = reinterpret_cast<uint64_t>(frames[i]) - reinterpret_cast<uint64_t>(info.dli_fbase);
        char line[512] = {};
        std::FILE* pipe =
            popen(fmt::format("addr2line -e /proc/{}/exe {:#x} 2>/dev/null", getpid(), offset).c_str(), "r");
        const bool read = pipe && std::fgets(line, sizeof(line), pipe);
        if (pipe)
            pclose(pipe);
        std::string text = read ? line : "";
        text = text.substr(0, text.find_first_of(" \n"));
        return text.empty() || text[0] == '?' ? "" : text + ": ";
    }
    return "";
}

std::string describe(Runtime& runtime, uint64_t address)
{
    const std::optional<simt::Allocation> allocation = runtime.memory().find(address);
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

trace::Finding makeFinding(Runtime& runtime, uint64_t address, const std::string& message)
{
    trace::Finding finding;
    finding.kind = kHostAccessKind;
    finding.severity = "error";
    finding.message = message;
    if (const std::optional<simt::Allocation> allocation = runtime.memory().find(address)) {
        const BufferName* name = runtime.bufferName(allocation->buffer);
        finding.buffer = name ? name->name : allocation->origin;
    }
    return finding;
}

void onFault(int signal, siginfo_t* info, void* context)
{
    const uint64_t address = reinterpret_cast<uint64_t>(info->si_addr);
    // Whatever else happens, the instruction runs again and finds the previous handler.
    sigaction(SIGSEGV, &g_previousSegv, nullptr);
    sigaction(SIGBUS, &g_previousBus, nullptr);
    if (!simt::DeviceMemory::isDeviceAddress(address))
        return;
    Runtime& runtime = Runtime::instance();
    const std::string message =
        fmt::format("{}host code {} device memory: address {:#x} is {}; use cudaMemcpy", hostLocation(),
                    isWrite(context) ? "wrote" : "read", address, describe(runtime, address));
    std::fflush(stdout);
    std::fprintf(stderr, "lanescope: error: %s\n", message.c_str());
    runtime.trace().addFindings({makeFinding(runtime, address, message)});
    reportExit(std::nullopt);
    ::signal(signal, SIG_DFL);
}

void useOwnStack()
{
    stack_t stack = {};
    stack.ss_size = kStackBytes;
    stack.ss_sp = std::malloc(kStackBytes);
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
