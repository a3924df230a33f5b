#pragma once

// Thrust as far as hand-ins use it: vectors and pointers of the device, and the algorithms below, each a launch or two. What else
// thrust has is not here: "cannot be run without a GPU", by line.

#include <cstddef>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "../cuda_runtime.h"

namespace thrust {

namespace detail {
struct device_policy {
  cudaStream_t stream = nullptr;
  device_policy on(cudaStream_t its) const { return {its}; }
};
template <typename T>
inline constexpr bool is_policy = std::is_same_v<std::decay_t<T>, device_policy>;
}  // namespace detail
inline constexpr detail::device_policy device{};
namespace cuda {
inline constexpr detail::device_policy par{}, par_nosync{};
}  // namespace cuda

/// An element in the device's memory, for code of the host: each use is a copy.
template <typename T>
class device_reference {
 public:
  using value_type = std::remove_const_t<T>;
  explicit device_reference(T* at) : at_(at) {}
  device_reference(const device_reference&) = default;
  operator value_type() const {
    value_type value;
    cudaMemcpy(&value, at_, sizeof value, cudaMemcpyDeviceToHost);
    return value;
  }
  device_reference& operator=(const value_type& value) {
    cudaMemcpy(at_, &value, sizeof value, cudaMemcpyHostToDevice);
    return *this;
  }
  device_reference& operator=(const device_reference& other) {
    return *this = static_cast<value_type>(other);
  }
  device_reference& operator+=(const value_type& value) {
    return *this = static_cast<value_type>(*this) + value;
  }

 private:
  T* at_;
};

template <typename T>
class device_ptr {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = device_ptr;
  using reference = device_reference<T>;
  device_ptr() = default;
  GEMMLAB_DEVICE explicit device_ptr(T* at) : at_(at) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  GEMMLAB_DEVICE device_ptr(const device_ptr<U>& other) : at_(other.get()) {}
  GEMMLAB_DEVICE T* get() const { return at_; }
  reference operator*() const { return reference(at_); }
  reference operator[](difference_type i) const { return reference(at_ + i); }
  GEMMLAB_DEVICE device_ptr operator+(difference_type n) const { return device_ptr(at_ + n); }
  GEMMLAB_DEVICE device_ptr operator-(difference_type n) const { return device_ptr(at_ - n); }
  GEMMLAB_DEVICE difference_type operator-(const device_ptr& other) const { return at_ - other.at_; }
  device_ptr& operator+=(difference_type n) { return at_ += n, *this; }
  device_ptr& operator-=(difference_type n) { return at_ -= n, *this; }
  device_ptr& operator++() { return ++at_, *this; }
  device_ptr& operator--() { return --at_, *this; }
  bool operator==(const device_ptr& other) const { return at_ == other.at_; }
  bool operator!=(const device_ptr& other) const { return at_ != other.at_; }
  bool operator<(const device_ptr& other) const { return at_ < other.at_; }

 private:
  T* at_ = nullptr;
};
template <typename T>
device_ptr<T> device_pointer_cast(T* at) {
  return device_ptr<T>(at);
}
template <typename T>
T* raw_pointer_cast(const device_ptr<T>& at) {
  return at.get();
}
template <typename T>
T* raw_pointer_cast(T* at) {
  return at;
}

/// The numbers from `first` on.
template <typename T>
class counting_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;
  counting_iterator() = default;
  GEMMLAB_DEVICE explicit counting_iterator(T first) : at_(first) {}
  GEMMLAB_DEVICE T operator*() const { return at_; }
  GEMMLAB_DEVICE T operator[](difference_type i) const { return static_cast<T>(at_ + i); }
  GEMMLAB_DEVICE counting_iterator operator+(difference_type n) const {
    return counting_iterator(static_cast<T>(at_ + n));
  }
  GEMMLAB_DEVICE difference_type operator-(const counting_iterator& other) const {
    return static_cast<difference_type>(at_) - static_cast<difference_type>(other.at_);
  }
  counting_iterator& operator++() { return ++at_, *this; }
  bool operator==(const counting_iterator& other) const { return at_ == other.at_; }
  bool operator!=(const counting_iterator& other) const { return at_ != other.at_; }

 private:
  T at_{};
};
template <typename T>
counting_iterator<T> make_counting_iterator(T first) {
  return counting_iterator<T>(first);
}

