// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that launches run on: all at the same time, kept for the next launch, never in the way of the program's own.
#include <atomic>
#include <barrier>
#include <csignal>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include "core/simt/launch/host_threads.h"

using lanescope::simt::hostProcessors;
using lanescope::simt::onHostThreads;

namespace {

std::set<std::thread::id> threadsOf(unsigned count)
{
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::barrier meet(count);
    onHostThreads(count, [&] {
        {
            const std::scoped_lock lock(mutex);
            threads.insert(std::this_thread::get_id());
        }
        meet.arrive_and_wait();
    });
    return threads;
}

class TestHostThreads : public QObject {
    Q_OBJECT

private slots:
    void runsAllAtTheSameTime()
    {
        const std::set<std::thread::id> threads = threadsOf(4);
        QCOMPARE(threads.size(), 4U);
        QVERIFY(threads.contains(std::this_thread::get_id()));
    }

    void keepsThreadsForTheNextCall() { QCOMPARE(threadsOf(3), threadsOf(3)); }

    void isCalledByManyAtOnce()
    {
        std::atomic<int> calls = 0;
        std::vector<std::jthread> callers;
        for (int i = 0; i < 4; ++i)
            callers.emplace_back([&] {
                for (int round = 0; round < 200; ++round)
                    onHostThreads(3, [&] { ++calls; });
            });
        callers.clear();
        QCOMPARE(calls, 4 * 200 * 3);
    }

    void isCalledByWhatItCalls()
    {
        std::atomic<int> calls = 0;
        onHostThreads(2, [&] { onHostThreads(3, [&] { ++calls; }); });
        QCOMPARE(calls, 6);
    }

    void worksInAProcessThatWasForkedOff()
    {
        QCOMPARE(threadsOf(2).size(), 2U);
        const pid_t child = fork();
        if (child == 0)
            _exit(threadsOf(2).size() == 2 ? 0 : 1);
        int status = -1;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }

    void leavesSignalsToTheProgramsThreads()
    {
        std::atomic<int> blocked = 0, taken = 0;
        std::barrier meet(2);
        onHostThreads(2, [&] {
            sigset_t now;
            pthread_sigmask(SIG_SETMASK, nullptr, &now);
            (sigismember(&now, SIGINT) ? blocked : taken) += 1;
            meet.arrive_and_wait();
        });
        QCOMPARE(blocked, 1);
        QCOMPARE(taken, 1);
    }

    void knowsOfOneProcessorAtLeast() { QVERIFY(hostProcessors() >= 1); }
};

}  // namespace

QTEST_MAIN(TestHostThreads)
#include "tst_host_threads.moc"
