#include <algorithm>

#include "emulator/rewrite/tokens.h"

namespace gemmlab::emulation {
namespace {

bool opens(std::string_view text) {
  return text == "(" || text == "[" || text == "{";
}
bool closes(std::string_view text) {
  return text == ")" || text == "]" || text == "}";
}
std::string_view opening(std::string_view closing) {
  return closing == ")" ? "(" : closing == "]" ? "[" : "{";
}

}  // namespace

Code::Code(const std::string& source)
    : source_(source), tokens_(tokens_of(source)), partners_(tokens_.size(), kNone) {
  std::vector<std::size_t> open;           // of ordinary code
  std::vector<std::size_t> open_in_macro;  // of the macro that we are in
  int macro = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (tokens_[i].kind != TokenKind::kSign) continue;
    if (tokens_[i].macro != macro) open_in_macro.clear();
    macro = tokens_[i].macro;
    auto& stack = macro == 0 ? open : open_in_macro;
    if (opens(text(i))) stack.push_back(i);
    if (!closes(text(i))) continue;
    // Both branches of an #if may open or close one bracket: what is left over has no partner.
    auto at = std::find_if(stack.rbegin(), stack.rend(), [&](std::size_t each) {
      return text(each) == opening(text(i)) || text(each) == "{";
    });
    if (at == stack.rend() || text(*at) != opening(text(i))) continue;
    partners_[i] = *at;
    partners_[*at] = i;
    stack.erase(std::prev(at.base()), stack.end());
  }
}

std::string_view Code::text(std::size_t index) const {
  return std::string_view(source_).substr(tokens_[index].begin, tokens_[index].end - tokens_[index].begin);
}

bool Code::is(std::size_t index, std::string_view text) const {
  return index < size() && this->text(index) == text;
}

bool Code::is_word(std::size_t index) const {
  return index < size() && tokens_[index].kind == TokenKind::kWord;
}

bool Code::together(std::size_t index, std::size_t other) const {
  return index < size() && other < size() && tokens_[index].macro == tokens_[other].macro;
}

std::size_t Code::end_of_arguments(std::size_t index) const {
  int depth = 0;
  for (std::size_t i = index; together(i, index); ++i) {
    if (opens(text(i))) {
      i = partner(i);
      if (i == kNone) return kNone;
    } else if (is(i, "<")) {
      ++depth;
    } else if (is(i, ">")) {
      if (--depth == 0) return i;
    } else if (is(i, ";") || closes(text(i))) {
      return kNone;
    }
  }
  return kNone;
}

std::size_t Code::begin_of_arguments(std::size_t index) const {
  int depth = 0;
  for (std::size_t i = index; together(i, index); --i) {
    if (closes(text(i))) {
      i = partner(i);
      if (i == kNone) return kNone;
    } else if (is(i, ">")) {
      ++depth;
    } else if (is(i, "<")) {
      if (--depth == 0) return i;
    } else if (is(i, ";") || opens(text(i))) {
      return kNone;
    }
  }
  return kNone;
}

std::string Code::flat(std::size_t first, std::size_t last, bool with_spaces) const {
  std::string line;
  for (std::size_t i = first; i < last; ++i) {
    const auto is_text = [&](std::size_t each) {
      return is_word(each) || tokens_[each].kind == TokenKind::kNumber;
    };
    const bool spaced = i > first && tokens_[i].begin > tokens_[i - 1].end;
    if (spaced && (with_spaces || (is_text(i) && is_text(i - 1)))) line += ' ';
    line += text(i);
  }
  return line;
}

/// Whether the token is a parameter of the macro in whose text it stands.
bool Code::is_parameter(std::size_t index) const {
  if (tokens_[index].macro == 0) return false;
  std::size_t head = index;
  while (tokens_[head].kind != TokenKind::kDirective) --head;
  const std::string_view parameters = text(head);
  const auto ends = [&](std::size_t i) {
    return std::string_view("(), \t\\\n").find(parameters[i]) != std::string::npos;
  };
  const std::string_view name = text(index);
  for (std::size_t at = parameters.find('('); at < parameters.size(); ++at) {
    at = parameters.find(name, at);
    if (at == std::string_view::npos) return false;
    if (ends(at - 1) && ends(at + name.size())) return true;
  }
  return false;
}

std::string Code::literal(std::size_t first, std::size_t last) const {
  if (first + 1 == last && is_parameter(first)) return "#" + std::string(text(first));
  std::string quoted = "\"";
  for (const char c : flat(first, last, false)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string Code::line_ends(std::size_t begin, std::size_t end, int macro) const {
  const auto count = std::count(source_.begin() + static_cast<std::ptrdiff_t>(begin),
                                source_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  std::string ends;
  for (std::ptrdiff_t i = 0; i < count; ++i) ends += macro == 0 ? "\n" : "\\\n";
  return ends;
}

}  // namespace gemmlab::emulation
