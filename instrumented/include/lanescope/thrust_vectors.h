// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's vectors and execution policies. Part of the headers in thrust/.
#pragma once

#include <initializer_list>
#include <iostream>  // as Thrust does: many programs rely on it
#include <new>
#include <system_error>
#include <vector>

#include "thrust_iterators.h"

#include "hide_macros.h"

namespace thrust {

// clang-format off
template <bool Device> struct Policy { static constexpr bool onDevice = Device; };
struct DevicePolicy : Policy<true> {
    cudaStream_t stream = nullptr;
    DevicePolicy on(cudaStream_t to) const { DevicePolicy copy = *this; copy.stream = to; return copy; }
    template <class Allocator> DevicePolicy operator()(const Allocator&) const { return *this; }
};
static constexpr Policy<false> host;
static constexpr Policy<false> seq;
static constexpr DevicePolicy device;
namespace cuda { static constexpr DevicePolicy par; static constexpr DevicePolicy par_nosync; }
template <class T, class = void> struct IsPolicy : std::false_type {};
template <class T> struct IsPolicy<T, std::void_t<decltype(T::onDevice)>> : std::true_type {};

namespace system { using std::error_code; using std::system_error; }
using std::system_error;

template <class T> device_ptr<T> device_malloc(std::size_t count)
{
    T* memory = nullptr;
    if (count > 0 && cudaMalloc((void**)&memory, count * sizeof(T)) != cudaSuccess)
        throw std::bad_alloc();
    return device_ptr<T>(memory);
}
inline device_ptr<void> device_malloc(std::size_t bytes) { return device_malloc<char>(bytes); }
template <class T> void device_free(device_ptr<T> memory) { (void)cudaFree((void*)memory.get()); }

template <class T> class device_vector;

template <class T, class Allocator = std::allocator<T>> class host_vector : public std::vector<T, Allocator> {
public:
    using std::vector<T, Allocator>::vector;
    host_vector() = default;
    host_vector(const std::vector<T, Allocator>& other) : std::vector<T, Allocator>(other) {}
    template <class U> host_vector(const device_vector<U>& other) { *this = other; }
    /// Elements on the device are fetched.
    template <class U> host_vector(device_ptr<U> first, device_ptr<U> last) : std::vector<T, Allocator>((std::size_t)(last - first))
    {
        (void)cudaMemcpy(this->data(), first.get(), this->size() * sizeof(T), cudaMemcpyDeviceToHost);
    }
    template <class U> host_vector& operator=(const device_vector<U>& other)
    {
        std::vector<U> values(other.size());
        (void)cudaMemcpy(values.data(), other.data().get(), values.size() * sizeof(U), cudaMemcpyDeviceToHost);
        this->assign(values.begin(), values.end());
        return *this;
    }
};

template <class T> class device_vector {
public:
    using value_type = T; using size_type = std::size_t; using difference_type = std::ptrdiff_t;
    using reference = device_reference<T>; using const_reference = device_reference<const T>;
    using pointer = device_ptr<T>; using iterator = device_ptr<T>; using const_iterator = device_ptr<const T>;

    device_vector() = default;
    explicit device_vector(size_type count) { resize(count); }
    device_vector(size_type count, const T& value) { resize(count, value); }
    device_vector(const device_vector& other) { take(other.data().get(), other.size(), cudaMemcpyDeviceToDevice); }
    device_vector(device_vector&& other) noexcept { swap(other); }
    template <class A> device_vector(const std::vector<T, A>& other) { take(other.data(), other.size(), cudaMemcpyHostToDevice); }
    template <class U, class A, class = std::enable_if_t<!std::is_same<U, T>::value>> device_vector(const std::vector<U, A>& other) { assign(other.begin(), other.end()); }
    template <class U, class = std::enable_if_t<!std::is_same<U, T>::value>> device_vector(const device_vector<U>& other) { assign(host_vector<U>(other)); }
    device_vector(std::initializer_list<T> values) { take(values.begin(), values.size(), cudaMemcpyHostToDevice); }
    template <class I, class = typename std::iterator_traits<I>::iterator_category> device_vector(I first, I last) { assign(first, last); }
    ~device_vector() { (void)cudaFree(m_data); }

    device_vector& operator=(const device_vector& other) { if (this != &other) { device_vector copy(other); swap(copy); } return *this; }
    device_vector& operator=(device_vector&& other) noexcept { swap(other); return *this; }
    template <class U, class A> device_vector& operator=(const std::vector<U, A>& other) { assign(other.begin(), other.end()); return *this; }
    device_vector& operator=(std::initializer_list<T> values) { take(values.begin(), values.size(), cudaMemcpyHostToDevice); return *this; }

    size_type size() const { return m_size; }
    size_type capacity() const { return m_capacity; }
    size_type max_size() const { return ~(size_type)0 / sizeof(T); }
    bool empty() const { return m_size == 0; }
    iterator begin() { return iterator(m_data); }
    iterator end() { return iterator(m_data + m_size); }
    const_iterator begin() const { return const_iterator(m_data); }
    const_iterator end() const { return const_iterator(m_data + m_size); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    device_ptr<T> data() { return device_ptr<T>(m_data); }
    device_ptr<const T> data() const { return device_ptr<const T>(m_data); }
    reference operator[](size_type i) { return reference(m_data + i); }
    const_reference operator[](size_type i) const { return const_reference(m_data + i); }
    reference front() { return (*this)[0]; }
    reference back() { return (*this)[m_size - 1]; }
    const_reference front() const { return (*this)[0]; }
    const_reference back() const { return (*this)[m_size - 1]; }

    void reserve(size_type count)
    {
        if (count <= m_capacity)
            return;
        T* grown = device_malloc<T>(count).get();
        if (m_size > 0)
            (void)cudaMemcpy((void*)grown, m_data, m_size * sizeof(T), cudaMemcpyDeviceToDevice);
        (void)cudaFree((void*)m_data);
        m_data = grown;
        m_capacity = count;
    }
    void resize(size_type count, const T& value = T())
    {
        reserve(count);
        if (count > m_size) {
            const std::vector<T> values(count - m_size, value);
            upload(m_data + m_size, values);
        }
        m_size = count;
    }
    void assign(size_type count, const T& value) { m_size = 0; resize(count, value); }
    template <class I, class = typename std::iterator_traits<I>::iterator_category> void assign(I first, I last)
    {
        std::vector<T> values;
        for (; first != last; ++first)
            values.push_back((T)loaded(*first));
        take(nullptr, 0, cudaMemcpyHostToDevice);
        reserve(values.size());
        upload(m_data, values);
        m_size = values.size();
    }
    void push_back(const T& value)
    {
        if (m_size == m_capacity)
            reserve(m_size < 8 ? 16 : 2 * m_size);
        resize(m_size + 1, value);
    }
    void pop_back() { --m_size; }
    void clear() { m_size = 0; }
    void shrink_to_fit() {}
    iterator erase(iterator first, iterator last)
    {
        host_vector<T> values(*this);
        const auto at = first - begin();
        values.erase(values.begin() + at, values.begin() + (last - begin()));
        *this = values;
        return begin() + at;
    }
    iterator erase(iterator at) { return erase(at, at + 1); }
    iterator insert(iterator before, const T& value)
    {
        host_vector<T> values(*this);
        const auto at = before - begin();
        values.insert(values.begin() + at, value);
        *this = values;
        return begin() + at;
    }
    void swap(device_vector& other)
    {
        std::swap(m_data, other.m_data);
        std::swap(m_size, other.m_size);
        std::swap(m_capacity, other.m_capacity);
    }

private:
    void assign(const host_vector<T>& values) { take(values.data(), values.size(), cudaMemcpyHostToDevice); }
    template <class U> void assign(const host_vector<U>& values) { assign(values.begin(), values.end()); }
    void take(const T* from, size_type count, cudaMemcpyKind kind)
    {
        m_size = 0;
        reserve(count);
        if (count > 0)
            (void)cudaMemcpy((void*)m_data, (const void*)from, count * sizeof(T), kind);
        m_size = count;
    }
    /// std::vector<bool> has no array to copy from.
    static void upload(T* to, const std::vector<T>& values)
    {
        if constexpr (std::is_same<T, bool>::value) {
            const std::vector<char> bytes(values.begin(), values.end());
            (void)cudaMemcpy(to, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
        } else if (!values.empty())
            (void)cudaMemcpy((void*)to, (const void*)values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    }

    T* m_data = nullptr;
    size_type m_size = 0;
    size_type m_capacity = 0;
};
template <class T> bool operator==(const device_vector<T>& a, const device_vector<T>& b) { return host_vector<T>(a) == host_vector<T>(b); }
template <class T> bool operator!=(const device_vector<T>& a, const device_vector<T>& b) { return !(a == b); }
template <class T, class A> bool operator==(const device_vector<T>& a, const std::vector<T, A>& b) { return host_vector<T>(a) == host_vector<T>(b); }
template <class T, class A> bool operator==(const std::vector<T, A>& a, const device_vector<T>& b) { return b == a; }
// clang-format on

}  // namespace thrust

#include "restore_macros.h"
