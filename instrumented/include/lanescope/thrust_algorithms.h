// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's algorithms. Part of the headers in thrust/. Each is written once, for the device and the host
// (thrust_kernels.h); on the device when one of its iterators, or its policy, says so.
#pragma once

#include "needs_kernels.h"

#include "thrust_kernels.h"

#include "hide_macros.h"

namespace thrust {

#pragma clang force_cuda_host_device begin

namespace algorithms {

using namespace parts;

// clang-format off
template <class I> using Value = typename std::iterator_traits<I>::value_type;
template <class M, class I> auto raw(M, const I& i) { if constexpr (M::value) return rawIterator(i); else return i; }
template <class I> std::size_t count(I first, I last) { return (std::size_t)(last - first); }

template <class M, class I, class F> I for_each(M m, I first, I last, F f) { auto in = raw(m, first); each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { f(in[i]); }); return last; }
template <class M, class I, class N, class F> I for_each_n(M m, I first, N n, F f) { return for_each(m, first, first + n, f); }

template <class M, class I, class O, class F> O transform(M m, I first, I last, O out, F f)
{
    auto in = raw(m, first); auto to = raw(m, out);
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { to[i] = f(in[i]); });
    return out + (last - first);
}
template <class M, class I, class J, class O, class F, class = decltype(*std::declval<J>()), class = decltype(std::declval<O>()[0])> O transform(M m, I first, I last, J second, O out, F f)
{
    auto in = raw(m, first); auto other = raw(m, second); auto to = raw(m, out);
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { to[i] = f(in[i], other[i]); });
    return out + (last - first);
}
template <class M, class I, class O, class F, class P> O transform_if(M m, I first, I last, O out, F f, P p)
{
    auto in = raw(m, first); auto to = raw(m, out);
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { if (p(in[i])) to[i] = f(in[i]); });
    return out + (last - first);
}
template <class M, class I, class S, class O, class F, class P> O transform_if(M m, I first, I last, S stencil, O out, F f, P p)
{
    auto in = raw(m, first); auto to = raw(m, out); auto wanted = raw(m, stencil);
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { if (p(wanted[i])) to[i] = f(in[i]); });
    return out + (last - first);
}
template <class M, class I, class J, class S, class O, class F, class P> O transform_if(M m, I first, I last, J second, S stencil, O out, F f, P p)
{
    auto in = raw(m, first); auto other = raw(m, second); auto to = raw(m, out); auto wanted = raw(m, stencil);
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { if (p(wanted[i])) to[i] = f(in[i], other[i]); });
    return out + (last - first);
}
template <class M, class I, class T> void fill(M m, I first, I last, const T& value) { auto to = raw(m, first); const Value<I> v = (Value<I>)value; each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { to[i] = v; }); }
template <class M, class I, class N, class T> I fill_n(M m, I first, N n, const T& value) { fill(m, first, first + n, value); return first + n; }
template <class M, class I, class T> void uninitialized_fill(M m, I first, I last, const T& value) { fill(m, first, last, value); }
template <class M, class I, class T = int, class S = T> void sequence(M m, I first, I last, T start = T(0), S step = S(1)) { auto to = raw(m, first); each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { to[i] = (Value<I>)(start + step * (T)i); }); }
template <class M, class I, class F> void tabulate(M m, I first, I last, F f) { auto to = raw(m, first); each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { to[i] = f((std::ptrdiff_t)i); }); }
template <class M, class I, class F> void generate(M m, I first, I last, F f) { auto to = raw(m, first); each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { to[i] = f(); }); }
template <class M, class Map, class I, class O> O gather(M m, Map first, Map last, I input, O out)
{
    auto map = raw(m, first); auto in = raw(m, input); auto to = raw(m, out);
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { to[i] = in[map[i]]; });
    return out + (last - first);
}
template <class M, class I, class Map, class O> void scatter(M m, I first, I last, Map where, O out)
{
    auto in = raw(m, first); auto map = raw(m, where); auto to = raw(m, out);
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { to[map[i]] = in[i]; });
}
template <class M, class I, class Map, class S, class O> void scatter_if(M m, I first, I last, Map where, S stencil, O out)
{
    auto in = raw(m, first); auto map = raw(m, where); auto to = raw(m, out); auto wanted = raw(m, stencil);
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { if (wanted[i]) to[map[i]] = in[i]; });
}
template <class M, class Map, class S, class I, class O> O gather_if(M m, Map first, Map last, S stencil, I input, O out)
{
    auto map = raw(m, first); auto in = raw(m, input); auto to = raw(m, out); auto wanted = raw(m, stencil);
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { if (wanted[i]) to[i] = in[map[i]]; });
    return out + (last - first);
}
template <class M, class I, class N, class F> I generate_n(M m, I first, N n, F f) { generate(m, first, first + n, f); return first + n; }
template <class M, class I, class O, class P, class T> O replace_copy_if(M m, I first, I last, O out, P p, const T& value)
{
    auto in = raw(m, first); auto to = raw(m, out); const Value<I> v = (Value<I>)value;
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { const Value<I> x = in[i]; to[i] = p(x) ? v : x; });
    return out + (last - first);
}
template <class M, class I, class S, class O, class P, class T> O replace_copy_if(M m, I first, I last, S stencil, O out, P p, const T& value)
{
    auto in = raw(m, first); auto to = raw(m, out); auto wanted = raw(m, stencil); const Value<I> v = (Value<I>)value;
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { const Value<I> x = in[i]; to[i] = p(wanted[i]) ? v : x; });
    return out + (last - first);
}
template <class M, class I, class O, class T> O replace_copy(M m, I first, I last, O out, const T& old, const T& value) { const Value<I> o = (Value<I>)old; return replace_copy_if(m, first, last, out, [=] LS_BOTH(const Value<I>& x) mutable { return x == o; }, value); }
template <class M, class I, class P, class T> void replace_if(M m, I first, I last, P p, const T& value) { auto at = raw(m, first); const Value<I> v = (Value<I>)value; each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { if (p(at[i])) at[i] = v; }); }
template <class M, class I, class S, class P, class T> void replace_if(M m, I first, I last, S stencil, P p, const T& value)
{
    auto at = raw(m, first); auto wanted = raw(m, stencil); const Value<I> v = (Value<I>)value;
    each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { if (p(wanted[i])) at[i] = v; });
}
template <class M, class I, class T> void replace(M m, I first, I last, const T& old, const T& value) { const Value<I> o = (Value<I>)old; replace_if(m, first, last, [=] LS_BOTH(const Value<I>& x) mutable { return x == o; }, value); }
template <class M, class I> void reverse(M m, I first, I last) { auto at = raw(m, first); const std::size_t n = count(first, last); each(m, n / 2, [=] LS_BOTH(std::size_t i) mutable { Value<I> old = at[i]; at[i] = at[n - 1 - i]; at[n - 1 - i] = old; }); }
template <class M, class I, class O> O reverse_copy(M m, I first, I last, O out) { auto in = raw(m, first); auto to = raw(m, out); const std::size_t n = count(first, last); each(m, n, [=] LS_BOTH(std::size_t i) mutable { to[i] = in[n - 1 - i]; }); return out + (last - first); }
template <class M, class I, class J> J swap_ranges(M m, I first, I last, J other) { auto a = raw(m, first); auto b = raw(m, other); each(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable { Value<I> old = a[i]; a[i] = b[i]; b[i] = old; }); return other + (last - first); }
template <class M, class I, class O, class F = minus<>> O adjacent_difference(M m, I first, I last, O out, F f = F())
{
    const std::size_t n = count(first, last);
    Scratch<M, Value<I>> copy(n);
    Value<I>* old = copy.data(); auto in = raw(m, first); auto to = raw(m, out);
    each(m, n, [=] LS_BOTH(std::size_t i) mutable { old[i] = in[i]; });
    each(m, n, [=] LS_BOTH(std::size_t i) mutable { to[i] = i == 0 ? old[i] : f(old[i], old[i - 1]); });
    return out + (last - first);
}

