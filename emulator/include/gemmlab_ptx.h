#pragma once

// Inline PTX: what the rewriter makes of `asm volatile("..." : outputs : inputs)`. A constraint becomes a function that takes the
// operand, "=r"(x) for one gemmlab_ptx_out_r(x); the text is read at run time, and refused at compile time where it is not run.

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "gemmlab_ptx_table.h"

namespace gemmlab::emulation {

/// One place of the source: its text, and what the runtime has read of it.
struct PtxPlace {
  const char* text;
  void* program;
};
/// Runs the text. `operands`: outputs in front, then inputs, each as its bits; what they are by `widths` (bytes each).
void run_ptx(PtxPlace& place, std::uint64_t* operands, const unsigned char* widths, int count);

template <typename T>
struct PtxOut {
  T* to;
  bool read;  ///< as well
};
struct PtxIn {
  std::uint64_t bits;
  unsigned char bytes;
};
template <typename T>
__forceinline__ std::uint64_t ptx_bits(const T& value) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<std::uint64_t>(value);
  } else {
    static_assert(sizeof(T) <= 8, "an operand of inline PTX has at most 8 bytes");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
}
template <typename T>
__forceinline__ void ptx_set(T* to, std::uint64_t bits) {
  if constexpr (std::is_integral_v<T>) {
    *to = static_cast<T>(bits);
  } else {
    std::memcpy(static_cast<void*>(to), &bits, sizeof *to);
  }
}

template <typename... Out, typename... In>
__forceinline__ void run_ptx(PtxPlace& place, const std::tuple<Out...>& outs, const std::tuple<In...>& ins) {
  constexpr std::size_t kCount = sizeof...(Out) + sizeof...(In);
  std::uint64_t operands[kCount > 0 ? kCount : 1];
  unsigned char widths[kCount > 0 ? kCount : 1];
  int at = 0;
  std::apply(
      [&](const auto&... each) __attribute__((always_inline)) {
        ((operands[at] = each.read ? ptx_bits(*each.to) : 0, widths[at++] = sizeof(*each.to)), ...);
      },
      outs);
  std::apply(
      [&](const auto&... each)
          __attribute__((always_inline)) { ((operands[at] = each.bits, widths[at++] = each.bytes), ...); },
      ins);
  run_ptx(place, operands, widths, static_cast<int>(kCount));
  at = 0;
  std::apply(
      [&](const auto&... each) __attribute__((always_inline)) { (ptx_set(each.to, operands[at++]), ...); },
      outs);
}

/// Does nvcc take a value of the type where PTX has an integer of so many bytes?
template <typename T>
constexpr bool ptx_takes(std::size_t bytes) {
  return std::is_arithmetic_v<T> || std::is_pointer_v<T> ? !std::is_floating_point_v<T> && sizeof(T) == bytes
                                                         : sizeof(T) <= 8;
}

template <typename T>
__forceinline__ PtxIn ptx_in(const T& value, unsigned char bytes) {
  return {ptx_bits(value), bytes};
}

}  // namespace gemmlab::emulation

#define GEMMLAB_PTX_OPERAND(letter, bytes, takes)                                       \
  template <typename T>                                                                 \
  __forceinline__ ::gemmlab::emulation::PtxOut<T> gemmlab_ptx_out_##letter(T& to) {     \
    static_assert(takes, "asm operand: its type is not the one of '" #letter "'");      \
    return {&to, false};                                                                \
  }                                                                                     \
  template <typename T>                                                                 \
  __forceinline__ ::gemmlab::emulation::PtxOut<T> gemmlab_ptx_both_##letter(T& to) {    \
    static_assert(takes, "asm operand: its type is not the one of '" #letter "'");      \
    return {&to, true};                                                                 \
  }                                                                                     \
  template <typename T>                                                                 \
  __forceinline__ ::gemmlab::emulation::PtxIn gemmlab_ptx_in_##letter(const T& value) { \
    static_assert(takes, "asm operand: its type is not the one of '" #letter "'");      \
    return ::gemmlab::emulation::ptx_in(value, bytes);                                  \
  }
GEMMLAB_PTX_OPERAND(h, 2, ::gemmlab::emulation::ptx_takes<T>(2))
GEMMLAB_PTX_OPERAND(r, 4, ::gemmlab::emulation::ptx_takes<T>(4))
GEMMLAB_PTX_OPERAND(l, 8, ::gemmlab::emulation::ptx_takes<T>(8))
GEMMLAB_PTX_OPERAND(n, 8, std::is_integral_v<T> || std::is_enum_v<T>)
GEMMLAB_PTX_OPERAND(f, 4, (std::is_same_v<T, float>))
GEMMLAB_PTX_OPERAND(d, 8, (std::is_same_v<T, double>))
#undef GEMMLAB_PTX_OPERAND

#define GEMMLAB_PTX_OPERANDS(...) ::std::make_tuple(__VA_ARGS__)
#define GEMMLAB_PTX(text_, outs, ins)                                       \
  [&]() __attribute__((always_inline)) {                                    \
    static_assert(::gemmlab::emulation::ptx_is_run(text_),                  \
                  "gemmlab_cannot_be_run_without_a_GPU(\"inline PTX\")");   \
    static ::gemmlab::emulation::PtxPlace gemmlab_place = {text_, nullptr}; \
    ::gemmlab::emulation::run_ptx(gemmlab_place, outs, ins);                \
  }                                                                         \
  ()
