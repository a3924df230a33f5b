#pragma once

// Small parts of sentences.

#include <string>
#include <vector>

namespace gemmlab::submissions {

/// "a, b and c".
std::string listed(const std::vector<std::string>& items, const char* last, const char* between = ", ");
std::string capitalised(std::string text);
/// "1 element", "12 elements".
std::string counted(std::int64_t count, const char* one, const char* many);
/// A value of C: an integer as such, others with enough digits, NaN as NaN.
std::string valued(double value);

}  // namespace gemmlab::submissions