// Sums of all kinds
template <class M, class I, class F, class T, class Op> T transform_reduce(M m, I first, I last, F f, T init, Op op) { auto in = raw(m, first); return fold(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable -> T { return f(in[i]); }, init, op); }
template <class M, class I, class T = Value<I>, class Op = plus<>> T reduce(M m, I first, I last, T init = T(), Op op = Op()) { auto in = raw(m, first); return fold(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable -> T { return in[i]; }, init, op); }
template <class M, class I, class J, class T, class Op = plus<>, class F = multiplies<>> T inner_product(M m, I first, I last, J other, T init, Op op = Op(), F f = F()) { auto a = raw(m, first); auto b = raw(m, other); return fold(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable -> T { return f(a[i], b[i]); }, init, op); }
template <class M, class I, class P> std::ptrdiff_t count_if(M m, I first, I last, P p) { auto in = raw(m, first); return fold(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable -> std::ptrdiff_t { return p(in[i]) ? 1 : 0; }, std::ptrdiff_t(0), plus<std::ptrdiff_t>()); }
template <class M, class I, class T> std::ptrdiff_t countOf(M m, I first, I last, const T& value) { const Value<I> v = (Value<I>)value; return algorithms::count_if(m, first, last, [=] LS_BOTH(const Value<I>& x) mutable { return x == v; }); }
template <class M, class I, class P> bool any_of(M m, I first, I last, P p) { return algorithms::count_if(m, first, last, p) > 0; }
template <class M, class I, class P> bool all_of(M m, I first, I last, P p) { return algorithms::count_if(m, first, last, p) == last - first; }
template <class M, class I, class P> bool none_of(M m, I first, I last, P p) { return algorithms::count_if(m, first, last, p) == 0; }
template <class M, class I, class P> I find_if(M m, I first, I last, P p)
{
    auto in = raw(m, first); const std::size_t n = count(first, last);
    return first + (std::ptrdiff_t)fold(m, n, [=] LS_BOTH(std::size_t i) mutable -> std::size_t { return p(in[i]) ? i : n; }, n, minimum<std::size_t>());
}
template <class M, class I, class T> I find(M m, I first, I last, const T& value) { const Value<I> v = (Value<I>)value; return find_if(m, first, last, [=] LS_BOTH(const Value<I>& x) mutable { return x == v; }); }
template <class M, class I, class P> I find_if_not(M m, I first, I last, P p) { return find_if(m, first, last, [=] LS_BOTH(const Value<I>& x) mutable { return !p(x); }); }
template <class M, class I, class P> I partition_point(M m, I first, I last, P p) { return find_if_not(m, first, last, p); }
template <class M, class I, class P> bool is_partitioned(M m, I first, I last, P p) { return algorithms::count_if(m, first, last, p) == find_if_not(m, first, last, p) - first; }
template <class M, class I, class J, class P = equal_to<>> pair<I, J> mismatch(M m, I first, I last, J other, P p = P())
{
    auto a = raw(m, first); auto b = raw(m, other); const std::size_t n = count(first, last);
    const auto at = (std::ptrdiff_t)fold(m, n, [=] LS_BOTH(std::size_t i) mutable -> std::size_t { return p(a[i], b[i]) ? n : i; }, n, minimum<std::size_t>());
    return {first + at, other + at};
}
template <class M, class I, class C = less<>> I is_sorted_until(M m, I first, I last, C before = C())
{
    auto in = raw(m, first); const std::size_t n = count(first, last);
    return first + (std::ptrdiff_t)fold(m, n > 0 ? n - 1 : 0, [=] LS_BOTH(std::size_t i) mutable -> std::size_t { return before(in[i + 1], in[i]) ? i + 1 : n; }, n, minimum<std::size_t>());
}
template <class M, class I, class J, class P = equal_to<>> bool equal(M m, I first, I last, J other, P p = P()) { auto a = raw(m, first); auto b = raw(m, other); return fold(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable -> std::size_t { return p(a[i], b[i]) ? 0 : 1; }, std::size_t(0), plus<std::size_t>()) == 0; }
template <class M, class I, class C = less<>> bool is_sorted(M m, I first, I last, C before = C())
{
    auto in = raw(m, first); const std::size_t n = count(first, last);
    return fold(m, n > 0 ? n - 1 : 0, [=] LS_BOTH(std::size_t i) mutable -> std::size_t { return before(in[i + 1], in[i]) ? 1 : 0; }, std::size_t(0), plus<std::size_t>()) == 0;
}
/// The first of those that come first; with \p Last the last word is the greatest's.
template <bool Greatest, class M, class I, class C> I extreme(M m, I first, I last, C before)
{
    if (first == last)
        return last;
    auto in = raw(m, first);
    auto better = [=] LS_BOTH(std::size_t a, std::size_t b) mutable -> std::size_t { return Greatest ? (before(in[a], in[b]) ? b : a) : (before(in[b], in[a]) ? b : a); };
    return first + (std::ptrdiff_t)fold(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable -> std::size_t { return i; }, std::size_t(0), better);
}
template <class M, class I, class C = less<>> I min_element(M m, I first, I last, C before = C()) { return extreme<false>(m, first, last, before); }
template <class M, class I, class C = less<>> I max_element(M m, I first, I last, C before = C()) { return extreme<true>(m, first, last, before); }
template <class M, class I, class C = less<>> pair<I, I> minmax_element(M m, I first, I last, C before = C()) { return {min_element(m, first, last, before), max_element(m, first, last, before)}; }

