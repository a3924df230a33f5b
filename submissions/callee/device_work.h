#pragma once

// Our own kernels round a call on a GPU, all on the default stream.

#include <cstdint>

#include "submissions/callee/callee.h"
#include "submissions/seal.h"

namespace gemmlab::submissions {

void fill_words(std::uint32_t* words, std::int64_t count, std::uint32_t value);

/// Keeps the card busy for a third of a millisecond: its clock goes up, and this process' turn on it comes.
void keep_busy();

/// For longer than the launches of a call take: what comes next in the default stream finds them done.
void hide_launches();

/// A and B of the call after `previous`; null: of a window's first.
void make_inputs(float* a, std::int64_t a_count, float* b, std::int64_t b_count, const WindowKey& key,
                 const Seal* previous);

/// Room for the seals of groups of C.
std::int64_t seal_room(std::int64_t count);
/// Seals C; `room` is of seal_room(), `done` is 0 before and after.
void seal(const float* c, std::int64_t count, const WindowKey& key, const Seal* previous, Seal* room,
          unsigned* done, Seal* result);

}  // namespace gemmlab::submissions
