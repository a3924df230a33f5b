#include "runner/planning/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <queue>
#include <utility>

#include "core/records/sha256.h"
#include "runner/message_text.h"
#include "runner/planning/estimate.h"
#include "runner/usage_error.h"

namespace fs = std::filesystem;

namespace gemmlab::runner {
namespace {

constexpr int kMostShards = 100000;
constexpr std::size_t kPlanDigits = 16;
constexpr const char* kInfix = ".shard-";
constexpr const char* kOf = "-of-";
constexpr const char* kEnding = ".jsonl";

/// A whole number without sign or blanks, from the start of `text`, which is shortened by it; -1 where there
/// is none.
int take_number(std::string_view& text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.front() == '-') return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Whether the name is that of a results file of the experiment, of any shard or of all.
bool is_results_file(std::string_view name, const std::string& experiment) {
  if (!take_word(name, experiment)) return false;
  if (name == kEnding) return true;
  return take_word(name, kInfix) && take_number(name) >= 0 && take_word(name, kOf) &&
         take_number(name) >= 0 && name == kEnding;
}

/// In whole milliseconds, so that no rounding can tell two machines apart.
std::vector<long long> predicted_ms(const std::vector<Group>& groups) {
  const Estimator model = Estimator::same_everywhere();
  std::vector<long long> costs;
  for (const Group& group : groups)
    costs.push_back(std::llround(1e3 * model.whole(group, group.points).likely_s));
  return costs;
}

/// What tells one way of cutting a plan from another.
std::string plan_id(const Definition& definition, const std::vector<int>& shards) {
  std::string text;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const Group& group = definition.groups[i];
    text += fmt::format("{}\t{}\t{}\t{}\n", group.name, group.instance.operation->name(),
                        to_string(group.instance), shards[i]);
  }
  return sha256(text).substr(0, kPlanDigits);
}

}  // namespace

Shard shard_from(const std::string& text) {
  std::string_view left = text;
  Shard shard;
  shard.index = take_number(left);
  const bool slash = take_word(left, "/");
  shard.count = take_number(left);
  if (!slash || !left.empty() || shard.index < 0 || shard.count > kMostShards || shard.index >= shard.count)
    throw UsageError(
        fmt::format("--shard is '{}'; allowed: I/N with N from 1 to {} and I from 0 to N-1, such as 3/16",
                    clipped(text), kMostShards));
  return shard;
}

std::vector<int> shards_of(const Definition& definition, int count) {
  const std::vector<long long> cost = predicted_ms(definition.groups);
  std::vector<std::size_t> longest_first(cost.size());
  std::iota(longest_first.begin(), longest_first.end(), std::size_t{0});
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](std::size_t a, std::size_t b) { return cost[a] > cost[b]; });
  using Load = std::pair<long long, int>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> least_first;
  for (int shard = 0; shard < count; ++shard) least_first.push({0, shard});
  // where several experiments are run, their longest groups go to different shards
  const int first = static_cast<int>(std::stoul(sha256(definition.name).substr(0, 7), nullptr, 16) %
                                     static_cast<unsigned long>(count));
  std::vector<int> shards(cost.size());
  for (const std::size_t group : longest_first) {
    const auto [load, place] = least_first.top();
    least_first.pop();
    least_first.push({load + cost[group], place});
    shards[group] = (first + place) % count;
  }
  return shards;
}

void keep_shard(Definition& definition, const Shard& shard) {
  const std::vector<int> shards = shards_of(definition, shard.count);
  definition.part = Part{shard, plan_id(definition, shards), definition.point_count()};
  std::vector<Group> groups;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (shards[i] == shard.index) groups.push_back(std::move(definition.groups[i]));
  }
  definition.groups = std::move(groups);
  std::vector<Excluded> excluded;
  for (auto i = static_cast<std::size_t>(shard.index); i < definition.excluded.size();
       i += static_cast<std::size_t>(shard.count))
    excluded.push_back(std::move(definition.excluded[i]));
  definition.excluded = std::move(excluded);
}

std::string results_file_name(const Definition& definition) {
  if (!definition.part) return definition.name + kEnding;
  const auto [index, count] = definition.part->shard;
  return fmt::format("{}{}{:0{}}{}{}{}", definition.name, kInfix, index, std::to_string(count).size(), kOf,
                     count, kEnding);
}

std::vector<std::string> other_results_files(const Definition& definition, const std::string& folder) {
  const std::string own = results_file_name(definition);
  std::vector<std::string> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name != own && is_results_file(name, definition.name) && entry.is_regular_file(none))
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());  // the one of all, which is the older, comes first
  return files;
}

}  // namespace gemmlab::runner