// Running sums
template <bool Exclusive, class M, class I, class O, class F, class T, class Op> O scanned(M m, I first, I last, O out, F f, T init, Op op)
{
    auto in = raw(m, first); auto to = raw(m, out);
    scan<Exclusive>(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable -> T { return f(in[i]); }, [=] LS_BOTH(std::size_t i, const T& v) mutable { to[i] = v; }, init, op);
    return out + (last - first);
}
template <class M, class I, class O, class Op = plus<>> O inclusive_scan(M m, I first, I last, O out, Op op = Op()) { return scanned<false>(m, first, last, out, identity<>(), Value<I>(), op); }
template <class M, class I, class O, class T = Value<I>, class Op = plus<>> O exclusive_scan(M m, I first, I last, O out, T init = T(), Op op = Op()) { return scanned<true>(m, first, last, out, identity<>(), init, op); }
template <class M, class I, class O, class F, class Op> O transform_inclusive_scan(M m, I first, I last, O out, F f, Op op) { using T = std::decay_t<decltype(f(std::declval<Value<I>&>()))>; return scanned<false>(m, first, last, out, f, T(), op); }
template <class M, class I, class O, class F, class T, class Op> O transform_exclusive_scan(M m, I first, I last, O out, F f, T init, Op op) { return scanned<true>(m, first, last, out, f, init, op); }

