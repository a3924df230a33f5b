#include "submissions/diagnosis/words.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace gemmlab::submissions {

std::string listed(const std::vector<std::string>& items, const char* last, const char* between) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? fmt::format(" {} ", last) : between;
    text += items[i];
  }
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string valued(double value) {
  if (std::isnan(value)) return "NaN";
  return fmt::format("{:.9g}", value);
}

}  // namespace gemmlab::submissions
