// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's pointers, iterators, function objects. Part of the headers in thrust/.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../cuda_runtime.h"
#include "../thrust/version.h"

#include "hide_macros.h"

namespace thrust {

// clang-format off
template <class... T> using tuple = std::tuple<T...>;
template <class A, class B> using pair = std::pair<A, B>;
using std::get;
using std::tie;
template <class... T> LS_INLINE tuple<std::decay_t<T>...> make_tuple(T&&... values) { return tuple<std::decay_t<T>...>(std::forward<T>(values)...); }
template <class A, class B> LS_INLINE pair<std::decay_t<A>, std::decay_t<B>> make_pair(A&& a, B&& b) { return pair<std::decay_t<A>, std::decay_t<B>>(std::forward<A>(a), std::forward<B>(b)); }
template <std::size_t I, class T> using tuple_element = std::tuple_element<I, T>;
template <class T> using tuple_size = std::tuple_size<T>;
template <class T> LS_INLINE T min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> LS_INLINE T max(const T& a, const T& b) { return a < b ? b : a; }
template <class T, class C> LS_INLINE T min(const T& a, const T& b, C before) { return before(b, a) ? b : a; }
template <class T, class C> LS_INLINE T max(const T& a, const T& b, C before) { return before(a, b) ? b : a; }
template <class T> LS_INLINE void swap(T& a, T& b) { T old = std::move(a); a = std::move(b); b = std::move(old); }

#define LS_BINARY(name, expression)                                                                                    \
    template <class T = void> struct name {                                                                            \
        using first_argument_type = T; using second_argument_type = T;                                                 \
        LS_INLINE auto operator()(const T& a, const T& b) const { return expression; }                                 \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <class A, class B> LS_INLINE auto operator()(const A& a, const B& b) const { return expression; }     \
    };
#define LS_UNARY(name, expression)                                                                                     \
    template <class T = void> struct name {                                                                            \
        using argument_type = T;                                                                                       \
        LS_INLINE auto operator()(const T& a) const { return expression; }                                             \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <class A> LS_INLINE auto operator()(const A& a) const { return expression; }                          \
    };
LS_BINARY(plus, a + b) LS_BINARY(minus, a - b) LS_BINARY(multiplies, a * b) LS_BINARY(divides, a / b) LS_BINARY(modulus, a % b)
LS_BINARY(equal_to, a == b) LS_BINARY(not_equal_to, a != b) LS_BINARY(greater, a > b) LS_BINARY(less, a < b)
LS_BINARY(greater_equal, a >= b) LS_BINARY(less_equal, a <= b) LS_BINARY(logical_and, a && b) LS_BINARY(logical_or, a || b)
LS_BINARY(bit_and, a & b) LS_BINARY(bit_or, a | b) LS_BINARY(bit_xor, a ^ b)
LS_BINARY(maximum, a < b ? b : a) LS_BINARY(minimum, b < a ? b : a) LS_BINARY(project1st, a) LS_BINARY(project2nd, b)
LS_UNARY(negate, -a) LS_UNARY(logical_not, !a) LS_UNARY(identity, a) LS_UNARY(square, a * a)
#undef LS_BINARY
#undef LS_UNARY
template <class A, class R> struct unary_function { using argument_type = A; using result_type = R; };
template <class A, class B, class R> struct binary_function { using first_argument_type = A; using second_argument_type = B; using result_type = R; };
template <class F> struct not_predicate { F f; template <class... A> LS_INLINE bool operator()(const A&... a) const { return !f(a...); } };
template <class F> LS_INLINE not_predicate<F> not1(F f) { return {f}; }
template <class F> LS_INLINE not_predicate<F> not_fn(F f) { return {f}; }

/// An element on the device: the host copies it, a kernel reaches it as it is.
template <class T> class device_reference {
public:
    using value_type = std::remove_cv_t<T>;
    LS_INLINE explicit device_reference(T* at) : m_at(at) {}
    device_reference(const device_reference&) = default;
    LS_INLINE operator value_type() const { return read(); }
    LS_INLINE const device_reference& operator=(const value_type& v) const { write(v); return *this; }
    LS_INLINE const device_reference& operator=(const device_reference& other) const { return *this = static_cast<value_type>(other); }
    LS_INLINE device_reference& operator=(const device_reference& other) { *this = static_cast<value_type>(other); return *this; }
    LS_INLINE device_reference& operator=(const value_type& v) { static_cast<const device_reference&>(*this) = v; return *this; }
#define LS_UPDATE(op) template <class U> LS_INLINE const device_reference& operator op##=(const U& u) const { return *this = static_cast<value_type>(static_cast<value_type>(*this) op u); }
    LS_UPDATE(+) LS_UPDATE(-) LS_UPDATE(*) LS_UPDATE(/) LS_UPDATE(%) LS_UPDATE(&) LS_UPDATE(|) LS_UPDATE(^)
#undef LS_UPDATE
    LS_INLINE const device_reference& operator++() const { return *this += 1; }
    LS_INLINE const device_reference& operator--() const { return *this -= 1; }
    LS_INLINE value_type operator++(int) const { value_type old = *this; *this += 1; return old; }
    LS_INLINE T* raw() const { return m_at; }
private:
#ifdef __CUDA_ARCH__
    LS_INLINE value_type read() const { return *m_at; }
    LS_INLINE void write(const value_type& v) const { *const_cast<value_type*>(m_at) = v; }
#else
    value_type read() const { value_type v; (void)cudaMemcpy(&v, m_at, sizeof(T), cudaMemcpyDeviceToHost); return v; }
    void write(const value_type& v) const { (void)cudaMemcpy(const_cast<value_type*>(m_at), &v, sizeof(T), cudaMemcpyHostToDevice); }
#endif
    T* m_at;
};
template <class Stream, class T> auto operator<<(Stream& out, const device_reference<T>& r) -> decltype(out << std::declval<T>()) { return out << static_cast<std::remove_cv_t<T>>(r); }

/// The arithmetic that all iterators here share; Self has at(offset) and distance(other).
struct Ours {};
template <class Self, class Value, class Reference> class iterator_base : public Ours {
public:
    using value_type = Value; using difference_type = std::ptrdiff_t; using reference = Reference; using pointer = void;
    using iterator_category = std::random_access_iterator_tag;
    LS_INLINE Self operator+(difference_type n) const { return self().at(n); }
    LS_INLINE Self operator-(difference_type n) const { return self().at(-n); }
    LS_INLINE friend Self operator+(difference_type n, const Self& s) { return s.at(n); }
    LS_INLINE difference_type operator-(const Self& other) const { return self().distance(other); }
    LS_INLINE Self& operator+=(difference_type n) { return self() = self().at(n); }
    LS_INLINE Self& operator-=(difference_type n) { return self() = self().at(-n); }
    LS_INLINE Self& operator++() { return *this += 1; }
    LS_INLINE Self& operator--() { return *this -= 1; }
    LS_INLINE Self operator++(int) { Self old = self(); *this += 1; return old; }
    LS_INLINE Self operator--(int) { Self old = self(); *this -= 1; return old; }
    LS_INLINE Reference operator[](difference_type n) const { return *self().at(n); }
    LS_INLINE bool operator==(const Self& other) const { return self().distance(other) == 0; }
    LS_INLINE bool operator!=(const Self& other) const { return self().distance(other) != 0; }
    LS_INLINE bool operator<(const Self& other) const { return self().distance(other) < 0; }
private:
    LS_INLINE Self& self() { return static_cast<Self&>(*this); }
    LS_INLINE const Self& self() const { return static_cast<const Self&>(*this); }
};

/// An address on the device.
template <class T> class device_ptr : public iterator_base<device_ptr<T>, std::remove_cv_t<T>, device_reference<T>> {
public:
    using element_type = T;
    LS_INLINE device_ptr() {}
    LS_INLINE device_ptr(std::nullptr_t) {}
    LS_INLINE explicit device_ptr(T* at) : m_at(at) {}
    template <class U, class = std::enable_if_t<std::is_convertible<U*, T*>::value>> LS_INLINE device_ptr(const device_ptr<U>& other) : m_at(other.get()) {}
    LS_INLINE T* get() const { return m_at; }
    LS_INLINE device_reference<T> operator*() const { return device_reference<T>(m_at); }
    LS_INLINE explicit operator bool() const { return m_at != nullptr; }
    LS_INLINE device_ptr at(std::ptrdiff_t n) const { return device_ptr(m_at + n); }
    LS_INLINE std::ptrdiff_t distance(const device_ptr& from) const { return m_at - from.m_at; }
private:
    T* m_at = nullptr;
};
/// To memory without a type, as thrust::device_malloc(bytes) gives it.
template <> class device_ptr<void> {
public:
    using element_type = void;
    LS_INLINE device_ptr() {}
    LS_INLINE explicit device_ptr(void* at) : m_at(at) {}
    template <class U> LS_INLINE device_ptr(const device_ptr<U>& other) : m_at(other.get()) {}
    LS_INLINE void* get() const { return m_at; }
    LS_INLINE explicit operator bool() const { return m_at != nullptr; }
private:
    void* m_at = nullptr;
};
template <class T> LS_INLINE device_ptr<T> device_pointer_cast(T* p) { return device_ptr<T>(p); }
template <class T> LS_INLINE device_ptr<T> device_pointer_cast(const device_ptr<T>& p) { return p; }
template <class T> LS_INLINE T* raw_pointer_cast(T* p) { return p; }
template <class T> LS_INLINE T* raw_pointer_cast(const device_ptr<T>& p) { return p.get(); }
template <class T> T& raw_reference_cast(const device_reference<T>& r) { return *r.raw(); }
template <class T> device_ptr<T> operator&(const device_reference<T>& r) { return device_ptr<T>(r.raw()); }

template <class T = int> class counting_iterator : public iterator_base<counting_iterator<T>, T, T> {
public:
    LS_INLINE counting_iterator() {}
    LS_INLINE explicit counting_iterator(T value) : m_value(value) {}
    LS_INLINE T operator*() const { return m_value; }
    LS_INLINE counting_iterator at(std::ptrdiff_t n) const { return counting_iterator((T)(m_value + n)); }
    LS_INLINE std::ptrdiff_t distance(const counting_iterator& from) const { return (std::ptrdiff_t)m_value - (std::ptrdiff_t)from.m_value; }
private:
    T m_value = T();
};
template <class T> LS_INLINE counting_iterator<T> make_counting_iterator(T value) { return counting_iterator<T>(value); }

template <class T> class constant_iterator : public iterator_base<constant_iterator<T>, T, T> {
public:
    LS_INLINE constant_iterator(T value, std::ptrdiff_t index = 0) : m_value(value), m_index(index) {}
    LS_INLINE T operator*() const { return m_value; }
    LS_INLINE constant_iterator at(std::ptrdiff_t n) const { return constant_iterator(m_value, m_index + n); }
    LS_INLINE std::ptrdiff_t distance(const constant_iterator& from) const { return m_index - from.m_index; }
private:
    T m_value; std::ptrdiff_t m_index;
};
template <class T> LS_INLINE constant_iterator<T> make_constant_iterator(T value, std::ptrdiff_t index = 0) { return constant_iterator<T>(value, index); }

/// Takes whatever is written to it.
struct discarded { template <class T> LS_INLINE const discarded& operator=(const T&) const { return *this; } };
template <class System = void> class discard_iterator : public iterator_base<discard_iterator<System>, discarded, discarded> {
public:
    LS_INLINE discard_iterator(std::ptrdiff_t index = 0) : m_index(index) {}
    LS_INLINE discarded operator*() const { return {}; }
    LS_INLINE discard_iterator at(std::ptrdiff_t n) const { return discard_iterator(m_index + n); }
    LS_INLINE std::ptrdiff_t distance(const discard_iterator& from) const { return m_index - from.m_index; }
private:
    std::ptrdiff_t m_index;
};
LS_INLINE inline discard_iterator<> make_discard_iterator() { return {}; }

// On the host, an element of device memory is fetched before a function of the program sees it.
template <class T> LS_INLINE T& loaded(T& value) { return value; }
template <class T> LS_INLINE T loaded(const T&& value) { return value; }
template <class T> T loaded(const device_reference<T>& value) { return value; }
template <class T> T loaded(device_reference<T>&& value) { return value; }

template <class F, class I> using Applied = std::decay_t<decltype(std::declval<F>()(std::declval<typename std::iterator_traits<I>::value_type&>()))>;
template <class F, class I> class transform_of : public iterator_base<transform_of<F, I>, Applied<F, I>, Applied<F, I>> {
public:
    LS_INLINE transform_of(I base, F f = F()) : m_base(base), m_f(f) {}
    LS_INLINE I base() const { return m_base; }
    LS_INLINE F functor() const { return m_f; }
    LS_INLINE Applied<F, I> operator*() const { return m_f(loaded(*m_base)); }
    LS_INLINE transform_of at(std::ptrdiff_t n) const { return transform_of(m_base + n, m_f); }
    LS_INLINE std::ptrdiff_t distance(const transform_of& from) const { return m_base - from.m_base; }
    LS_INLINE transform_of& operator=(const transform_of& other) { m_base = other.m_base; return *this; }
    LS_INLINE transform_of(const transform_of&) = default;
private:
    I m_base; mutable F m_f;
};
/// What a program says the result is, it is.
template <class F, class I, class Reference = void, class Value = void> using transform_iterator = transform_of<F, I>;
template <class F, class I> LS_INLINE transform_of<F, I> make_transform_iterator(I base, F f) { return transform_of<F, I>(base, f); }

/// Passes on f of what is written to it and, where there is a g, reads g of what lies there.
struct WriteOnly {};
template <class F, class G, class I> struct Transformed {
    using Value = typename std::iterator_traits<I>::value_type;
    I at; F f; G g;
    template <class T, class = std::enable_if_t<!std::is_same<std::decay_t<T>, Transformed>::value>> LS_INLINE const Transformed& operator=(const T& value) const { *at = f(value); return *this; }
    LS_INLINE const Transformed& operator=(const Transformed& other) const { return *this = other.read(); }
    Transformed(const Transformed&) = default;
    LS_INLINE Transformed(I to, F write, G readBy) : at(to), f(write), g(readBy) {}
    LS_INLINE auto read() const { if constexpr (std::is_same<G, WriteOnly>::value) return Value(*at); else return g(Value(*at)); }
    template <class T> LS_INLINE operator T() const { return (T)read(); }
};
template <class F, class G, class I> class transform_to : public iterator_base<transform_to<F, G, I>, typename std::iterator_traits<I>::value_type, Transformed<F, G, I>> {
public:
    LS_INLINE transform_to(I base, F f, G g = G()) : m_base(base), m_f(f), m_g(g) {}
    LS_INLINE I base() const { return m_base; }
    LS_INLINE F functor() const { return m_f; }
    LS_INLINE G reader() const { return m_g; }
    LS_INLINE Transformed<F, G, I> operator*() const { return {m_base, m_f, m_g}; }
    LS_INLINE transform_to at(std::ptrdiff_t n) const { return transform_to(m_base + n, m_f, m_g); }
    LS_INLINE std::ptrdiff_t distance(const transform_to& from) const { return m_base - from.m_base; }
private:
    I m_base; F m_f; G m_g;
};
template <class F, class I> using transform_output_iterator = transform_to<F, WriteOnly, I>;
template <class G, class F, class I> using transform_input_output_iterator = transform_to<F, G, I>;
template <class I, class F> LS_INLINE transform_to<F, WriteOnly, I> make_transform_output_iterator(I base, F f) { return {base, f}; }
template <class I, class G, class F> LS_INLINE transform_to<F, G, I> make_transform_input_output_iterator(I base, G read, F write) { return {base, write, read}; }

template <class I> class reverse_iterator : public iterator_base<reverse_iterator<I>, typename std::iterator_traits<I>::value_type, typename std::iterator_traits<I>::reference> {
public:
    LS_INLINE reverse_iterator() {}
    LS_INLINE explicit reverse_iterator(I base) : m_base(base) {}
    LS_INLINE I base() const { return m_base; }
    LS_INLINE typename std::iterator_traits<I>::reference operator*() const { return *(m_base - 1); }
    LS_INLINE reverse_iterator at(std::ptrdiff_t n) const { return reverse_iterator(m_base - n); }
    LS_INLINE std::ptrdiff_t distance(const reverse_iterator& from) const { return from.m_base - m_base; }
private:
    I m_base;
};
template <class I> LS_INLINE reverse_iterator<I> make_reverse_iterator(I base) { return reverse_iterator<I>(base); }

template <class E, class I> class permutation_iterator : public iterator_base<permutation_iterator<E, I>, typename std::iterator_traits<E>::value_type, typename std::iterator_traits<E>::reference> {
public:
    LS_INLINE permutation_iterator(E elements, I indices) : m_elements(elements), m_indices(indices) {}
    LS_INLINE E elements() const { return m_elements; }
    LS_INLINE I indices() const { return m_indices; }
    LS_INLINE typename std::iterator_traits<E>::reference operator*() const { return m_elements[(std::ptrdiff_t)*m_indices]; }
    LS_INLINE permutation_iterator at(std::ptrdiff_t n) const { return permutation_iterator(m_elements, m_indices + n); }
    LS_INLINE std::ptrdiff_t distance(const permutation_iterator& from) const { return m_indices - from.m_indices; }
private:
    E m_elements; I m_indices;
};
template <class E, class I> LS_INLINE permutation_iterator<E, I> make_permutation_iterator(E elements, I indices) { return permutation_iterator<E, I>(elements, indices); }

template <class... I> class zip_of : public iterator_base<zip_of<I...>, std::tuple<typename std::iterator_traits<I>::value_type...>, std::tuple<typename std::iterator_traits<I>::reference...>> {
public:
    using Reference = std::tuple<typename std::iterator_traits<I>::reference...>;
    LS_INLINE explicit zip_of(std::tuple<I...> base) : m_base(base) {}
    LS_INLINE const std::tuple<I...>& get_iterator_tuple() const { return m_base; }
    LS_INLINE Reference operator*() const { return std::apply([](const I&... each) { return Reference(*each...); }, m_base); }
    LS_INLINE zip_of at(std::ptrdiff_t n) const { return std::apply([n](const I&... each) { return zip_of(std::tuple<I...>((each + n)...)); }, m_base); }
    LS_INLINE std::ptrdiff_t distance(const zip_of& from) const { return std::get<0>(m_base) - std::get<0>(from.m_base); }
private:
    std::tuple<I...> m_base;
};
template <class Tuple> struct ZipOf;
template <class... I> struct ZipOf<std::tuple<I...>> { using type = zip_of<I...>; };
template <class Tuple> using zip_iterator = typename ZipOf<Tuple>::type;
/// Calls f with a tuple's elements.
template <class F> struct zip_function { F f; template <class Tuple> LS_INLINE decltype(auto) operator()(Tuple&& elements) const { return std::apply(f, std::forward<Tuple>(elements)); } };
template <class F> LS_INLINE zip_function<std::decay_t<F>> make_zip_function(F&& f) { return {std::forward<F>(f)}; }
template <class... I> LS_INLINE zip_of<I...> make_zip_iterator(std::tuple<I...> base) { return zip_of<I...>(base); }
template <class A, class B, class... I> LS_INLINE zip_of<A, B, I...> make_zip_iterator(A a, B b, I... rest) { return zip_of<A, B, I...>(std::tuple<A, B, I...>(a, b, rest...)); }

/// Whether an iterator's elements lie on the device.
template <class I> struct OnDevice : std::false_type {};
template <class T> struct OnDevice<device_ptr<T>> : std::true_type {};
template <class F, class I> struct OnDevice<transform_of<F, I>> : OnDevice<I> {};
template <class F, class G, class I> struct OnDevice<transform_to<F, G, I>> : OnDevice<I> {};
template <class I> struct OnDevice<reverse_iterator<I>> : OnDevice<I> {};
template <class E, class I> struct OnDevice<permutation_iterator<E, I>> : std::disjunction<OnDevice<E>, OnDevice<I>> {};
template <class... I> struct OnDevice<zip_of<I...>> : std::disjunction<OnDevice<I>...> {};

/// Whether they lie on the host: of any iterator that is none of these here.
template <class I, class = void> struct IsIterator : std::false_type {};
template <class I> struct IsIterator<I, std::void_t<typename std::iterator_traits<I>::iterator_category>> : std::negation<std::is_base_of<Ours, I>> {};
template <class I> struct OnHost : IsIterator<I> {};
template <class F, class I> struct OnHost<transform_of<F, I>> : OnHost<I> {};
template <class F, class G, class I> struct OnHost<transform_to<F, G, I>> : OnHost<I> {};
template <class I> struct OnHost<reverse_iterator<I>> : OnHost<I> {};
template <class E, class I> struct OnHost<permutation_iterator<E, I>> : std::disjunction<OnHost<E>, OnHost<I>> {};
template <class... I> struct OnHost<zip_of<I...>> : std::disjunction<OnHost<I>...> {};
/// What has no elements in memory (counting iterators) is the device's.
template <class... I> using RunsOnDevice = std::bool_constant<std::disjunction<OnDevice<I>...>::value || !std::disjunction<OnHost<I>...>::value>;

/// The iterator as kernels use it: plain pointers in place of device_ptr.
template <class I> LS_INLINE I rawIterator(const I& i) { return i; }
template <class T> LS_INLINE T* rawIterator(const device_ptr<T>& i) { return i.get(); }
template <class F, class I> LS_INLINE auto rawIterator(const transform_of<F, I>& i) { return make_transform_iterator(rawIterator(i.base()), i.functor()); }
template <class F, class G, class I> LS_INLINE auto rawIterator(const transform_to<F, G, I>& i) { using Raw = decltype(rawIterator(i.base())); return transform_to<F, G, Raw>(rawIterator(i.base()), i.functor(), i.reader()); }
template <class I> LS_INLINE auto rawIterator(const reverse_iterator<I>& i) { return make_reverse_iterator(rawIterator(i.base())); }
template <class E, class I> LS_INLINE auto rawIterator(const permutation_iterator<E, I>& i) { return make_permutation_iterator(rawIterator(i.elements()), rawIterator(i.indices())); }
template <class... I> LS_INLINE auto rawIterator(const zip_of<I...>& i) { return std::apply([](const I&... each) { return make_zip_iterator(std::make_tuple(rawIterator(each)...)); }, i.get_iterator_tuple()); }
template <class I> LS_INLINE I* rawIterator(I* const& i) { return i; }

template <class I> LS_INLINE std::ptrdiff_t distance(I first, I last) { return last - first; }
template <class I, class N> LS_INLINE void advance(I& i, N n) { i += n; }
template <class I> LS_INLINE I next(I i, std::ptrdiff_t n = 1) { return i + n; }
template <class I> LS_INLINE I prev(I i, std::ptrdiff_t n = 1) { return i - n; }
template <class I> struct iterator_value { using type = typename std::iterator_traits<I>::value_type; };
template <class I> struct iterator_difference { using type = typename std::iterator_traits<I>::difference_type; };
template <class I> struct iterator_reference { using type = typename std::iterator_traits<I>::reference; };
template <class I> struct iterator_pointer { using type = typename std::iterator_traits<I>::pointer; };
template <class I> using iterator_value_t = typename iterator_value<I>::type;
template <class I> using iterator_difference_t = typename iterator_difference<I>::type;
template <class I> using iterator_reference_t = typename iterator_reference<I>::type;
template <class I> using iterator_traits = std::iterator_traits<I>;

/// _1 and _2, and what is computed with them.
namespace placeholders {
template <int N> struct Argument {
    template <class A> LS_INLINE A operator()(const A& a) const { return a; }
    template <class A, class B> LS_INLINE auto operator()(const A& a, const B& b) const { if constexpr (N == 1) return a; else return b; }
};
template <class T> struct Constant { T value; template <class... A> LS_INLINE T operator()(const A&...) const { return value; } };
template <class F, class L, class R> struct Expression { F f; L l; R r; template <class... A> LS_INLINE auto operator()(const A&... a) const { return f(l(a...), r(a...)); } };
template <class T> struct IsActor : std::false_type {};
template <int N> struct IsActor<Argument<N>> : std::true_type {};
template <class F, class L, class R> struct IsActor<Expression<F, L, R>> : std::true_type {};
template <class T> LS_INLINE auto actor(const T& v) { if constexpr (IsActor<T>::value) return v; else return Constant<T>{v}; }
#define LS_OPERATOR(op, function)                                                                                      \
    template <class L, class R, class = std::enable_if_t<IsActor<L>::value || IsActor<R>::value>>                      \
    LS_INLINE auto operator op(const L& l, const R& r) { return Expression<function<void>, decltype(actor(l)), decltype(actor(r))>{{}, actor(l), actor(r)}; }
LS_OPERATOR(+, plus) LS_OPERATOR(-, minus) LS_OPERATOR(*, multiplies) LS_OPERATOR(/, divides) LS_OPERATOR(%, modulus)
LS_OPERATOR(==, equal_to) LS_OPERATOR(!=, not_equal_to) LS_OPERATOR(<, less) LS_OPERATOR(>, greater) LS_OPERATOR(<=, less_equal)
LS_OPERATOR(>=, greater_equal) LS_OPERATOR(&&, logical_and) LS_OPERATOR(||, logical_or) LS_OPERATOR(&, bit_and) LS_OPERATOR(|, bit_or) LS_OPERATOR(^, bit_xor)
#undef LS_OPERATOR
static constexpr Argument<1> _1;
static constexpr Argument<2> _2;
}  // namespace placeholders
// clang-format on

}  // namespace thrust

#include "restore_macros.h"