/// Runs of equal keys: their thread i is the first of each.
template <class M, class K, class P> auto startsOfRuns(M m, K keys, P same) { auto key = raw(m, keys); return [=] LS_BOTH(std::size_t i) mutable { return i == 0 || !same(key[i - 1], key[i]); }; }
template <bool Exclusive, class M, class K, class I, class O, class T, class P, class Op> O scannedByKey(M m, K first, K last, I values, O out, T init, P same, Op op)
{
    const std::size_t n = count(first, last);
    auto in = raw(m, values); auto to = raw(m, out); auto starts = startsOfRuns(m, first, same);
    each(m, n, [=] LS_BOTH(std::size_t i) mutable {
        if (!starts(i))
            return;
        T sum = init;
        bool any = Exclusive;
        do {
            const T value = in[i];
            const T with = any ? T(op(sum, value)) : value;
            to[i] = Exclusive ? sum : with;
            sum = with;
            any = true;
        } while (++i < n && !starts(i));
    });
    return out + (last - first);
}
template <class M, class K, class I, class O, class P = equal_to<>, class Op = plus<>> O inclusive_scan_by_key(M m, K first, K last, I values, O out, P same = P(), Op op = Op()) { return scannedByKey<false>(m, first, last, values, out, Value<I>(), same, op); }
template <class M, class K, class I, class O, class T = Value<I>, class P = equal_to<>, class Op = plus<>> O exclusive_scan_by_key(M m, K first, K last, I values, O out, T init = T(), P same = P(), Op op = Op()) { return scannedByKey<true>(m, first, last, values, out, init, same, op); }

