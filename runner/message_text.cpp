#include "runner/message_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace gemmlab::runner {
namespace {

enum class Letter { kPlain, kControl, kNoText };

bool is_control(char32_t code) {
  const auto within = [&](char32_t first, char32_t last) { return code >= first && code <= last; };
  return code < 0x20 || within(0x7f, 0x9f) || code == 0x61c || within(0x200e, 0x200f) ||
         within(0x2028, 0x202e) || within(0x2066, 0x2069);
}

/// Of the character of UTF-8 that begins at `text`: what it is, and its bytes.
std::pair<Letter, std::size_t> letter_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {is_control(first) ? Letter::kControl : Letter::kPlain, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes > text.size()) return {Letter::kNoText, 1};
  char32_t code = first & (0x7fU >> bytes);
  for (const char next : text.substr(1, bytes - 1)) {
    if ((static_cast<unsigned char>(next) & 0xc0U) != 0x80U) return {Letter::kNoText, 1};
    code = code << 6U | (static_cast<unsigned char>(next) & 0x3fU);
  }
  return {is_control(code) ? Letter::kControl : Letter::kPlain, bytes};
}

constexpr std::size_t kMostNames = 30;
constexpr std::size_t kMostMessage = 4000;

}  // namespace

bool has_control(const std::string& text, const std::string& but) {
  for (std::size_t at = 0; at < text.size();) {
    const auto [letter, bytes] = letter_at(std::string_view(text).substr(at));
    if (letter == Letter::kControl && but.find(text[at]) == std::string::npos) return true;
    at += bytes;
  }
  return false;
}

std::string clipped(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr unsigned char kContinued = 0x80;  // 10xxxxxx: inside a character of UTF-8
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == kContinued) --most;
  text.resize(most);
  return text + "...";
}

std::string one_line(std::string text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const auto [letter, bytes] = letter_at(std::string_view(text).substr(at));
    line += letter == Letter::kPlain     ? text.substr(at, bytes)
            : letter == Letter::kControl ? " "
                                         : "\xef\xbf\xbd";
    at += bytes;
  }
  return clipped(std::move(line), kMostMessage);
}

std::string listed(const std::vector<std::string>& names, const std::string& between) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += (i == 0 ? "" : between) + clipped(names[i]);
  if (names.size() > kMostNames) text += fmt::format("{}and {} more", between, names.size() - kMostNames);
  return text;
}

}  // namespace gemmlab::runner
