#pragma once

// Foreign texts in messages: each in one line, of readable length, without control characters.

#include <string>
#include <vector>

namespace gemmlab::runner {

inline constexpr std::size_t kMostShown = 80;  ///< bytes of a value

bool is_control(char c);

/// At most `most` bytes, cut between two characters and marked with "..." where there were more.
std::string clipped(std::string text, std::size_t most = kMostShown);

/// Control characters become spaces, and what is longer than any honest message is cut.
std::string one_line(std::string text);

/// "a, b, c"; of many, the first thirty and how many more there are.
std::string listed(const std::vector<std::string>& names, const std::string& between = ", ");

}  // namespace gemmlab::runner