// Choosing
/// Where each chosen i < n goes, and behind the last: how many there are.
template <class M, class F> std::size_t ranks(M m, std::size_t n, F chosen, std::size_t* to)
{
    scan<true>(m, n, [=] LS_BOTH(std::size_t i) mutable -> std::size_t { return chosen(i) ? 1 : 0; }, [=] LS_BOTH(std::size_t i, std::size_t v) mutable { to[i] = v; }, std::size_t(0), plus<std::size_t>());
    return fold(m, n, [=] LS_BOTH(std::size_t i) mutable -> std::size_t { return chosen(i) ? 1 : 0; }, std::size_t(0), plus<std::size_t>());
}
template <class M, class I, class O, class F> O copyChosen(M m, I first, I last, O out, F chosen)
{
    const std::size_t n = count(first, last);
    Scratch<M, std::size_t> places(n);
    std::size_t* place = places.data();
    const std::size_t kept = ranks(m, n, chosen, place);
    Scratch<M, Value<I>> values(kept);
    Value<I>* value = values.data(); auto in = raw(m, first); auto to = raw(m, out);
    each(m, n, [=] LS_BOTH(std::size_t i) mutable { if (chosen(i)) value[place[i]] = in[i]; });
    each(m, kept, [=] LS_BOTH(std::size_t i) mutable { to[i] = value[i]; });
    return out + (std::ptrdiff_t)kept;
}
template <class M, class I, class O, class P> O copy_if(M m, I first, I last, O out, P p) { auto in = raw(m, first); return copyChosen(m, first, last, out, [=] LS_BOTH(std::size_t i) mutable { return (bool)p(in[i]); }); }
template <class M, class I, class S, class O, class P> O copy_if(M m, I first, I last, S stencil, O out, P p) { auto in = raw(m, stencil); return copyChosen(m, first, last, out, [=] LS_BOTH(std::size_t i) mutable { return (bool)p(in[i]); }); }
template <class M, class I, class O, class P> O remove_copy_if(M m, I first, I last, O out, P p) { auto in = raw(m, first); return copyChosen(m, first, last, out, [=] LS_BOTH(std::size_t i) mutable { return !p(in[i]); }); }
template <class M, class I, class S, class O, class P> O remove_copy_if(M m, I first, I last, S stencil, O out, P p) { auto in = raw(m, stencil); return copyChosen(m, first, last, out, [=] LS_BOTH(std::size_t i) mutable { return !p(in[i]); }); }
template <class M, class I, class O, class T> O remove_copy(M m, I first, I last, O out, const T& value) { const Value<I> v = (Value<I>)value; return remove_copy_if(m, first, last, out, [=] LS_BOTH(const Value<I>& x) mutable { return x == v; }); }
template <class M, class I, class P> I remove_if(M m, I first, I last, P p) { return remove_copy_if(m, first, last, first, p); }
template <class M, class I, class S, class P> I remove_if(M m, I first, I last, S stencil, P p) { auto in = raw(m, stencil); return copyChosen(m, first, last, first, [=] LS_BOTH(std::size_t i) mutable { return !p(in[i]); }); }
template <class M, class I, class T> I remove(M m, I first, I last, const T& value) { const Value<I> v = (Value<I>)value; return remove_if(m, first, last, [=] LS_BOTH(const Value<I>& x) mutable { return x == v; }); }
template <class M, class I, class O, class P = equal_to<>> O unique_copy(M m, I first, I last, O out, P same = P()) { return copyChosen(m, first, last, out, startsOfRuns(m, first, same)); }
template <class M, class I, class P = equal_to<>> I unique(M m, I first, I last, P same = P()) { return unique_copy(m, first, last, first, same); }
template <class M, class K, class I, class P = equal_to<>> pair<K, I> unique_by_key(M m, K first, K last, I values, P same = P())
{
    const I kept = copyChosen(m, values, values + (last - first), values, startsOfRuns(m, first, same));
    return {unique(m, first, last, same), kept};
}
template <class M, class K, class I, class KO, class VO, class P = equal_to<>> pair<KO, VO> unique_by_key_copy(M m, K first, K last, I values, KO keysOut, VO out, P same = P())
{
    const VO kept = copyChosen(m, values, values + (last - first), out, startsOfRuns(m, first, same));
    return {unique_copy(m, first, last, keysOut, same), kept};
}
template <class M, class I, class P = equal_to<>> std::ptrdiff_t unique_count(M m, I first, I last, P same = P())
{
    auto starts = startsOfRuns(m, first, same);
    return fold(m, count(first, last), [=] LS_BOTH(std::size_t i) mutable -> std::ptrdiff_t { return starts(i) ? 1 : 0; }, std::ptrdiff_t(0), plus<std::ptrdiff_t>());
}
template <class M, class I, class Yes, class No, class P> pair<Yes, No> stable_partition_copy(M m, I first, I last, Yes yes, No no, P p)
{
    auto in = raw(m, first);
    const No noEnd = copyChosen(m, first, last, no, [=] LS_BOTH(std::size_t i) mutable { return !p(in[i]); });
    return {copyChosen(m, first, last, yes, [=] LS_BOTH(std::size_t i) mutable { return (bool)p(in[i]); }), noEnd};
}
template <class M, class I, class S, class Yes, class No, class P> pair<Yes, No> stable_partition_copy(M m, I first, I last, S stencil, Yes yes, No no, P p)
{
    auto in = raw(m, stencil);
    const No noEnd = copyChosen(m, first, last, no, [=] LS_BOTH(std::size_t i) mutable { return !p(in[i]); });
    return {copyChosen(m, first, last, yes, [=] LS_BOTH(std::size_t i) mutable { return (bool)p(in[i]); }), noEnd};
}
template <class M, class I, class Yes, class No, class P> pair<Yes, No> partition_copy(M m, I first, I last, Yes yes, No no, P p) { return stable_partition_copy(m, first, last, yes, no, p); }
template <class M, class I, class S, class Yes, class No, class P> pair<Yes, No> partition_copy(M m, I first, I last, S stencil, Yes yes, No no, P p) { return stable_partition_copy(m, first, last, stencil, yes, no, p); }
template <class M, class I, class P> I stable_partition(M m, I first, I last, P p)
{
    const std::size_t n = count(first, last);
    Scratch<M, Value<I>> rest(n);
    Value<I>* others = rest.data();
    auto in = raw(m, first);
    const std::size_t left = count(others, copyChosen(m, first, last, others, [=] LS_BOTH(std::size_t i) mutable { return !p(in[i]); }));
    const I middle = copy_if(m, first, last, first, p);
    auto to = raw(m, middle);
    each(m, left, [=] LS_BOTH(std::size_t i) mutable { to[i] = others[i]; });
    return middle;
}
template <class M, class I, class S, class P> I stable_partition(M m, I first, I last, S stencil, P p)
{
    Scratch<M, Value<I>> rest(count(first, last));
    Value<I>* others = rest.data();
    const std::size_t left = count(others, remove_copy_if(m, first, last, stencil, others, p));
    const I middle = copy_if(m, first, last, stencil, first, p);
    auto to = raw(m, middle);
    each(m, left, [=] LS_BOTH(std::size_t i) mutable { to[i] = others[i]; });
    return middle;
}
template <class M, class I, class P> I partition(M m, I first, I last, P p) { return stable_partition(m, first, last, p); }
template <class M, class I, class S, class P> I partition(M m, I first, I last, S stencil, P p) { return stable_partition(m, first, last, stencil, p); }
template <class M, class K, class I, class KO, class VO, class P = equal_to<>, class Op = plus<>> pair<KO, VO> reduce_by_key(M m, K first, K last, I values, KO keysOut, VO out, P same = P(), Op op = Op())
{
    using T = Value<I>;
    const std::size_t n = count(first, last);
    Scratch<M, std::size_t> places(n);
    std::size_t* place = places.data();
    auto key = raw(m, first); auto in = raw(m, values); auto keys = raw(m, keysOut); auto to = raw(m, out); auto starts = startsOfRuns(m, first, same);
    const auto runs = (std::ptrdiff_t)ranks(m, n, starts, place);
    each(m, n, [=] LS_BOTH(std::size_t i) mutable {
        if (!starts(i))
            return;
        const std::size_t at = place[i];
        keys[at] = key[i];
        T sum = in[i];
        while (++i < n && !starts(i))
            sum = op(sum, in[i]);
        to[at] = sum;
    });
    return {keysOut + runs, out + runs};
}

