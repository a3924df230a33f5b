#include "experiments/runner/message_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace gemmlab::runner {
namespace {

constexpr std::size_t kMostNames = 30;
constexpr std::size_t kMostMessage = 4000;

}  // namespace

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string clipped(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr unsigned char kContinued = 0x80;  // 10xxxxxx: inside a character of UTF-8
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == kContinued) --most;
  text.resize(most);
  return text + "...";
}

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return clipped(std::move(text), kMostMessage);
}

std::string listed(const std::vector<std::string>& names, const std::string& between) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += (i == 0 ? "" : between) + clipped(names[i]);
  if (names.size() > kMostNames) text += fmt::format("{}and {} more", between, names.size() - kMostNames);
  return text;
}

}  // namespace gemmlab::runner
