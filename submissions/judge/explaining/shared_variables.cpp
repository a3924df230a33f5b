#include "submissions/judge/explaining/shared_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "emulator/rewrite/tokens.h"

namespace gemmlab::submissions {
namespace {

using emulation::Code;
using emulation::kNone;

int line_of(const Code& code, std::size_t token) {
  const auto begin = code.source().begin();
  return 1 +
         static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(code[token].begin), '\n'));
}

bool is_statement_word(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kWords = {"return", "else",   "case",  "goto",
                                                             "new",    "delete", "throw", "do"};
  return emulation::among(kWords, word);
}

/// Is the word declared by this place: `float sum`, `float* row`, `auto& x`, `float a, sum`?
bool declares(const Code& code, std::size_t at) {
  std::size_t before = at - 1;
  while (at > 1 && (code.is(before, "*") || code.is(before, "&"))) --before;
  if (code.is_word(before) && !is_statement_word(code.text(before))) return true;
  // the second of `float a = 0, sum = 0;`: back to where the statement begins
  if (!code.is(before, ",")) return false;
  for (std::size_t i = before; i > 0; --i) {
    if (code.is(i, ";") || code.is(i, "{") || code.is(i, "}") || code.is(i, "("))
      return code.is_word(i + 1) && code.is_word(i + 2);
    if ((code.is(i, ")") || code.is(i, "]")) && code.partner(i) != kNone) i = code.partner(i);
  }
  return false;
}

/// Is the word set here: `sum = 0`, `sum += x`, `++sum`? Not an element of it.
bool sets(const Code& code, std::size_t at) {
  const bool member = code.is(at - 1, ".") || code.is(at - 1, "->");
  if (member || declares(code, at)) return false;
  const bool step =
      (code.is(at + 1, "+") && code.is(at + 2, "+")) || (code.is(at + 1, "-") && code.is(at + 2, "-"));
  const bool changed =
      code.is(at + 2, "=") && (code.is(at + 1, "+") || code.is(at + 1, "-") || code.is(at + 1, "*"));
  const bool given = code.is(at + 1, "=") && !code.is(at + 2, "=");
  return step || changed || given;
}

/// One past the statement that begins here: a block, or a loop with what it repeats.
std::size_t statement_end(const Code& code, std::size_t at) {
  while (at < code.size()) {
    if (code.is(at, "{")) return code.partner(at) == kNone ? code.size() : code.partner(at) + 1;
    if (code.is(at, ";")) return at + 1;
    at = code.is(at, "(") && code.partner(at) != kNone ? code.partner(at) + 1 : at + 1;
  }
  return at;
}

std::set<std::string, std::less<>> words_of(std::string_view text) {
  std::set<std::string, std::less<>> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    const bool part = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (part) word += c;
    if (part || word.empty()) continue;
    words.insert(word);
    word.clear();
  }
  return words;
}

std::string shared_in_region(const Code& code, std::size_t pragma) {
  const auto clauses = words_of(code.text(pragma));
  const std::size_t begin = pragma + 1, end = statement_end(code, begin);
  // what a loop that is divided among threads counts by is private
  std::string_view counter;
  if (code.is(begin, "for") && code.is(begin + 1, "("))
    for (std::size_t i = begin + 2; i < end && !code.is(i, ";"); ++i)
      if (code.is(i + 1, "=")) counter = code.text(i);
  for (std::size_t at = begin; at < end; ++at) {
    if (!code.is_word(at) || !sets(code, at)) continue;
    const std::string_view name = code.text(at);
    if (name == counter || clauses.count(name) > 0) continue;
    const auto declared = [&](std::size_t from, std::size_t to) {
      std::size_t found = kNone;
      for (std::size_t i = from; i < to; ++i)
        if (code.is(i, name) && declares(code, i)) found = i;
      return found;
    };
    if (declared(begin, at) != kNone) continue;
    const std::size_t where = declared(1, pragma);
    if (where == kNone || code.is(where + 1, "[")) continue;
    return fmt::format(
        "{} (line {}) is declared outside of the parallel region of line {}, which sets it in line {}", name,
        line_of(code, where), line_of(code, pragma), line_of(code, at));
  }
  return {};
}

/// A lambda that takes everything by reference, for a thread that is started in a loop.
std::string reference_to_counter(const Code& code, std::size_t loop) {
  const std::size_t open = loop + 1;
  if (!code.is(open, "(") || code.partner(open) == kNone) return {};
  std::string_view counter;
  for (std::size_t i = open + 1; i < code.partner(open) && !code.is(i, ";"); ++i)
    if (code.is(i + 1, "=")) counter = code.text(i);
  const std::size_t end = statement_end(code, loop);
  for (std::size_t at = code.partner(open); !counter.empty() && at + 2 < end; ++at) {
    if (!code.is(at, "[") || !code.is(at + 1, "&")) continue;
    const bool by_name = code.is(at + 2, counter);
    if (!by_name && !code.is(at + 2, "]")) continue;
    std::size_t body = at;
    while (body < end && !code.is(body, "{")) ++body;
    const std::size_t stop = body < end ? code.partner(body) : kNone;
    bool uses = by_name;
    for (std::size_t i = body; stop != kNone && i < stop; ++i) uses = uses || code.is(i, counter);
    if (uses)
      return fmt::format(
          "the lambda of line {} takes {} by reference ([&]), and the loop of line {} goes on changing it",
          line_of(code, at), counter, line_of(code, loop));
  }
  return {};
}

}  // namespace

