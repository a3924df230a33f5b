#include "cpu/gemm/typed/features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gemmlab::cpu {

bool has_feature(unsigned subleaf, Register where, unsigned bit) {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, subleaf, &eax, &ebx, &ecx, &edx) == 0) return false;
  const unsigned bits = where == Register::kEax ? eax : where == Register::kEcx ? ecx : edx;
  return (bits >> bit & 1U) != 0;
#else
  static_cast<void>(subleaf), static_cast<void>(where), static_cast<void>(bit);
  return false;
#endif
}

bool adds_bytes_in_32_bits() {
#if defined(__x86_64__)
  constexpr unsigned kAvxVnni = 4;  // EAX of subleaf 1
  return has_feature(0, Register::kEcx, kVnni) || has_feature(1, Register::kEax, kAvxVnni);
#else
  return true;
#endif
}

}  // namespace gemmlab::cpu
