#pragma once

// Parts that every command line of bubblewrap has.

#include <initializer_list>
#include <string>
#include <vector>

#include "submissions/sandbox/bubblewrap.h"

namespace gemmlab::submissions {

using Words = std::vector<std::string>;

void add(Words& words, std::initializer_list<std::string> more);
void namespaces(Words& words, bool as_root);
/// What stands last before the program.
void begin_command(Words& words, const BubblewrapFds& fds);

}  // namespace gemmlab::submissions
