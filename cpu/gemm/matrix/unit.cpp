#include "cpu/gemm/matrix/unit.h"

#include <cerrno>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "core/machine/machine.h"

namespace gemmlab::cpu {
namespace {

#if defined(__x86_64__)
std::string ask() {
  // Linux, Documentation/arch/x86/xstate.rst
  constexpr int kRequestPermission = 0x1023;
  constexpr unsigned long kTileData = 18;
  // CPUID, leaf 7, subleaf 0, EDX
  constexpr unsigned kBf16 = 1U << 22;
  constexpr unsigned kTiles = 1U << 24;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool told = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0;
  const bool avx512 = cpu_info().isa.back() == "avx512";
  if (!told || !avx512 || (edx & kTiles) == 0 || (edx & kBf16) == 0) {
    return "needs a processor with Intel AMX (amx_tile and amx_bf16) and AVX-512; this one has not got them";
  }
  if (syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0) return {};
  return std::string("the processor has Intel AMX, but the system does not allow its tiles (arch_prctl: ") +
         std::strerror(errno) + "); Linux 5.16 or newer is needed";
}
#else
std::string ask() {
  return "needs an Intel processor with AMX; this is " + cpu_info().architecture;
}
#endif

}  // namespace

const std::string& matrix_unit_missing() {
  static const std::string reason = ask();
  return reason;
}

}  // namespace gemmlab::cpu