// Order
template <class K, class V> struct Entry { K key; V value; };
template <class M, class I, class C = less<>> void stable_sort(M m, I first, I last, C before = C())
{
    using T = Value<I>;
    const std::size_t n = count(first, last);
    Scratch<M, T> copy(n);
    T* values = copy.data(); auto at = raw(m, first);
#ifndef __CUDA_ARCH__
    // What zip iterators give stands for references, and std::swap takes none of it.
    if constexpr (!M::value && std::is_lvalue_reference<typename std::iterator_traits<I>::reference>::value)
        return std::stable_sort(first, last, before);
#endif
    each(m, n, [=] LS_BOTH(std::size_t i) mutable { values[i] = at[i]; });
    sortArray<IsPlainOrder<C, T>::value>(m, values, n, before);
    each(m, n, [=] LS_BOTH(std::size_t i) mutable { at[i] = values[i]; });
}
template <class M, class I, class C = less<>> void sort(M m, I first, I last, C before = C()) { stable_sort(m, first, last, before); }
template <class M, class K, class I, class C = less<>> void stable_sort_by_key(M m, K first, K last, I values, C before = C())
{
    using E = Entry<Value<K>, Value<I>>;
    const std::size_t n = count(first, last);
    Scratch<M, E> copy(n);
    E* entries = copy.data(); auto key = raw(m, first); auto value = raw(m, values);
    each(m, n, [=] LS_BOTH(std::size_t i) mutable { entries[i].key = key[i]; entries[i].value = value[i]; });
    sortArray<IsPlainOrder<C, Value<K>>::value>(m, entries, n, [=] LS_BOTH(const E& a, const E& b) mutable { return before(a.key, b.key); });
    each(m, n, [=] LS_BOTH(std::size_t i) mutable { key[i] = entries[i].key; value[i] = entries[i].value; });
}
template <class M, class K, class I, class C = less<>> void sort_by_key(M m, K first, K last, I values, C before = C()) { stable_sort_by_key(m, first, last, values, before); }

