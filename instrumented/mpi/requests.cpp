// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/mpi/requests.h"

#include <map>
#include <mutex>

namespace lanescope::mpi {

namespace {

struct Kept {
    std::mutex mutex;
    std::map<Handle, Staged> staged;
};

/// Never destroyed: a program may wait for requests in its own destructors.
Kept& kept()
{
    static auto& all = *new Kept;
    return all;
}

}  // namespace

void keep(Handle request, const Staged& staged)
{
    if (!staged.isCopied())
        return;
    const std::lock_guard lock(kept().mutex);
    kept().staged[request] = staged;
}

void finish(Handle request, size_t bytes)
{
    Staged done;
    {
        const std::lock_guard lock(kept().mutex);
        const auto found = kept().staged.find(request);
        if (found == kept().staged.end())
            return;
        done = found->second;
        kept().staged.erase(found);
    }
    done.giveBack(bytes);
}

}  // namespace lanescope::mpi
