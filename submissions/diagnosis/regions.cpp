#include "submissions/diagnosis/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "submissions/diagnosis/repeats.h"
#include "submissions/diagnosis/words.h"

namespace gemmlab::submissions {
namespace {

/// The set elements of a mask, and the smallest rectangle round them.
struct Set {
  Set(const Mask& of_mask, std::int64_t of_rows, std::int64_t of_cols, bool of)
      : mask(of_mask), rows(of_rows), cols(of_cols), top(of_rows), left(of_cols) {
    for (std::int64_t e = 0; e < rows * cols; ++e) {
      if (static_cast<bool>(mask[e]) != of) continue;
      ++count;
      top = std::min(top, e / cols);
      bottom = std::max(bottom, e / cols);
      left = std::min(left, e % cols);
      right = std::max(right, e % cols);
    }
  }
  std::int64_t box() const { return (bottom - top + 1) * (right - left + 1); }

  const Mask& mask;
  std::int64_t rows, cols;
  std::int64_t count = 0;
  std::int64_t top, bottom = 0, left, right = 0;  ///< inclusive
};

/// One of C's two directions, so that rows and columns are described by the same code.
struct Direction {
  const char* line;  ///< "row"
  const char* lines;
  const char* size_name;     ///< "M"
  std::int64_t size;         ///< rows there are
  std::int64_t across;       ///< elements a row has
  std::int64_t first, last;  ///< of the set
};

Direction down(const Set& set) {
  return {"row", "rows", "M", set.rows, set.cols, set.top, set.bottom};
}
Direction along(const Set& set) {
  return {"column", "columns", "K", set.cols, set.rows, set.left, set.right};
}

/// The tiles that leave `size - first` over, as "16 or 32"; "" where none does.
std::string tiles_ending_at(std::int64_t first, std::int64_t size, std::int64_t smallest = 4) {
  std::vector<std::string> names;
  for (const std::int64_t tile : {4, 8, 16, 32, 64, 128}) {
    if (tile >= smallest && size % tile != 0 && size / tile * tile == first && first > 0)
      names.push_back(std::to_string(tile));
  }
  return listed(names, "or");
}

/// A sentence on which dimensions have this size, in the student's words; "" where none has.
std::string dimension_note(std::int64_t first, const Direction& d, const Shape& shape) {
  std::vector<std::string> names;
  if (shape.m == first) names.emplace_back("M");
  if (shape.k == first) names.emplace_back("N");
  if (shape.n == first) names.emplace_back("K");
  if (names.empty()) return "";
  return fmt::format("{} is {} here: see whether it stands where {} must.", listed(names, "and"), first,
                     d.size_name);
}

std::optional<Region> one_line(const Set& set, const Direction& d) {
  if (d.first != d.last || d.size == 1) return std::nullopt;
  const bool whole = 2 * set.count >= d.across;
  const char* part = whole ? "" : "part of ";
  if (d.last + 1 < d.size) {
    return Region{fmt::format("{}-range", d.line), fmt::format("{}{} {}", part, d.line, d.first),
                  fmt::format("Look at what is special about {} {}.", d.line, d.first)};
  }
  Region region{fmt::format("last-{}", d.line),
                fmt::format("{}the last {} ({} {})", part, d.line, d.line, d.last),
                fmt::format("The loop or guard over {} must include {}: < {}, not < {}-1.", d.lines, d.last,
                            d.size_name, d.size_name)};
  const std::string tiles = tiles_ending_at(d.first, d.size, 8);
  if (!tiles.empty()) {
    region.hint +=
        fmt::format(" Or only whole tiles are done: {} is the last multiple of {}.", d.first, tiles);
  }
  return region;
}

std::optional<Region> band(const Set& set, const Direction& d, const Shape& shape) {
  const std::int64_t elements = (d.last - d.first + 1) * d.across;
  if (d.last - d.first + 1 == d.size || 4 * set.count < 3 * elements) return std::nullopt;
  if (d.last + 1 < d.size) {
    return Region{fmt::format("{}-range", d.line), fmt::format("{} {} to {}", d.lines, d.first, d.last),
                  fmt::format("Look at which thread, block or step of a loop is to do these {}.", d.lines)};
  }
  const std::string phrase =
      fmt::format("the {} from {} on (of {}={})", d.lines, d.first, d.size_name, d.size);
  const std::string tiles = tiles_ending_at(d.first, d.size);
  const std::string note = dimension_note(d.first, d, shape);
  if (tiles.empty()) {
    return Region{fmt::format("{}-range", d.line), phrase,
                  note.empty()
                      ? fmt::format("The loop{{gpu: or grid}} over {} must reach {}.", d.lines, d.size_name)
                      : note};
  }
  Region region{
      fmt::format("edge-{}", d.lines), phrase,
      fmt::format("{} is the last multiple of {}: the {} beyond whole tiles are treated wrongly. Round the "
                  "number of tiles up, ({} + T - 1) / T, and guard reads and writes in the last one.",
                  d.first, tiles, d.lines, d.size_name)};
  if (!note.empty()) region.hint += " " + note;
  return region;
}

/// Rows and columns beyond whole tiles at once.
std::optional<Region> edges(const Set& set) {
  for (const std::int64_t tile : {128, 64, 32, 16, 8, 4}) {
    const std::int64_t rows = set.rows / tile * tile;
    const std::int64_t cols = set.cols / tile * tile;
    if (rows == set.rows || cols == set.cols || rows == 0 || cols == 0) continue;
    std::int64_t inside = 0;
    for (std::int64_t e = 0; e < set.rows * set.cols; ++e) {
      if (e / set.cols < rows && e % set.cols < cols) inside += set.mask[e];
    }
    if (inside > 0 || 4 * set.count < 3 * (set.rows * set.cols - rows * cols)) continue;
    return Region{
        "edges", fmt::format("the rows from {} on and the columns from {} on", rows, cols),
        fmt::format("Both are multiples of {}: only whole tiles are done rightly. Round the number of tiles "
                    "up, (M + T - 1) / T and (K + T - 1) / T, and guard reads and writes at the edges.",
                    tile)};
  }
  return std::nullopt;
}

std::optional<Region> linear_tail(const Set& set) {
  const std::int64_t total = set.rows * set.cols;
  const auto first = std::find(set.mask.begin(), set.mask.end(), 1) - set.mask.begin();
  // From the start of a row on, it is rows.
  if (first % set.cols < 2 || first < set.cols || 20 * set.count < 19 * (total - first)) return std::nullopt;
  return Region{"tail-of-c",
                fmt::format("all elements from C[{}][{}] on (linear index {} of {})", first / set.cols,
                            first % set.cols, first, total),
                "Too few threads, blocks or steps for M*K elements: round their number up."};
}

std::optional<Region> rectangle(const Set& set) {
  if (set.count < 4 || 4 * set.count < 3 * set.box()) return std::nullopt;
  return Region{"rectangle",
                fmt::format("rows {} to {}, columns {} to {}", set.top, set.bottom, set.left, set.right),
                "Look at which block or tile does this part of C, and at what is special about it."};
}

std::optional<Region> outside_rectangle(const Set& set) {
  const Set clear(set.mask, set.rows, set.cols, false);
  if (clear.count < 4 || clear.count < clear.box()) return std::nullopt;
  return Region{
      "rectangle",
      fmt::format("all but rows {} to {} of columns {} to {}", clear.top, clear.bottom, clear.left,
                  clear.right),
      "Only this part is done rightly: the loops{gpu:, or the grid,} must cover M rows and K columns."};
}

std::optional<Region> triangle(const Set& set) {
  if (set.count < 6 || std::min(set.rows, set.cols) < 4) return std::nullopt;
  std::int64_t above = 0, below = 0, on = 0, above_all = 0, below_all = 0;
  for (std::int64_t e = 0; e < set.rows * set.cols; ++e) {
    const std::int64_t row = e / set.cols, col = e % set.cols;
    (col > row ? above : col < row ? below : on) += set.mask[e];
    above_all += col > row;
    below_all += col < row;
  }
  const char* hint = "Look for a comparison or an index that mixes rows with columns.";
  if (above + below == 0) return Region{"triangle", "the diagonal", hint};
  if (below == 0 && 10 * above >= 9 * above_all)
    return Region{"triangle", "the part above the diagonal", hint};
  if (above == 0 && 10 * below >= 9 * below_all)
    return Region{"triangle", "the part below the diagonal", hint};
  if (on == 0 && 10 * (above + below) >= 9 * (above_all + below_all)) {
    return Region{"triangle", "all but the diagonal", hint};
  }
  return std::nullopt;
}

Region one_element(const Set& set) {
  const std::string phrase = fmt::format("C[{}][{}] alone", set.top, set.left);
  if (set.top + 1 == set.rows && set.left + 1 == set.cols) {
    return {"last-element", phrase + ", the last element",
            "The last of all elements: a loop or guard over M*K elements must include M*K-1."};
  }
  return {"single-element", phrase,
          "One element of C only: look at which thread or step writes it, and who else does."};
}

}  // namespace

Region region_of(const Mask& mask, const Shape& shape) {
  const Set set(mask, shape.m, shape.n, true);
  if (set.count == set.rows * set.cols) return {"", "all of C", ""};
  if (set.count == 1) return one_element(set);
  std::optional<Region> found;
  for (const Direction& d : {down(set), along(set)}) {
    if ((found = one_line(set, d))) return *found;
  }
  if ((found = linear_tail(set))) return *found;
  if ((found = triangle(set))) return *found;
  for (const Direction& d : {down(set), along(set)}) {
    if ((found = band(set, d, shape))) return *found;
  }
  if ((found = edges(set))) return *found;
  if ((found = stripes_of(mask, set.rows, set.cols))) return *found;
  if ((found = rectangle(set)) && set.box() < set.rows * set.cols) return *found;
  if ((found = outside_rectangle(set))) return *found;
  if ((found = tiles_of(mask, set.rows, set.cols))) return *found;
  return {"", fmt::format("{} of {} elements, in no pattern that is known", set.count, set.rows * set.cols),
          ""};
}

}  // namespace gemmlab::submissions