/// How many of the n sorted elements of \p in come before \p value, or (Upper) do not come after it.
template <bool Upper, class R, class T, class C> LS_BOTH std::size_t boundOf(R in, std::size_t n, const T& value, C before)
{
    std::size_t low = 0;
    while (low < n) {
        const std::size_t middle = low + (n - low) / 2;
        if (Upper ? !before(value, in[middle]) : before(in[middle], value))
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}
template <bool Upper, class M, class I, class J, class O, class C> O bounds(M m, I first, I last, J from, J to, O out, C before)
{
    auto in = raw(m, first); auto wanted = raw(m, from); auto result = raw(m, out); const std::size_t n = count(first, last);
    each(m, count(from, to), [=] LS_BOTH(std::size_t i) mutable { result[i] = (Value<O>)boundOf<Upper>(in, n, wanted[i], before); });
    return out + (to - from);
}
template <class M, class I, class J, class O, class C = less<>> O lower_bound(M m, I first, I last, J from, J to, O out, C before = C()) { return bounds<false>(m, first, last, from, to, out, before); }
template <class M, class I, class J, class O, class C = less<>> O upper_bound(M m, I first, I last, J from, J to, O out, C before = C()) { return bounds<true>(m, first, last, from, to, out, before); }
template <class M, class I, class T, class C = less<>> I lower_bound(M m, I first, I last, const T& value, C before = C()) { auto in = raw(m, first); const std::size_t n = count(first, last); const Value<I> v = (Value<I>)value; return first + (std::ptrdiff_t)fold(m, 1, [=] LS_BOTH(std::size_t) mutable -> std::size_t { return boundOf<false>(in, n, v, before); }, std::size_t(0), plus<std::size_t>()); }
template <class M, class I, class T, class C = less<>> I upper_bound(M m, I first, I last, const T& value, C before = C()) { auto in = raw(m, first); const std::size_t n = count(first, last); const Value<I> v = (Value<I>)value; return first + (std::ptrdiff_t)fold(m, 1, [=] LS_BOTH(std::size_t) mutable -> std::size_t { return boundOf<true>(in, n, v, before); }, std::size_t(0), plus<std::size_t>()); }
template <class M, class I, class T, class C = less<>> bool binary_search(M m, I first, I last, const T& value, C before = C()) { return upper_bound(m, first, last, value, before) != lower_bound(m, first, last, value, before); }
template <class M, class I, class J, class O, class C = less<>> O binary_search(M m, I first, I last, J from, J to, O out, C before = C())
{
    auto in = raw(m, first); auto wanted = raw(m, from); auto result = raw(m, out); const std::size_t n = count(first, last);
    each(m, count(from, to), [=] LS_BOTH(std::size_t i) mutable { result[i] = (Value<O>)(boundOf<true>(in, n, wanted[i], before) != boundOf<false>(in, n, wanted[i], before)); });
    return out + (to - from);
}
template <class M, class I, class T, class C = less<>> pair<I, I> equal_range(M m, I first, I last, const T& value, C before = C()) { return {lower_bound(m, first, last, value, before), upper_bound(m, first, last, value, before)}; }
template <class M, class I, class J, class O, class C = less<>> O merge(M m, I first, I last, J from, J to, O out, C before = C())
{
    auto a = raw(m, first); auto b = raw(m, from); auto result = raw(m, out); const std::size_t na = count(first, last), nb = count(from, to);
    each(m, na, [=] LS_BOTH(std::size_t i) mutable { result[i + boundOf<false>(b, nb, a[i], before)] = a[i]; });
    each(m, nb, [=] LS_BOTH(std::size_t i) mutable { result[i + boundOf<true>(a, na, b[i], before)] = b[i]; });
    return out + (std::ptrdiff_t)(na + nb);
}

template <class M, class K, class J, class V, class W, class KO, class VO, class C = less<>> pair<KO, VO> merge_by_key(M m, K first, K last, J from, J to, V values, W others, KO keysOut, VO out, C before = C())
{
    auto a = raw(m, first); auto b = raw(m, from); auto va = raw(m, values); auto vb = raw(m, others); auto keys = raw(m, keysOut); auto result = raw(m, out);
    const std::size_t na = count(first, last), nb = count(from, to);
    each(m, na, [=] LS_BOTH(std::size_t i) mutable { const std::size_t at = i + boundOf<false>(b, nb, a[i], before); keys[at] = a[i]; result[at] = va[i]; });
    each(m, nb, [=] LS_BOTH(std::size_t i) mutable { const std::size_t at = i + boundOf<true>(a, na, b[i], before); keys[at] = b[i]; result[at] = vb[i]; });
    return {keysOut + (std::ptrdiff_t)(na + nb), out + (std::ptrdiff_t)(na + nb)};
}

// Sets, in which a value may be several times: the nth of its kind is there, or is not, in the other
template <bool There, class M, class I, class J, class C> auto isInOther(M m, I first, I last, J from, J to, C before)
{
    auto a = raw(m, first); auto b = raw(m, from); const std::size_t na = count(first, last), nb = count(from, to);
    return [=] LS_BOTH(std::size_t i) mutable {
        const std::size_t nth = i - boundOf<false>(a, na, a[i], before);
        return There == (nth < boundOf<true>(b, nb, a[i], before) - boundOf<false>(b, nb, a[i], before));
    };
}
template <class M, class I, class J, class O, class C = less<>> O set_intersection(M m, I first, I last, J from, J to, O out, C before = C()) { return copyChosen(m, first, last, out, isInOther<true>(m, first, last, from, to, before)); }
template <class M, class I, class J, class O, class C = less<>> O set_difference(M m, I first, I last, J from, J to, O out, C before = C()) { return copyChosen(m, first, last, out, isInOther<false>(m, first, last, from, to, before)); }
template <class M, class I, class J, class O, class C = less<>> O set_union(M m, I first, I last, J from, J to, O out, C before = C())
{
    Scratch<M, Value<J>> more(count(from, to));
    Value<J>* others = more.data();
    return algorithms::merge(m, first, last, others, copyChosen(m, from, to, others, isInOther<false>(m, from, to, first, last, before)), out, before);
}
template <class M, class I, class J, class O, class C = less<>> O set_symmetric_difference(M m, I first, I last, J from, J to, O out, C before = C())
{
    Scratch<M, Value<I>> here(count(first, last));
    Scratch<M, Value<J>> there(count(from, to));
    Value<I>* own = here.data(); Value<J>* others = there.data();
    Value<I>* const end = set_difference(m, first, last, from, to, own, before);
    return algorithms::merge(m, own, end, others, set_difference(m, from, to, first, last, others, before), out, before);
}

/// In the order of numbers made of \p seed: which permutation Thrust makes of an engine, it does not say.
template <class M, class I> void shuffle(M m, I first, I last, unsigned long long seed)
{
    const std::size_t n = count(first, last);
    Scratch<M, unsigned long long> numbers(n);
    unsigned long long* number = numbers.data();
    each(m, n, [=] LS_BOTH(std::size_t i) mutable {
        unsigned long long x = seed + (i + 1) * 0x9e3779b97f4a7c15ull;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
        number[i] = x ^ (x >> 31);
    });
    stable_sort_by_key(m, number, number + n, first);
}

// Copies: also between the host and the device
template <class M, class I, class O> O copy(M m, I first, I last, O out)
{
    const std::size_t n = count(first, last);
    constexpr bool fromDevice = OnDevice<I>::value, toDevice = OnDevice<O>::value;
    if constexpr (M::value && fromDevice && !toDevice) {
        using T = Value<I>;
        Scratch<M, T> staged(n);
        T* values = staged.data(); auto in = raw(m, first);
        each(m, n, [=] LS_BOTH(std::size_t i) mutable { values[i] = in[i]; });
        host_vector<T> fetched(device_ptr<T>(values), device_ptr<T>(values + n));
        return std::copy(fetched.begin(), fetched.end(), out);
    } else if constexpr (M::value && !fromDevice && toDevice && !std::is_base_of<iterator_base<I, Value<I>, Value<I>>, I>::value) {
        using T = Value<O>;
        const device_vector<T> staged(first, last);
        const T* values = staged.data().get(); auto to = raw(m, out);
        each(m, n, [=] LS_BOTH(std::size_t i) mutable { to[i] = values[i]; });
        return out + (std::ptrdiff_t)n;
    } else {
#ifndef __CUDA_ARCH__
        if constexpr (!M::value && std::is_same<typename std::iterator_traits<O>::iterator_category, std::output_iterator_tag>::value)
            return std::copy(first, last, out);
        else
#endif
        {
            auto in = raw(m, first); auto to = raw(m, out);
            each(m, n, [=] LS_BOTH(std::size_t i) mutable { to[i] = in[i]; });
            return out + (std::ptrdiff_t)n;
        }
    }
}
template <class M, class I, class N, class O> O copy_n(M m, I first, N n, O out) { return algorithms::copy(m, first, first + n, out); }
template <class M, class I, class O> O uninitialized_copy(M m, I first, I last, O out) { return algorithms::copy(m, first, last, out); }
// clang-format on

}  // namespace algorithms

