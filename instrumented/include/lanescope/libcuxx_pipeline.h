// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A subset of libcu++ for <cuda/pipeline>: a ring of stages that producers fill with asynchronous copies and consumers
// wait for. The pipeline of one thread is cp.async's groups; one that threads share has two barriers a stage.
#pragma once

#include "libcuxx_barrier.h"

#include "hide_macros.h"

#if defined(__CUDA__)
#define LS_PIPELINE inline __attribute__((host, device, always_inline, nodebug))

namespace cuda {

enum class pipeline_role { producer, consumer };

namespace details {

template <thread_scope Scope>
struct PipelineStage {
    barrier<Scope> filled;
    barrier<Scope> empty;
};

}  // namespace details

/// What the threads of a pipeline share, usually in shared memory.
template <thread_scope Scope, unsigned char Stages>
struct pipeline_shared_state {
    static constexpr unsigned int kStages = Stages;
    details::PipelineStage<Scope> stages[Stages];
    int producers;  ///< while the pipeline is being made

    pipeline_shared_state() = default;
    pipeline_shared_state(const pipeline_shared_state&) = delete;
    pipeline_shared_state& operator=(const pipeline_shared_state&) = delete;
};

template <thread_scope Scope>
class pipeline {
public:
    LS_PIPELINE pipeline(details::PipelineStage<Scope>* stages, unsigned int count) : m_stages(stages), m_count(count)
    {
    }
    pipeline(pipeline&&) = default;
    pipeline(const pipeline&) = delete;
    pipeline& operator=(const pipeline&) = delete;

    LS_PIPELINE void producer_acquire() { m_stages[m_head].empty.wait_parity(!m_headLap); }
    LS_PIPELINE void producer_commit()
    {
        (void)m_stages[m_head].filled.arrive();
        advance(m_head, m_headLap);
    }
    LS_PIPELINE void consumer_wait() { m_stages[m_tail].filled.wait_parity(m_tailLap); }
    template <class Duration>
    LS_PIPELINE bool consumer_wait_for(const Duration&)
    {
        return m_stages[m_tail].filled.try_wait_parity(m_tailLap);
    }
    LS_PIPELINE void consumer_release()
    {
        (void)m_stages[m_tail].empty.arrive();
        advance(m_tail, m_tailLap);
    }

private:
    LS_PIPELINE void advance(unsigned int& stage, bool& lap)
    {
        if (++stage == m_count) {
            stage = 0;
            lap = !lap;
        }
    }

    details::PipelineStage<Scope>* m_stages;
    unsigned int m_count;
    unsigned int m_head = 0;  ///< the stage that this thread fills next
    unsigned int m_tail = 0;  ///< the stage that it consumes next
    bool m_headLap = false;   ///< lowest bit of how often it went round
    bool m_tailLap = false;
};

template <>
class pipeline<thread_scope_thread> {
public:
    pipeline() = default;
    pipeline(pipeline&&) = default;
    pipeline(const pipeline&) = delete;
    pipeline& operator=(const pipeline&) = delete;

    LS_PIPELINE void producer_acquire() {}
    LS_PIPELINE void producer_commit()
    {
#ifdef __CUDA_ARCH__
        __pipeline_commit();
#endif
        ++m_head;
    }
    LS_PIPELINE void consumer_wait()
    {
        if (m_head != m_tail)
            waitUntil(m_tail + 1);
    }
    template <class Duration>
    LS_PIPELINE bool consumer_wait_for(const Duration&)
    {
        consumer_wait();
        return true;
    }
    LS_PIPELINE void consumer_release() {}
    LS_PIPELINE bool quit() { return true; }

    /// Waits for all commits but the latest \p commits.
    LS_PIPELINE void __ls_wait_prior(unsigned int commits) { waitUntil(m_head - commits); }

private:
    LS_PIPELINE void waitUntil(unsigned int tail)
    {
#ifdef __CUDA_ARCH__
        __pipeline_wait_prior(m_head - tail);
#endif
        m_tail = tail;
    }

    unsigned int m_head = 0;  ///< commits
    unsigned int m_tail = 0;  ///< of these, awaited
};

LS_PIPELINE pipeline<thread_scope_thread> make_pipeline()
{
    return {};
}

namespace details {

template <class Group, thread_scope Scope, unsigned char Stages>
LS_PIPELINE pipeline<Scope> startPipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                          size_t producers, size_t consumers)
{
    if (group.thread_rank() == 0) {
        for (unsigned int i = 0; i < Stages; ++i) {
            init(&state->stages[i].filled, (ptrdiff_t)producers);
            init(&state->stages[i].empty, (ptrdiff_t)consumers);
        }
    }
    group.sync();
    return pipeline<Scope>(state->stages, Stages);
}

}  // namespace details

/// Every thread of the group is a producer and a consumer.
template <class Group, thread_scope Scope, unsigned char Stages>
LS_PIPELINE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state)
{
    return details::startPipeline(group, state, group.size(), group.size());
}
template <class Group, thread_scope Scope, unsigned char Stages>
LS_PIPELINE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                          size_t producers)
{
    return details::startPipeline(group, state, producers, group.size() - producers);
}
template <class Group, thread_scope Scope, unsigned char Stages>
LS_PIPELINE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                          pipeline_role role)
{
    if (group.thread_rank() == 0)
        state->producers = 0;
    group.sync();
    if (role == pipeline_role::producer)
        atomic_ref<int, Scope>(state->producers).fetch_add(1, memory_order_relaxed);
    group.sync();
    const int producers = atomic_ref<int, Scope>(state->producers).load(memory_order_relaxed);
    group.sync();
    return details::startPipeline(group, state, (size_t)producers, group.size() - (size_t)producers);
}

/// Waits for all commits of this thread but the latest \p Commits.
template <unsigned char Commits>
LS_PIPELINE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& pipeline)
{
    pipeline.__ls_wait_prior(Commits);
}
/// The copies so far are part of the barrier's phase; whoever arrives there awaits them.
template <thread_scope Scope>
LS_PIPELINE void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<Scope>&)
{
}

}  // namespace cuda

#undef LS_PIPELINE
#endif

#include "restore_macros.h"
