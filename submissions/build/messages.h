#pragma once

// Turns the output of compilers and linkers into messages with the student's line. Knows the formats of gcc,
// nvcc, ptxas and ld.

#include <string>
#include <vector>

#include "submissions/build/build.h"

namespace gemmlab::submissions {

inline constexpr std::size_t kMostMessages = 50;

void replace_all(std::string& text, const std::string& what, const std::string& by);

/// The text with the student's file under its own name, and other files of the scratch folder without folder.
/// `source`: path of the copy that was compiled. Curly quotes become plain ones.
std::string without_scratch(const std::string& output, const std::string& scratch, const std::string& source,
                            const std::string& name);

/// The messages of an output that went through without_scratch, each once, in order, the first 50. What was
/// found in somebody else's header gets the student's line that led there.
std::vector<CompilerMessage> parse_messages(const std::string& output, const std::string& name);

/// The first error; nullptr where there is none.
const CompilerMessage* first_error(const std::vector<CompilerMessage>& messages);

/// What to do about a message; never empty.
std::string hint_for(const std::string& text);

/// The header that an error says cannot be found ("Eigen/Dense"); empty for other messages.
std::string header_not_found(const CompilerMessage& message);

}  // namespace gemmlab::submissions