#define LS_ALGORITHM(name, implementation)                                                                             \
    template <class First, class... Rest, std::enable_if_t<!IsPolicy<First>::value, int> = 0>                          \
    auto name(First first, Rest... rest)                                                                               \
    {                                                                                                                  \
        return algorithms::implementation(RunsOnDevice<First, Rest...>(), first, rest...);                             \
    }                                                                                                                  \
    template <class Chosen, class... Arguments, std::enable_if_t<IsPolicy<Chosen>::value, int> = 0>                    \
    auto name(const Chosen&, Arguments... arguments)                                                                   \
    {                                                                                                                  \
        return algorithms::implementation(std::bool_constant<Chosen::onDevice>(), arguments...);                       \
    }
#define LS_SAME(name) LS_ALGORITHM(name, name)
// clang-format off
LS_SAME(for_each) LS_SAME(for_each_n) LS_SAME(transform) LS_SAME(transform_if) LS_SAME(fill) LS_SAME(fill_n)
LS_SAME(uninitialized_fill) LS_SAME(sequence) LS_SAME(tabulate) LS_SAME(generate) LS_SAME(gather) LS_SAME(scatter)
LS_SAME(scatter_if) LS_SAME(replace_if) LS_SAME(replace) LS_SAME(reverse) LS_SAME(reverse_copy) LS_SAME(swap_ranges)
LS_SAME(adjacent_difference) LS_SAME(transform_reduce) LS_SAME(reduce) LS_SAME(inner_product) LS_SAME(count_if)
LS_ALGORITHM(count, countOf) LS_SAME(any_of) LS_SAME(all_of) LS_SAME(none_of) LS_SAME(find_if) LS_SAME(find)
LS_SAME(equal) LS_SAME(is_sorted) LS_SAME(min_element) LS_SAME(max_element) LS_SAME(minmax_element)
LS_SAME(inclusive_scan) LS_SAME(exclusive_scan) LS_SAME(transform_inclusive_scan) LS_SAME(transform_exclusive_scan)
LS_SAME(inclusive_scan_by_key) LS_SAME(exclusive_scan_by_key) LS_SAME(copy_if) LS_SAME(remove_copy_if)
LS_SAME(remove_if) LS_SAME(remove) LS_SAME(unique_copy) LS_SAME(unique) LS_SAME(unique_by_key) LS_SAME(unique_by_key_copy)
LS_SAME(stable_partition) LS_SAME(partition) LS_SAME(reduce_by_key) LS_SAME(stable_sort) LS_SAME(sort)
LS_SAME(stable_sort_by_key) LS_SAME(sort_by_key) LS_SAME(lower_bound) LS_SAME(upper_bound) LS_SAME(binary_search)
LS_SAME(merge_by_key) LS_SAME(set_intersection) LS_SAME(set_difference) LS_SAME(set_union)
LS_SAME(set_symmetric_difference) LS_SAME(find_if_not) LS_SAME(partition_point) LS_SAME(is_partitioned) LS_SAME(mismatch)
LS_SAME(is_sorted_until) LS_SAME(unique_count) LS_SAME(stable_partition_copy) LS_SAME(partition_copy) LS_SAME(gather_if)
LS_SAME(generate_n) LS_SAME(replace_copy_if) LS_SAME(replace_copy) LS_SAME(merge) LS_SAME(copy) LS_SAME(copy_n) LS_SAME(uninitialized_copy)
LS_SAME(remove_copy) LS_SAME(equal_range)

// The engine goes on, so it is no value.
template <class I, class Engine, std::enable_if_t<!IsPolicy<I>::value, int> = 0> void shuffle(I first, I last, Engine&& engine) { algorithms::shuffle(RunsOnDevice<I>(), first, last, (unsigned long long)engine()); }
template <class Chosen, class I, class Engine, std::enable_if_t<IsPolicy<Chosen>::value, int> = 0> void shuffle(const Chosen&, I first, I last, Engine&& engine) { algorithms::shuffle(std::bool_constant<Chosen::onDevice>(), first, last, (unsigned long long)engine()); }
template <class I, class O, class Engine, std::enable_if_t<!IsPolicy<I>::value, int> = 0> void shuffle_copy(I first, I last, O out, Engine&& engine) { thrust::copy(first, last, out); thrust::shuffle(out, out + (last - first), engine); }
template <class Chosen, class I, class O, class Engine, std::enable_if_t<IsPolicy<Chosen>::value, int> = 0> void shuffle_copy(const Chosen& policy, I first, I last, O out, Engine&& engine) { thrust::copy(policy, first, last, out); thrust::shuffle(policy, out, out + (last - first), engine); }
// clang-format on
#pragma clang force_cuda_host_device end
#undef LS_SAME
#undef LS_ALGORITHM
#undef LS_BOTH
#undef LS_KERNEL

}  // namespace thrust

#include "restore_macros.h"
