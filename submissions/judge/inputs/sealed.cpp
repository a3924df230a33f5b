#include "submissions/judge/inputs/sealed.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace gemmlab::submissions {
namespace {

/// One group of 243 leaves to one seal; what is missing at the end of the words is zeros.
Seal group_of(const std::uint32_t* words, std::int64_t count, std::int64_t group, std::uint32_t level) {
  std::vector<Seal> nodes(kSealLeaves);
  std::uint32_t leaf[kLeafWords];
  for (int i = 0; i < kSealLeaves; ++i) {
    const std::int64_t first = group * kGroupWords + std::int64_t{i} * kLeafWords;
    const std::int64_t there = std::clamp<std::int64_t>(count - first, 0, kLeafWords);
    std::fill(std::begin(leaf), std::end(leaf), 0);
    if (there > 0) std::memcpy(leaf, words + first, static_cast<std::size_t>(there) * sizeof *leaf);
    nodes[static_cast<std::size_t>(i)] = sealed_node(leaf, level, kSealLeaves);
  }
  for (std::uint32_t width = kSealLeaves / 3; width >= 1; width /= 3) {
    for (std::uint32_t i = 0; i < width; ++i) {
      std::memcpy(leaf, nodes.data() + 3 * std::size_t{i}, sizeof leaf);
      nodes[i] = sealed_node(leaf, level, width);
    }
  }
  return nodes.front();
}

std::vector<Seal> groups_of(const std::uint32_t* words, std::int64_t count, std::uint32_t level) {
  const std::int64_t groups = (count + kGroupWords - 1) / kGroupWords;
  std::vector<Seal> seals(static_cast<std::size_t>(groups));
#pragma omp parallel for schedule(static) if (groups > kSealLeaves)
  for (std::int64_t group = 0; group < groups; ++group)
    seals[static_cast<std::size_t>(group)] = group_of(words, count, group, level);
  return seals;
}

}  // namespace

Seal seal_of(const float* c, std::int64_t count, const WindowKey& key, const Seal& previous) {
  static_assert(sizeof(Seal) == 4 * sizeof(std::uint32_t) && sizeof(float) == sizeof(std::uint32_t));
  std::vector<std::uint32_t> words(static_cast<std::size_t>(count));
  std::memcpy(words.data(), c, words.size() * sizeof(std::uint32_t));
  std::vector<Seal> seals = groups_of(words.data(), count, 0);
  for (std::uint32_t level = 1; seals.size() > 1; ++level) {
    words.resize(4 * seals.size());
    std::memcpy(words.data(), seals.data(), words.size() * sizeof(std::uint32_t));
    seals = groups_of(words.data(), static_cast<std::int64_t>(words.size()), level);
  }
  return sealed_root(seals.front(), key, previous, count);
}

}  // namespace gemmlab::submissions
