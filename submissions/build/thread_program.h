#pragma once

// A program of a CPU hand-in whose threads ThreadSanitizer watches.

#include <string>

namespace gemmlab::submissions {

/// C++ source to link a hand-in with: main, which calls solve at the shapes M N K M N K ... that it is given, and OpenMP's functions as
/// g++ calls them, on pthreads. libgomp is compiled without ThreadSanitizer, so that none of its barriers would be seen; these are. Left
/// out are two threads that only write one element of C. A hand-in that needs another function of OpenMP's does not link.
const char* thread_program();

/// What the hand-in's copy is called, by which its lines are found in what ThreadSanitizer prints.
inline constexpr const char* kWatchedName = "handed_in.cpp";

/// May what ThreadSanitizer says of a hand-in with this text be believed? It sees no order by fences, by volatile variables, by assembly
/// and in libraries: where the text names one of these, nothing is to be concluded.
bool thread_order_is_seen(const std::string& source);

}  // namespace gemmlab::submissions
