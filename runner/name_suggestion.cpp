#include "runner/name_suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace gemmlab::runner {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Letters to insert, drop, replace or swap with their neighbour until one word is the other.
std::size_t distance(const std::string& one, const std::string& other) {
  std::vector<std::vector<std::size_t>> steps(one.size() + 1, std::vector<std::size_t>(other.size() + 1));
  for (std::size_t i = 0; i <= one.size(); ++i) {
    for (std::size_t j = 0; j <= other.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      const bool same = one[i - 1] == other[j - 1];
      steps[i][j] =
          std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[one.size()][other.size()];
}

constexpr std::size_t kLongest = 64;  // no name is longer

std::size_t distance_to_name(const std::string& word, const std::string& name) {
  const bool bare = word.find('.') == std::string::npos;
  return distance(lower(word), lower(bare ? name.substr(name.find('.') + 1) : name));
}

}  // namespace

std::string guess(const std::string& word, const std::vector<std::string>& names) {
  if (word.empty() || word.size() > kLongest) return "";
  std::size_t least = std::max<std::size_t>(1, word.size() / 4) + 1;
  const std::string* best = nullptr;
  for (const std::string& name : names) {
    if (const std::size_t steps = distance_to_name(word, name); steps < least) {
      least = steps;
      best = &name;
    }
  }
  return best == nullptr ? "" : fmt::format(" (did you mean '{}'?)", *best);
}

std::vector<std::string> nearest(const std::string& word, const std::vector<std::string>& names,
                                 std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> by_distance;
  for (const std::string& name : names)
    by_distance.emplace_back(distance_to_name(word.substr(0, kLongest), name), name);
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<std::string> found;
  for (std::size_t i = 0; i < std::min(most, by_distance.size()); ++i) found.push_back(by_distance[i].second);
  return found;
}

}  // namespace gemmlab::runner
