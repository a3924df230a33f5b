#include "submissions/diagnosis/repeats.h"

#include <fmt/format.h>

#include <algorithm>

namespace gemmlab::submissions {
namespace {

/// "3", "8 to 15", or "" where the set residues are not neighbours.
std::string residues_in_words(const std::vector<std::uint8_t>& set) {
  const auto first = std::find(set.begin(), set.end(), 1);
  const auto end = std::find(first, set.end(), 0);
  if (std::find(end, set.end(), 1) != set.end()) return "";
  const auto low = first - set.begin();
  const auto high = end - set.begin() - 1;
  return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
}

/// The smallest stride for which some of the lines' remainders are struck and the others clear. `struck`
/// counts the set elements per line, `length` is the number of elements per line.
std::optional<Region> stripes_among(const std::vector<std::int64_t>& struck, std::int64_t length,
                                    const char* line, const char* lines) {
  const auto count = static_cast<std::int64_t>(struck.size());
  for (std::int64_t step = 2; step <= std::min<std::int64_t>(64, count / 2); ++step) {
    std::vector<std::uint8_t> residues(static_cast<std::size_t>(step));
    for (std::int64_t i = 0; i < count; ++i) residues[i % step] |= struck[i] > 0;
    std::int64_t expected = 0;
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (residues[i % step]) expected += length;
      found += struck[i];
    }
    if (expected == count * length || 4 * found < 3 * expected) continue;
    const std::string which = residues_in_words(residues);
    if (which.empty()) continue;
    const bool alternate = step == 2;
    return Region{
        "stripes",
        alternate ? fmt::format("every other {} (the {} ones)", line, which == "0" ? "even" : "odd")
                  : fmt::format("the {} whose number divided by {} leaves {}", lines, step, which),
        fmt::format("Every group of {} {} is treated alike: look at what each of {} threads (or steps of an "
                    "unrolled loop, or lanes of a vector) does, and which of them writes.",
                    step, lines, step)};
  }
  return std::nullopt;
}

struct StruckTiles {
  std::int64_t down, across;
  Mask struck;
  std::int64_t count = 0;     ///< struck
  std::int64_t elements = 0;  ///< in those
};

StruckTiles tiles_struck(const Mask& mask, std::int64_t rows, std::int64_t cols, std::int64_t tile) {
  StruckTiles tiles{(rows + tile - 1) / tile, (cols + tile - 1) / tile, {}};
  tiles.struck.resize(static_cast<std::size_t>(tiles.down * tiles.across));
  for (std::int64_t e = 0; e < rows * cols; ++e) {
    if (mask[e]) tiles.struck[e / cols / tile * tiles.across + e % cols / tile] = 1;
  }
  for (std::int64_t e = 0; e < rows * cols; ++e) {
    tiles.elements += tiles.struck[e / cols / tile * tiles.across + e % cols / tile];
  }
  tiles.count = std::count(tiles.struck.begin(), tiles.struck.end(), 1);
  return tiles;
}

/// Are exactly those tiles struck for which `rule` holds?
template <typename Rule>
bool follows(const StruckTiles& tiles, Rule rule) {
  for (std::int64_t i = 0; i < tiles.down; ++i) {
    for (std::int64_t j = 0; j < tiles.across; ++j) {
      if (static_cast<bool>(tiles.struck[i * tiles.across + j]) != rule(i, j)) return false;
    }
  }
  return true;
}

std::string which_tiles(const StruckTiles& tiles) {
  if (follows(tiles, [](auto i, auto j) { return (i + j) % 2 == 1; })) return ", in a checkerboard";
  if (follows(tiles, [](auto i, auto j) { return (i + j) % 2 == 0; })) return ", in a checkerboard";
  if (follows(tiles, [](auto i, auto j) { return i == j; })) return ", those on the diagonal";
  if (follows(tiles, [](auto i, auto j) { return i != j; })) return ", those off the diagonal";
  if (follows(tiles, [](auto i, auto j) { return i > 0 || j > 0; })) return ", all but the first";
  return "";
}

}  // namespace

std::optional<Region> stripes_of(const Mask& mask, std::int64_t rows, std::int64_t cols) {
  std::vector<std::int64_t> by_row(static_cast<std::size_t>(rows));
  std::vector<std::int64_t> by_col(static_cast<std::size_t>(cols));
  for (std::int64_t e = 0; e < rows * cols; ++e) {
    by_row[e / cols] += mask[e];
    by_col[e % cols] += mask[e];
  }
  if (auto region = stripes_among(by_row, cols, "row", "rows")) return region;
  return stripes_among(by_col, rows, "column", "columns");
}

std::optional<Region> tiles_of(const Mask& mask, std::int64_t rows, std::int64_t cols) {
  const auto set = static_cast<std::int64_t>(std::count(mask.begin(), mask.end(), 1));
  for (const std::int64_t tile : {128, 64, 32, 16, 8, 4}) {
    if (rows < tile || cols < tile) continue;
    const StruckTiles tiles = tiles_struck(mask, rows, cols, tile);
    const std::int64_t all = tiles.down * tiles.across;
    if (all < 4 || tiles.count == all || 10 * set < 9 * tiles.elements) continue;
    return Region{
        "tile-pattern",
        fmt::format("{} of the {} tiles of {}×{}{}", tiles.count, all, tile, tile, which_tiles(tiles)),
        "Whole tiles are wrong or right: look at how {gpu:a block finds its tile, how many blocks are "
        "launched, and at anything that blocks or threads share}{cpu:the loops over tiles count, and at "
        "anything that threads share}."};
  }
  return std::nullopt;
}

}  // namespace gemmlab::submissions