std::string shared_by_threads(const std::string& source) {
  const Code code(source);
  const bool threads =
      source.find("thread") != std::string::npos || source.find("async") != std::string::npos;
  std::string found;
  for (std::size_t at = 0; at < code.size() && found.empty(); ++at) {
    const auto words = words_of(code.text(at));
    if (code.text(at).front() == '#' && words.count("omp") > 0 && words.count("parallel") > 0)
      found = shared_in_region(code, at);
    if (threads && code.is(at, "for")) found = found.empty() ? reference_to_counter(code, at) : found;
  }
  return found;
}

std::string kept_variables(const std::string& source) {
  const Code code(source);
  std::vector<std::string> found;
  for (std::size_t at = 0; at < code.size() && found.size() < 3; ++at) {
    if (!code.is(at, "__device__") && !code.is(at, "static")) continue;
    std::size_t name = kNone;
    bool constant = false;
    std::size_t i = at + 1;
    for (; i < code.size() && !code.is(i, ";") && !code.is(i, "=") && !code.is(i, "(") && !code.is(i, "[") &&
           !code.is(i, "{");
         ++i) {
      constant = constant || code.is(i, "const") || code.is(i, "constexpr");
      if (code.is_word(i)) name = i;
    }
    if (code.is(i, "(") || constant || name == kNone || code.is(at + 1, "static")) continue;
    found.push_back(fmt::format("{} (line {})", code.text(name), line_of(code, name)));
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

std::string arrays_at_one_address(const std::string& source) {
  const Code code(source);
  std::vector<std::size_t> names;
  for (std::size_t at = 0; at + 3 < code.size(); ++at) {
    if (!code.is(at, "extern") || !code.is(at + 1, "__shared__")) continue;
    std::size_t open = at + 2;
    while (open < code.size() && !code.is(open, "[") && !code.is(open, ";")) ++open;
    if (code.is(open, "[") && code.is_word(open - 1)) names.push_back(open - 1);
  }
  // both in one body
  for (std::size_t begin = 0; begin < code.size(); ++begin) {
    if (!code.is(begin, "{") || code.partner(begin) == kNone) continue;
    std::vector<std::size_t> used;
    for (const std::size_t name : names) {
      bool found = false;
      for (std::size_t i = begin; i < code.partner(begin); ++i)
        found = found || (i != name && code.is(i, code.text(name)));
      const bool other = std::none_of(used.begin(), used.end(),
                                      [&](std::size_t one) { return code.is(one, code.text(name)); });
      if (found && other) used.push_back(name);
    }
    if (used.size() >= 2)
      return fmt::format("{} (line {}) and {} (line {})", code.text(used[0]), line_of(code, used[0]),
                         code.text(used[1]), line_of(code, used[1]));
    if (!code.is(begin - 1, "\"C\"") && !code.is_word(begin - 1)) begin = code.partner(begin);
  }
  return {};
}

std::string unset_sum(const std::string& source) {
  static constexpr std::array<std::string_view, 4> kTypes = {"float", "double", "int", "float4"};
  const Code code(source);
  for (std::size_t at = 2; at + 1 < code.size(); ++at) {
    const bool local = code.is_word(at) && emulation::among(kTypes, code.text(at - 1)) &&
                       (code.is(at - 2, ";") || code.is(at - 2, "{") || code.is(at - 2, "}"));
    std::size_t end = at + 1;
    while (code.is(end, "[") && code.partner(end) != kNone) end = code.partner(end) + 1;
    if (!local || !code.is(end, ";")) continue;
    std::size_t use = end;
    while (use < code.size() && !code.is(use, code.text(at))) ++use;
    std::size_t behind = use + 1;
    while (code.is(behind, "[") && code.partner(behind) != kNone) behind = code.partner(behind) + 1;
    if (code.is(behind, "+") && code.is(behind + 1, "="))
      return fmt::format(
          "{} (line {}) is added to in line {}, and nothing has set it before: it holds what lies there by "
          "chance.",
          code.text(at), line_of(code, at), line_of(code, use));
  }
  return {};
}

int declared_in(const std::string& source, const std::string& name) {
  const Code code(source);
  for (std::size_t at = 1; at < code.size(); ++at)
    if (code.is(at, name) && declares(code, at)) return line_of(code, at);
  return 0;
}

std::string lines_of_sums(const std::string& source) {
  const Code code(source);
  std::set<int> lines;
  for (std::size_t at = 1; at + 1 < code.size(); ++at) {
    const bool sum = code.is(at, "+") && code.is(at + 1, "=") && code[at].end == code[at + 1].begin;
    const bool fused = code.is_word(at) && code.text(at).find("fma") != std::string_view::npos;
    bool product = fused;
    for (std::size_t i = at + 2; sum && i < code.size() && !code.is(i, ";") && !code.is(i, ")"); ++i) {
      product = product || code.is(i, "*") || code.is(i, "(");
      if (code.is(i, "(") && code.partner(i) != kNone) i = code.partner(i);
    }
    if (product && code[at].macro == 0) lines.insert(line_of(code, at));
  }
  if (lines.empty() || lines.size() > 3) return {};
  std::vector<std::string> texts;
  for (const int line : lines) texts.push_back(std::to_string(line));
  if (texts.size() == 1) return "line " + texts[0];
  const std::string last = texts.back();
  texts.pop_back();
  return fmt::format("lines {} and {}", fmt::join(texts, ", "), last);
}

std::string shared_by_threads(const Submission& submission) {
  std::ifstream file(submission.path, std::ios::binary);
  return shared_by_threads(std::string{std::istreambuf_iterator<char>(file), {}});
}

}  // namespace gemmlab::submissions
