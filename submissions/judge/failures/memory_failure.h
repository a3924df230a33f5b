#pragma once

// Words for what goes wrong with memory: too much of it, or touched where it must not be.

#include <cstdint>
#include <string>

#include "submissions/judge/failures/crash_words.h"
#include "submissions/judge/failures/failure.h"

namespace gemmlab::submissions {

/// One without shape or element.
Failure failure(Judged verdict, const char* pattern, std::string explanation, std::string hint);

/// Of the instruction that it stopped at.
Instruction code_of(const Reply& reply);

// What went wrong with memory. `where`: "at M = 3, N = 5, K = 7", or while the library was loaded.

Failure over_memory_limit(std::int64_t limit_bytes, const std::string& where);
/// `limit_bytes`: the rule's; 0 where it was not that one that was met (a GPU's memory).
Failure refused_memory(const Reply& reply, std::int64_t limit_bytes, const std::string& where);
/// A touch of memory round a matrix, which the reply names.
Failure out_of_bounds(const Reply& reply, const std::string& where);
Failure of_memory_fault(const Reply& reply, const std::string& where);

}  // namespace gemmlab::submissions
