// An index beyond an array of known size: what the compiler calls under -fsanitize=bounds. It is the only word of arrays in
// registers and on a thread's stack; those in shared memory are checked by address, which allows As[0][i] to run through all rows.

#include <cstdint>
#include <cstdio>
#include <string>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation {
namespace {

// The compiler's own layout (GCC and Clang).
struct TypeDescriptor {
  std::uint16_t kind, info;
  char name[1];  ///< "'float [4]'", to its zero
};
struct OutOfBounds {
  const char* file;
  std::uint32_t line, column;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};

std::string type_name(const TypeDescriptor& type) {
  std::string name = type.name;
  if (name.size() >= 2 && name.front() == '\'') name = name.substr(1, name.size() - 2);
  return name;
}

/// "[16][17]" of "float [16][17]".
std::string extents(const std::string& type) {
  const std::size_t bracket = type.find('[');
  return bracket == std::string::npos ? std::string() : type.substr(bracket);
}

/// Has the launch a shared array of this form, or with rows of this form?
bool may_be_shared(const std::string& form) {
  for (const SharedPlace& place : shared_memory().places()) {
    if (place.array == nullptr) continue;
    std::string all;
    for (int d = 0; d < 3 && place.array->dims[d] > 0; ++d)
      all += "[" + std::to_string(place.array->dims[d]) + "]";
    if (all.size() >= form.size() && all.compare(all.size() - form.size(), form.size(), form) == 0)
      return true;
  }
  return false;
}

void out_of_bounds(const OutOfBounds& what, std::uint64_t index, const void* place) {
  const std::string type = type_name(*what.array);
  if (current == nullptr || may_be_shared(extents(type))) return;
  current->place = place_of(place);
  Finding finding;
  finding.kind = "index-beyond-array";
  finding.place = current->place;
  finding.text = "At " + place_text(finding.place) + " " + thread_text(current->index) + " uses index " +
                 std::to_string(static_cast<std::int64_t>(index)) + " of an array " + type + ".";
  run().end_kernel(std::move(finding), cudaErrorIllegalAddress);
}

}  // namespace
}  // namespace gemmlab::emulation

extern "C" void __ubsan_handle_out_of_bounds(void* what, std::uintptr_t index) {
  gemmlab::emulation::out_of_bounds(*static_cast<const gemmlab::emulation::OutOfBounds*>(what), index,
                                    __builtin_return_address(0));
}