#define GEMMLAB_THRUST_OPERATION(name, expression)                                   \
  template <typename T = void>                                                       \
  struct name {                                                                      \
    GEMMLAB_DEVICE T operator()(const T& x, const T& y) const { return expression; } \
  };                                                                                 \
  template <>                                                                        \
  struct name<void> {                                                                \
    template <typename T, typename U>                                                \
    GEMMLAB_DEVICE auto operator()(const T& x, const U& y) const {                   \
      return expression;                                                             \
    }                                                                                \
  };
GEMMLAB_THRUST_OPERATION(plus, x + y)
GEMMLAB_THRUST_OPERATION(minus, x - y)
GEMMLAB_THRUST_OPERATION(multiplies, x* y)
GEMMLAB_THRUST_OPERATION(divides, x / y)
GEMMLAB_THRUST_OPERATION(maximum, x < y ? y : x)
GEMMLAB_THRUST_OPERATION(minimum, y < x ? y : x)
#undef GEMMLAB_THRUST_OPERATION
template <typename T>
struct negate {
  GEMMLAB_DEVICE T operator()(const T& x) const { return -x; }
};
template <typename T>
struct square {
  GEMMLAB_DEVICE T operator()(const T& x) const { return x * x; }
};

namespace detail {

template <typename I>
GEMMLAB_DEVICE I raw(const I& iterator) {
  return iterator;
}
template <typename T>
GEMMLAB_DEVICE T* raw(const device_ptr<T>& iterator) {
  return iterator.get();
}
template <typename T>
struct is_device_iterator : std::false_type {};
template <typename T>
struct is_device_iterator<device_ptr<T>> : std::true_type {};
template <typename I>
using value_of = std::decay_t<decltype(raw(std::declval<I>())[0])>;

constexpr unsigned kThreads = 256;

/// `body(i)` for each i under `count`: a thread each, where one of the iterators is the device's or a policy says so; else on the host,
/// as thrust takes a raw pointer.
template <bool DEVICE, typename Body>
void each(const device_policy& where, std::ptrdiff_t count, const char* name, int line, Body body) {
  if constexpr (DEVICE) {
    if (count <= 0) return;
    const dim3 grid(static_cast<unsigned>((count + kThreads - 1) / kThreads));
    const dim3 block(static_cast<unsigned>(count < kThreads ? count : kThreads));
    ::gemmlab::emulation::launch_kernel(
        {line, name}, ::gemmlab::emulation::Configuration(grid, block, 0, where.stream),
        std::make_tuple(count), [body](std::ptrdiff_t most) {
          const std::ptrdiff_t i = std::ptrdiff_t{blockIdx.x} * kThreads + threadIdx.x;
          Body own = body;
          if (i < most) own(i);
        });
    cudaStreamSynchronize(where.stream);
  } else {
    for (std::ptrdiff_t i = 0; i < count; ++i) body(i);
  }
}

/// What get(0), get(1) ... and `initial` come to: parts by one block, then these by one thread.
template <bool DEVICE, typename T, typename Operation, typename Get>
T reduced(const device_policy& where, std::ptrdiff_t count, T initial, Operation operation, const char* name,
          int line, Get get) {
  if constexpr (DEVICE) {
    if (count <= 0) return initial;
    T* parts = nullptr;
    if (cudaMalloc(&parts, (kThreads + 1) * sizeof(T)) != cudaSuccess) return initial;
    const auto used = static_cast<int>(count < kThreads ? count : kThreads);
    ::gemmlab::emulation::launch_kernel(
        {line, name},
        ::gemmlab::emulation::Configuration(dim3(1), dim3(static_cast<unsigned>(used)), 0, where.stream),
        std::make_tuple(count, parts), [get, operation](std::ptrdiff_t most, T* to) mutable {
          std::ptrdiff_t i = threadIdx.x;
          T all = get(i);
          for (i += kThreads; i < most; i += kThreads) all = operation(all, get(i));
          to[threadIdx.x] = all;
        });
    ::gemmlab::emulation::launch_kernel(
        {line, name}, ::gemmlab::emulation::Configuration(dim3(1), dim3(1), 0, where.stream),
        std::make_tuple(used, initial, parts), [operation](int most, T all, T* of) mutable {
          for (int i = 0; i < most; ++i) all = operation(all, of[i]);
          of[kThreads] = all;
        });
    T result = initial;
    cudaStreamSynchronize(where.stream);
    cudaMemcpy(&result, parts + kThreads, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(parts);
    return result;
  } else {
    for (std::ptrdiff_t i = 0; i < count; ++i) initial = operation(initial, get(i));
    return initial;
  }
}

}  // namespace detail

/// Each algorithm with a policy in front, and without one, where the iterators say where it runs.
#define GEMMLAB_THRUST_LINE int line = __builtin_LINE()
#define GEMMLAB_NO_POLICY(type) typename = std::enable_if_t<!detail::is_policy<type>>

// ---- for_each, tabulate, sequence, fill

namespace detail {
template <bool DEVICE, typename I, typename F>
void for_each(const device_policy& where, I first, std::ptrdiff_t count, F call, int line) {
  each<DEVICE>(where, count, "thrust::for_each", line,
               [from = raw(first), call](std::ptrdiff_t i) mutable { call(from[i]); });
}
template <bool DEVICE, typename I, typename F>
void tabulate(const device_policy& where, I first, I last, F call, const char* name, int line) {
  each<DEVICE>(where, last - first, name, line,
               [to = raw(first), call](std::ptrdiff_t i) mutable { to[i] = call(i); });
}
}  // namespace detail

template <typename I, typename F>
void for_each(const detail::device_policy& where, I first, I last, F call, GEMMLAB_THRUST_LINE) {
  detail::for_each<true>(where, first, last - first, call, line);
}
template <typename I, typename F, GEMMLAB_NO_POLICY(I)>
void for_each(I first, I last, F call, GEMMLAB_THRUST_LINE) {
  detail::for_each<detail::is_device_iterator<I>::value>({}, first, last - first, call, line);
}
template <typename I, typename F>
void tabulate(const detail::device_policy& where, I first, I last, F call, GEMMLAB_THRUST_LINE) {
  detail::tabulate<true>(where, first, last, call, "thrust::tabulate", line);
}
template <typename I, typename F, GEMMLAB_NO_POLICY(I)>
void tabulate(I first, I last, F call, GEMMLAB_THRUST_LINE) {
  detail::tabulate<detail::is_device_iterator<I>::value>({}, first, last, call, "thrust::tabulate", line);
}
template <typename I>
void sequence(const detail::device_policy& where, I first, I last, GEMMLAB_THRUST_LINE) {
  using T = detail::value_of<I>;
  detail::tabulate<true>(
      where, first, last, [](std::ptrdiff_t i) mutable { return static_cast<T>(i); }, "thrust::sequence",
      line);
}
template <typename I, GEMMLAB_NO_POLICY(I)>
void sequence(I first, I last, GEMMLAB_THRUST_LINE) {
  using T = detail::value_of<I>;
  detail::tabulate<detail::is_device_iterator<I>::value>(
      {}, first, last, [](std::ptrdiff_t i) mutable { return static_cast<T>(i); }, "thrust::sequence", line);
}
template <typename I, typename T>
void fill(const detail::device_policy& where, I first, I last, const T& value, GEMMLAB_THRUST_LINE) {
  detail::tabulate<true>(
      where, first, last, [value](std::ptrdiff_t) { return value; }, "thrust::fill", line);
}
template <typename I, typename T, GEMMLAB_NO_POLICY(I)>
void fill(I first, I last, const T& value, GEMMLAB_THRUST_LINE) {
  detail::tabulate<detail::is_device_iterator<I>::value>(
      {}, first, last, [value](std::ptrdiff_t) { return value; }, "thrust::fill", line);
}
template <typename I, typename T>
void fill_n(const detail::device_policy& where, I first, std::ptrdiff_t count, const T& value,
            GEMMLAB_THRUST_LINE) {
  fill(where, first, first + count, value, line);
}
template <typename I, typename T, GEMMLAB_NO_POLICY(I)>
void fill_n(I first, std::ptrdiff_t count, const T& value, GEMMLAB_THRUST_LINE) {
  fill(first, first + count, value, line);
}

// ---- transform

template <typename I, typename O, typename F>
O transform(const detail::device_policy& where, I first, I last, O out, F call, GEMMLAB_THRUST_LINE) {
  detail::each<true>(where, last - first, "thrust::transform", line,
                     [from = detail::raw(first), to = detail::raw(out), call](std::ptrdiff_t i) mutable {
                       to[i] = call(from[i]);
                     });
  return out + (last - first);
}
template <typename I, typename O, typename F, GEMMLAB_NO_POLICY(I)>
O transform(I first, I last, O out, F call, GEMMLAB_THRUST_LINE) {
  detail::each<detail::is_device_iterator<I>::value || detail::is_device_iterator<O>::value>(
      {}, last - first, "thrust::transform", line,
      [from = detail::raw(first), to = detail::raw(out), call](std::ptrdiff_t i) mutable {
        to[i] = call(from[i]);
      });
  return out + (last - first);
}
template <typename I, typename J, typename O, typename F,
          typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, int>>>
O transform(const detail::device_policy& where, I first, I last, J other, O out, F call,
            GEMMLAB_THRUST_LINE) {
  detail::each<true>(where, last - first, "thrust::transform", line,
                     [x = detail::raw(first), y = detail::raw(other), to = detail::raw(out),
                      call](std::ptrdiff_t i) mutable { to[i] = call(x[i], y[i]); });
  return out + (last - first);
}
template <typename I, typename J, typename O, typename F, GEMMLAB_NO_POLICY(I),
          typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, int>>>
O transform(I first, I last, J other, O out, F call, GEMMLAB_THRUST_LINE) {
  detail::each<detail::is_device_iterator<I>::value || detail::is_device_iterator<J>::value ||
               detail::is_device_iterator<O>::value>(
      {}, last - first, "thrust::transform", line,
      [x = detail::raw(first), y = detail::raw(other), to = detail::raw(out),
       call](std::ptrdiff_t i) mutable { to[i] = call(x[i], y[i]); });
  return out + (last - first);
}

// ---- reduce, transform_reduce, inner_product

template <typename I, typename T, typename F = plus<T>, typename = std::enable_if_t<std::is_class_v<F>>>
T reduce(const detail::device_policy& where, I first, I last, T initial, F operation = {},
         GEMMLAB_THRUST_LINE) {
  return detail::reduced<true>(
      where, last - first, initial, operation, "thrust::reduce", line,
      [from = detail::raw(first)](std::ptrdiff_t i) mutable { return static_cast<T>(from[i]); });
}
template <typename I>
detail::value_of<I> reduce(const detail::device_policy& where, I first, I last, GEMMLAB_THRUST_LINE) {
  using T = detail::value_of<I>;
  return reduce(where, first, last, T(), plus<T>(), line);
}
template <typename I, typename T, typename F = plus<T>, GEMMLAB_NO_POLICY(I),
          typename = std::enable_if_t<std::is_class_v<F>>>
T reduce(I first, I last, T initial, F operation = {}, GEMMLAB_THRUST_LINE) {
  return detail::reduced<detail::is_device_iterator<I>::value>(
      {}, last - first, initial, operation, "thrust::reduce", line,
      [from = detail::raw(first)](std::ptrdiff_t i) mutable { return static_cast<T>(from[i]); });
}
template <typename I, GEMMLAB_NO_POLICY(I)>
detail::value_of<I> reduce(I first, I last, GEMMLAB_THRUST_LINE) {
  using T = detail::value_of<I>;
  return reduce(first, last, T(), plus<T>(), line);
}
template <typename I, typename G, typename T, typename F>
T transform_reduce(const detail::device_policy& where, I first, I last, G get, T initial, F operation,
                   GEMMLAB_THRUST_LINE) {
  return detail::reduced<true>(
      where, last - first, initial, operation, "thrust::transform_reduce", line,
      [from = detail::raw(first), get](std::ptrdiff_t i) mutable { return static_cast<T>(get(from[i])); });
}
template <typename I, typename G, typename T, typename F, GEMMLAB_NO_POLICY(I)>
T transform_reduce(I first, I last, G get, T initial, F operation, GEMMLAB_THRUST_LINE) {
  return detail::reduced<detail::is_device_iterator<I>::value>(
      {}, last - first, initial, operation, "thrust::transform_reduce", line,
      [from = detail::raw(first), get](std::ptrdiff_t i) mutable { return static_cast<T>(get(from[i])); });
}
template <typename I, typename J, typename T, typename F = plus<T>, typename G = multiplies<T>>
T inner_product(const detail::device_policy& where, I first, I last, J other, T initial, F sum = {},
                G product = {}, GEMMLAB_THRUST_LINE) {
  return detail::reduced<true>(where, last - first, initial, sum, "thrust::inner_product", line,
                               [x = detail::raw(first), y = detail::raw(other), product](
                                   std::ptrdiff_t i) mutable { return static_cast<T>(product(x[i], y[i])); });
}
template <typename I, typename J, typename T, typename F = plus<T>, typename G = multiplies<T>,
          GEMMLAB_NO_POLICY(I)>
T inner_product(I first, I last, J other, T initial, F sum = {}, G product = {}, GEMMLAB_THRUST_LINE) {
  return detail::reduced < detail::is_device_iterator<I>::value ||
         detail::is_device_iterator<J>::value >
             ({}, last - first, initial, sum, "thrust::inner_product", line,
              [x = detail::raw(first), y = detail::raw(other), product](std::ptrdiff_t i) mutable {
                return static_cast<T>(product(x[i], y[i]));
              });
}

// ---- copy, between the host and the device, too

template <typename I, typename O>
O copy(const detail::device_policy& where, I first, I last, O out, GEMMLAB_THRUST_LINE) {
  detail::each<true>(
      where, last - first, "thrust::copy", line,
      [from = detail::raw(first), to = detail::raw(out)](std::ptrdiff_t i) mutable { to[i] = from[i]; });
  return out + (last - first);
}
template <typename I, typename O, GEMMLAB_NO_POLICY(I)>
O copy(I first, I last, O out, GEMMLAB_THRUST_LINE) {
  constexpr bool kFrom = detail::is_device_iterator<I>::value, kTo = detail::is_device_iterator<O>::value;
  using T = typename std::iterator_traits<I>::value_type;
  const auto count = static_cast<std::size_t>(last - first);
  if constexpr (kFrom && kTo) {
    copy(device, first, last, out, line);
  } else if constexpr (kFrom) {
    if (count > 0) cudaMemcpy(&*out, first.get(), count * sizeof(T), cudaMemcpyDeviceToHost);
  } else if constexpr (kTo) {
    if (count > 0) cudaMemcpy(out.get(), &*first, count * sizeof(T), cudaMemcpyHostToDevice);
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = first[i];
  }
  return out + (last - first);
}
template <typename I, typename O>
O copy_n(I first, std::ptrdiff_t count, O out, GEMMLAB_THRUST_LINE) {
  return copy(first, first + count, out, line);
}

#undef GEMMLAB_THRUST_LINE
#undef GEMMLAB_NO_POLICY

// ---- vectors

template <typename T>
class device_vector;
template <typename T>
class host_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  host_vector(const device_vector<T>& other) : std::vector<T>(other.size()) {
    thrust::copy(other.begin(), other.end(), this->begin());
  }
};

