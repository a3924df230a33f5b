#include "operations/spmv/pattern.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/inputs/inputs.h"

namespace gemmlab::sparse {
namespace {

constexpr const char* kNames[] = {"uniform", "banded", "blocks", "powerlaw"};
constexpr std::uint32_t kColumnStream = 3;  // 1 and 2 are those of the values and of x

/// Share `part` of `total` things in `parts` shares as equal as can be, the first ones larger.
struct Share {
  std::int64_t first;
  std::int64_t count;
};
Share share(std::int64_t total, std::int64_t parts, std::int64_t part) {
  const std::int64_t each = total / parts;
  const std::int64_t more = total % parts;
  return {part * each + std::min(part, more), each + (part < more ? 1 : 0)};
}

std::int64_t below(std::uint64_t bits, std::int64_t limit) {
  return static_cast<std::int64_t>(((bits >> 32) * static_cast<std::uint64_t>(limit)) >> 32);
}

/// A number without a common factor with m, near the golden section of it: its multiples scatter.
std::int64_t scattering(std::int64_t m) {
  std::int64_t step =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(0.6180339887 * static_cast<double>(m)));
  while (std::gcd(step, m) != 1) ++step;
  return step;
}

/// k^(-3/4), by operations that IEEE 754 rounds correctly.
double weight(std::int64_t k) {
  const auto x = static_cast<double>(k);
  return 1 / std::sqrt(x * std::sqrt(x));
}

std::vector<std::int32_t> powerlaw_lengths(std::int64_t m, std::int64_t n, std::int64_t nnz) {
  double all = 0;
  for (std::int64_t rank = 1; rank <= m; ++rank) all += weight(rank);
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(m) + 1, 0);
  const std::int64_t step = scattering(m);
  double so_far = 0;
  std::int64_t placed = 0;
  for (std::int64_t rank = 1; rank <= m; ++rank) {
    so_far += weight(rank);
    const double due = static_cast<double>(nnz) * (so_far / all);
    // what a full row cannot take goes to the next ones: lengths fall, so there is room
    std::int64_t length = (rank == m ? nnz : static_cast<std::int64_t>(due)) - placed;
    length = std::min(length, n);
    placed += length;
    lengths[static_cast<std::size_t>(rank % m * step % m) + 1] = static_cast<std::int32_t>(length);
  }
  return lengths;
}

}  // namespace

std::vector<std::string> pattern_names() {
  return {std::begin(kNames), std::end(kNames)};
}

Pattern pattern_from(const std::string& name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found != std::end(kNames)) return static_cast<Pattern>(found - std::begin(kNames));
  throw std::invalid_argument("unknown pattern '" + name + "'; allowed: uniform, banded, blocks, powerlaw");
}

GeneratedRows::GeneratedRows(Pattern pattern, std::int64_t m, std::int64_t n, std::int64_t nnz,
                             std::uint64_t seed)
    : pattern_(pattern), m_(m), n_(n), seed_(seed) {
  if (pattern == Pattern::kPowerlaw) {
    offsets_ = powerlaw_lengths(m, n, nnz);
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    return;
  }
  offsets_.resize(static_cast<std::size_t>(m) + 1);
  for (std::int64_t row = 0; row <= m; ++row) {
    offsets_[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(share(nnz, m, row).first);
  }
}

void GeneratedRows::columns(std::int64_t row, std::int32_t* to) const {
  const auto at = static_cast<std::size_t>(row);
  const std::int64_t length = offsets_[at + 1] - offsets_[at];
  if (length == 0) return;
  switch (pattern_) {
    case Pattern::kUniform:
    case Pattern::kPowerlaw:
      return spread(row, length, to);
    case Pattern::kBanded:
      return band(row, length, to);
    case Pattern::kBlocks:
      return runs(row, length, to);
  }
}

void GeneratedRows::spread(std::int64_t row, std::int64_t length, std::int32_t* to) const {
  const std::int64_t first = offsets_[static_cast<std::size_t>(row)];
  for (std::int64_t i = 0; i < length; ++i) {
    const Share stretch = share(n_, length, i);
    to[i] = static_cast<std::int32_t>(stretch.first +
                                      below(hashed(seed_, kColumnStream, first + i), stretch.count));
  }
}

void GeneratedRows::band(std::int64_t row, std::int64_t length, std::int32_t* to) const {
  const std::int64_t centre = row * n_ / m_;
  const std::int64_t start = std::clamp<std::int64_t>(centre - length / 2, 0, n_ - length);
  for (std::int64_t i = 0; i < length; ++i) to[i] = static_cast<std::int32_t>(start + i);
}

void GeneratedRows::runs(std::int64_t row, std::int64_t length, std::int32_t* to) const {
  // a name for the rows that share their blocks: the place of their first entry
  const std::int64_t name = offsets_[static_cast<std::size_t>(row / kBlock * kBlock)];
  const std::int64_t count = (length + kBlock - 1) / kBlock;
  for (std::int64_t i = 0; i < count; ++i) {
    const Share entries = share(length, count, i);
    const Share stretch = share(n_, count, i);
    const std::int64_t start =
        stretch.first + below(hashed(seed_, kColumnStream, name + i), stretch.count - entries.count + 1);
    for (std::int64_t j = 0; j < entries.count; ++j) {
      to[entries.first + j] = static_cast<std::int32_t>(start + j);
    }
  }
}

std::shared_ptr<const GeneratedRows> generated_rows(Pattern pattern, std::int64_t m, std::int64_t n,
                                                    std::int64_t nnz, std::uint64_t seed) {
  using Key = std::tuple<Pattern, std::int64_t, std::int64_t, std::int64_t, std::uint64_t>;
  static std::mutex mutex;
  static std::pair<Key, std::shared_ptr<const GeneratedRows>> kept;
  const Key key{pattern, m, n, nnz, seed};
  const std::lock_guard lock(mutex);
  if (!kept.second || kept.first != key)
    kept = {key, std::make_shared<const GeneratedRows>(pattern, m, n, nnz, seed)};
  return kept.second;
}

}  // namespace gemmlab::sparse
