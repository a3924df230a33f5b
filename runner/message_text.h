#pragma once

// Foreign texts in messages: each in one line, of readable length, without what a terminal obeys.

#include <string>
#include <vector>

namespace gemmlab::runner {

inline constexpr std::size_t kMostShown = 80;  ///< bytes of a value

/// Does it hold what a terminal obeys: a control character (C1, too: U+009B begins an order), one that turns the direction of
/// writing, or a line's end? `but`: control characters that may stand in it.
bool has_control(const std::string& text, const std::string& but = "");

/// At most `most` bytes, cut between two characters and marked with "..." where there were more.
std::string clipped(std::string text, std::size_t most = kMostShown);

/// What a terminal obeys becomes a space, bytes that are not UTF-8 become U+FFFD, and what is longer than any honest message is cut.
std::string one_line(std::string text);

/// "a, b, c"; of many, the first thirty and how many more there are.
std::string listed(const std::vector<std::string>& names, const std::string& between = ", ");

}  // namespace gemmlab::runner