template <typename T>
class device_vector {
 public:
  using value_type = T;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<const T>;
  device_vector() = default;
  explicit device_vector(std::size_t count, const T& value = T()) { resize(count, value); }
  template <typename I, typename = std::enable_if_t<!std::is_integral_v<I>>>
  device_vector(I first, I last) {
    allocate(static_cast<std::size_t>(last - first));
    thrust::copy(first, last, begin());
  }
  device_vector(const device_vector& other) : device_vector(other.begin(), other.end()) {}
  device_vector(const std::vector<T>& other) : device_vector(other.begin(), other.end()) {}
  device_vector(device_vector&& other) noexcept { swap(other); }
  device_vector& operator=(device_vector other) { return swap(other), *this; }
  ~device_vector() {
    if (memory_ != nullptr) cudaFree(memory_);
  }
  void swap(device_vector& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
  }
  void resize(std::size_t count, const T& value = T()) {
    device_vector larger;
    larger.allocate(count);
    const std::size_t kept = count < size_ ? count : size_;
    thrust::copy(begin(), begin() + static_cast<std::ptrdiff_t>(kept), larger.begin());
    thrust::fill(larger.begin() + static_cast<std::ptrdiff_t>(kept), larger.end(), value);
    swap(larger);
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  device_ptr<T> data() { return begin(); }
  device_ptr<const T> data() const { return begin(); }
  iterator begin() { return iterator(memory_); }
  iterator end() { return iterator(memory_ + size_); }
  const_iterator begin() const { return const_iterator(memory_); }
  const_iterator end() const { return const_iterator(memory_ + size_); }
  device_reference<T> operator[](std::size_t i) { return device_reference<T>(memory_ + i); }
  device_reference<const T> operator[](std::size_t i) const { return device_reference<const T>(memory_ + i); }

 private:
  void allocate(std::size_t count) {
    if (count > 0 && cudaMalloc(&memory_, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
    size_ = count;
  }
  T* memory_ = nullptr;
  std::size_t size_ = 0;
};
}  // namespace thrust
