#pragma once

// __device__ and __constant__ variables: data of the library itself, whose table of symbols says where each begins and ends.

#include <cstdint>
#include <string>

#include "emulator/runtime/threads.h"

namespace gemmlab::emulation {

struct ModuleVariable {
  std::uintptr_t from = 0, to = 0;
  std::string name;
};

/// Is it in the writable part of the library?
bool is_module_data(const void* address);
/// nullptr where the bytes lie in one variable, or nothing is known of variables; else the nearest.
const ModuleVariable* beside_variables(const void* address, std::size_t bytes);
/// The current thread touches data of the library. Beyond a variable that ends the kernel.
void check_variable(const void* address, unsigned bytes, Operation operation);

}  // namespace gemmlab::emulation
