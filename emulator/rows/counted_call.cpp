#include "emulator/rows/counted_call.h"

#include <dlfcn.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include "emulator/exports.h"
#include "emulator/lines.h"

namespace gemmlab::emulation {
namespace {

using Memory = std::unique_ptr<void, decltype(&gemmlab_emulation_release)>;

constexpr std::uint64_t kMemory_bytes = std::uint64_t{3} << 30;
constexpr std::uint64_t kAccesses = std::uint64_t{1} << 40;  ///< `blocks` is what keeps a call short

std::string library_of_this() {
  Dl_info info = {};
  return dladdr(reinterpret_cast<const void*>(&library_of_this), &info) != 0 ? info.dli_fname : "";
}

}  // namespace

std::string counted_call(const Implementation& row, const Instance& instance, const Parameters& parameters,
                         std::uint64_t blocks) {
  const GemmlabEmulationLimits limits{.memory_bytes = kMemory_bytes,
                                      .accesses = kAccesses,
                                      .seconds = 0,
                                      .blocks = blocks,
                                      .sparse = 0,
                                      .counts = 1};
  gemmlab_emulation_begin(&limits);
  const std::unique_ptr<Session> session = row.prepare(instance, parameters);
  std::vector<Memory> memory;
  std::vector<void*> at;
  const std::vector<OperandSpec> operands = instance.operands();
  for (std::size_t operand = 0; operand < operands.size(); ++operand) {
    const auto bytes = static_cast<std::size_t>(instance.bytes(operand));
    memory.emplace_back(gemmlab_emulation_allocate(bytes, operands[operand].name.c_str()),
                        gemmlab_emulation_release);
    at.push_back(memory.back().get());
    if (at.back() == nullptr)
      throw std::runtime_error("the emulator has no memory for " + operands[operand].name);
  }
  gemmlab_emulation_begin(&limits);  // what `prepare` tried is no part of the call
  session->run(Operands(at));
  std::array<char, 512> said = {};
  if (gemmlab_emulation_synchronize(said.data(), said.size()) != 0) throw std::runtime_error(said.data());
  return with_lines(gemmlab_emulation_report(), library_of_this(), "");
}

}  // namespace gemmlab::emulation
