#pragma once

// The words in which findings tell of an access.

#include <cstdint>
#include <string>

#include "emulator/runtime/checks/findings.h"
#include "emulator/runtime/threads.h"

namespace gemmlab::emulation {

const char* verb(Operation operation);
std::string block_text(const uint3& block);
/// The current thread.
std::string who();
/// Of the current thread, at its place; `offset`: bytes from the array's beginning.
Finding finding_at(const char* kind, Operation operation, std::int64_t offset);

}  // namespace gemmlab::emulation
