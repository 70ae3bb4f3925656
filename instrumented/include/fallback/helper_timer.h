// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host timers as the CUDA samples have them. A stand-in, used when the program does not bring its own.
#pragma once

#include <chrono>

#include "../lanescope/hide_macros.h"

class StopWatchInterface {
public:
    void start()
    {
        m_start = Clock::now();
        m_running = true;
    }
    void stop()
    {
        m_total += sinceStart();
        m_running = false;
        ++m_sessions;
    }
    void reset()
    {
        m_total = 0;
        m_sessions = 0;
        m_start = Clock::now();
    }
    float getTime() { return m_total + (m_running ? sinceStart() : 0); }  ///< ms
    float getAverageTime() { return m_sessions > 0 ? m_total / float(m_sessions) : 0; }

private:
    typedef std::chrono::steady_clock Clock;
    float sinceStart() const { return std::chrono::duration<float, std::milli>(Clock::now() - m_start).count(); }

    Clock::time_point m_start = Clock::now();
    float m_total = 0;
    int m_sessions = 0;
    bool m_running = false;
};

static inline bool sdkCreateTimer(StopWatchInterface** timer)
{
    return (*timer = new StopWatchInterface) != nullptr;
}
static inline bool sdkDeleteTimer(StopWatchInterface** timer)
{
    delete *timer;
    *timer = nullptr;
    return true;
}
static inline bool sdkStartTimer(StopWatchInterface** timer)
{
    return (*timer)->start(), true;
}
static inline bool sdkStopTimer(StopWatchInterface** timer)
{
    return (*timer)->stop(), true;
}
static inline bool sdkResetTimer(StopWatchInterface** timer)
{
    return (*timer)->reset(), true;
}
static inline float sdkGetTimerValue(StopWatchInterface** timer)
{
    return (*timer)->getTime();
}
static inline float sdkGetAverageTimerValue(StopWatchInterface** timer)
{
    return (*timer)->getAverageTime();
}

#include "../lanescope/restore_macros.h"
