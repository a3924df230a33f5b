#pragma once

// Memory that packed methods copy into. Compiled once, not for each isa.

#include <cstdint>

namespace gemmlab::cpu {

/// At least `floats` floats at a page's start, this thread's own, with whatever was left there: a thread gets
/// the same memory again for the same `slot` (0 to 3), until it asks for more. nullptr where there is
/// none: an exception that left a team's region would end the process.
float* scratch(int slot, std::int64_t floats) noexcept;

/// std::bad_alloc, from after the team's region.
[[noreturn]] void throw_out_of_memory();

}  // namespace gemmlab::cpu
