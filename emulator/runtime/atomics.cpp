// What -fsanitize=thread makes of std::atomic and the compiler's own atomics: the operation itself, counted in kernels.

#include <cstdint>

#include "emulator/include/gemmlab_cuda_device.h"

namespace {

// Always the strongest order: on one thread there is none.
constexpr int kOrder = __ATOMIC_SEQ_CST;

template <typename T>
T* counted(volatile T* address, const void* place) {
  gemmlab::emulation::atomic_access(address, sizeof(T), place);
  return const_cast<T*>(address);
}

}  // namespace

#define GEMMLAB_HERE __builtin_return_address(0)
#define GEMMLAB_FETCH(bits, name)                                                               \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_##name(volatile std::uint##bits##_t* address, \
                                                         std::uint##bits##_t value, int) {      \
    return __atomic_fetch_##name(counted(address, GEMMLAB_HERE), value, kOrder);                \
  }
#define GEMMLAB_ATOMICS(bits)                                                                               \
  std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t* address, int) {        \
    return __atomic_load_n(counted(const_cast<volatile std::uint##bits##_t*>(address), GEMMLAB_HERE),       \
                           kOrder);                                                                         \
  }                                                                                                         \
  void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* address, std::uint##bits##_t value, int) { \
    __atomic_store_n(counted(address, GEMMLAB_HERE), value, kOrder);                                        \
  }                                                                                                         \
  std::uint##bits##_t __tsan_atomic##bits##_exchange(volatile std::uint##bits##_t* address,                 \
                                                     std::uint##bits##_t value, int) {                      \
    return __atomic_exchange_n(counted(address, GEMMLAB_HERE), value, kOrder);                              \
  }                                                                                                         \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile std::uint##bits##_t* address,                  \
                                                    std::uint##bits##_t* expected,                          \
                                                    std::uint##bits##_t value, int, int) {                  \
    return __atomic_compare_exchange_n(counted(address, GEMMLAB_HERE), expected, value, false, kOrder,      \
                                       kOrder);                                                             \
  }                                                                                                         \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile std::uint##bits##_t* address,                    \
                                                  std::uint##bits##_t* expected, std::uint##bits##_t value, \
                                                  int, int) {                                               \
    return __atomic_compare_exchange_n(counted(address, GEMMLAB_HERE), expected, value, false, kOrder,      \
                                       kOrder);                                                             \
  }                                                                                                         \
  std::uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(volatile std::uint##bits##_t* address,     \
                                                                 std::uint##bits##_t expected,              \
                                                                 std::uint##bits##_t value, int, int) {     \
    __atomic_compare_exchange_n(counted(address, GEMMLAB_HERE), &expected, value, false, kOrder, kOrder);   \
    return expected;                                                                                        \
  }                                                                                                         \
  GEMMLAB_FETCH(bits, add)                                                                                  \
  GEMMLAB_FETCH(bits, sub)                                                                                  \
  GEMMLAB_FETCH(bits, and)                                                                                  \
  GEMMLAB_FETCH(bits, or)                                                                                   \
  GEMMLAB_FETCH(bits, xor)                                                                                  \
  GEMMLAB_FETCH(bits, nand)

extern "C" {
GEMMLAB_ATOMICS(8)
GEMMLAB_ATOMICS(16)
GEMMLAB_ATOMICS(32)
GEMMLAB_ATOMICS(64)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
}
