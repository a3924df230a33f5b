#include "submissions/diagnosis/indexing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "submissions/diagnosis/words.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

enum Dim { kM, kN, kK };
constexpr std::array<Dim, 3> kDims = {kM, kN, kK};
constexpr const char* kDimNames[] = {"M", "N", "K"};
constexpr int kFarFetched = 4;

using Sizes = SolveSizes;

/// Where one matrix is thought to keep element (i, j): at i*stride + j, or at j*stride + i.
struct Layout {
  bool swapped = false;
  Dim stride = kM;

  std::int64_t at(std::int64_t i, std::int64_t j, const Sizes& sizes) const {
    return swapped ? j * sizes[stride] + i : i * sizes[stride] + j;
  }
  /// Is that where a row-major matrix has it, for all elements?
  bool is_right(std::int64_t rows, std::int64_t cols, const Sizes& sizes) const {
    if (!swapped) return sizes[stride] == cols || rows == 1;
    return cols == 1 || (rows == 1 && sizes[stride] == 1);
  }
};

/// A triple loop: how far each loop runs, and where it thinks the elements are.
struct Loops {
  Dim rows = kM, inner = kN, cols = kK;
  Layout a{false, kN}, b{false, kK}, c{false, kK};
  int cost = 0;            ///< mistakes needed
  bool reordered = false;  ///< one mistake: the dimensions in another order

  bool is_right(const Sizes& s) const {
    return s[rows] == s[kM] && s[inner] == s[kN] && s[cols] == s[kK] && a.is_right(s[kM], s[kN], s) &&
           b.is_right(s[kN], s[kK], s) && c.is_right(s[kM], s[kK], s);
  }
};

/// The loops run with the sizes of the evidence.
class Replay {
 public:
  Replay(const Facts& facts, const Loops& loops)
      : facts_(facts), loops_(loops), sizes_(solve_sizes(facts.evidence.shape)) {}

  Match operator()(std::int64_t element) const {
    // C's element (i, j) for i outer, j within, whichever of the two is the row.
    const std::int64_t stride = sizes_[loops_.c.stride];
    const std::int64_t outer = sizes_[loops_.c.swapped ? loops_.cols : loops_.rows];
    const std::int64_t within = sizes_[loops_.c.swapped ? loops_.rows : loops_.cols];
    const std::int64_t last = std::min(outer - 1, element / stride);
    const std::int64_t first = element < within ? 0 : (element - within) / stride + 1;
    if (first > last) return has_bits(facts_.c[element], kPoisonC) ? Match::kAlsoRight : Match::kNo;
    // Where rows overlap, the last one to be written stays, or, in parallel, any of a few.
    for (std::int64_t i = last; i >= std::max(first, last - 2); --i) {
      const std::int64_t j = element - i * stride;
      const Match here = loops_.c.swapped ? term_sum(element, j, i) : term_sum(element, i, j);
      if (here != Match::kNo) return here;
      if (last - first > 2) break;
    }
    return Match::kNo;
  }

 private:
  Match term_sum(std::int64_t element, std::int64_t row, std::int64_t col) const {
    const std::int64_t terms = sizes_[loops_.inner];
    const auto& a = facts_.evidence.a;
    const auto& b = facts_.evidence.b;
    const auto a_count = static_cast<std::int64_t>(a.size());
    const auto b_count = static_cast<std::int64_t>(b.size());
    // Indices grow with the term, so the last one tells whether all are inside.
    if (loops_.a.at(row, terms - 1, sizes_) >= a_count) return Match::kUnknown;
    if (loops_.b.at(terms - 1, col, sizes_) >= b_count) return Match::kUnknown;
    double sum = 0;
    for (std::int64_t inner = 0; inner < terms; ++inner) {
      sum += static_cast<double>(a[loops_.a.at(row, inner, sizes_)]) *
             static_cast<double>(b[loops_.b.at(inner, col, sizes_)]);
    }
    return match(facts_, element, sum);
  }

  const Facts& facts_;
  const Loops& loops_;
  Sizes sizes_;
};

/// A mistake, or none: values that agree here count as none, since they change nothing here.
struct Choice {
  Dim dim;
  int cost;
};
std::vector<Choice> choices(Dim right, const Sizes& sizes, int cost_if_right = 0) {
  std::vector<Choice> all{{right, cost_if_right}};
  for (const Dim dim : kDims) {
    if (sizes[dim] != sizes[right]) all.push_back({dim, cost_if_right + 1});
  }
  return all;
}

/// Places for a matrix of rows×cols: row-major (stride cols) or swapped (stride rows), each with other
/// strides.
std::vector<std::pair<Layout, int>> layouts(Dim rows, Dim cols, const Sizes& sizes) {
  std::vector<std::pair<Layout, int>> all;
  for (const Choice& choice : choices(cols, sizes)) all.push_back({{false, choice.dim}, choice.cost});
  for (const Choice& choice : choices(rows, sizes, 1)) all.push_back({{true, choice.dim}, choice.cost});
  return all;
}

void add_other_orders(std::vector<Loops>& all, const Sizes& s) {
  constexpr std::array<std::array<Dim, 3>, 5> kOrders = {
      {{kM, kK, kN}, {kN, kM, kK}, {kK, kN, kM}, {kN, kK, kM}, {kK, kM, kN}}};
  for (const auto& [rows, inner, cols] : kOrders) {
    Loops loops{rows, inner, cols, {false, inner}, {false, cols}, {false, cols}, 1, true};
    if (!(s[rows] == s[kM] && s[inner] == s[kN])) all.push_back(loops);
  }
}

std::vector<Loops> all_loops(const Sizes& sizes) {
  std::vector<Loops> all;
  add_other_orders(all, sizes);
  for (const auto& [a, a_cost] : layouts(kM, kN, sizes)) {
    for (const auto& [b, b_cost] : layouts(kN, kK, sizes)) {
      for (const auto& [c, c_cost] : layouts(kM, kK, sizes)) {
        for (const Choice& inner : choices(kN, sizes)) {
          for (const Choice& rows : choices(kM, sizes)) {
            for (const Choice& cols : choices(kK, sizes)) {
              // All three swapped is one mistake: the order of storage.
              int cost = a_cost + b_cost + c_cost + inner.cost + rows.cost + cols.cost;
              if (a.swapped && b.swapped && c.swapped) cost -= 2;
              if (cost < 1 || cost > kFarFetched) continue;
              all.push_back({rows.dim, inner.dim, cols.dim, a, b, c, cost, false});
            }
          }
        }
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Loops& x, const Loops& y) { return x.cost < y.cost; });
  return all;
}

/// "K", or "M or K (both 32 here)".
std::string name_of(Dim dim, const Sizes& sizes) {
  std::vector<std::string> names{kDimNames[dim]};
  for (const Dim other : kDims) {
    if (other != dim && sizes[other] == sizes[dim]) names.emplace_back(kDimNames[other]);
  }
  if (names.size() == 1) return names[0];
  return fmt::format("{} ({} here)", listed(names, "or"), sizes[dim]);
}

std::string place(char matrix, const char* i, const char* j, const Layout& layout) {
  const char* stride = kDimNames[layout.stride];
  return layout.swapped ? fmt::format("{}[{}*{} + {}]", matrix, j, stride, i)
                        : fmt::format("{}[{}*{} + {}]", matrix, i, stride, j);
}

struct Wording {
  std::vector<std::string> seen;  ///< clauses after "as if"
  std::vector<std::string> todo;  ///< sentences
};

void word_extent(Wording& words, const char* loop, Dim is, Dim should, const Sizes& sizes) {
  if (sizes[is] == sizes[should]) return;
  words.seen.push_back(
      fmt::format("the {} ran to {} instead of {}", loop, name_of(is, sizes), kDimNames[should]));
  words.todo.push_back(
      fmt::format("the {} must run to {}, which is {} here", loop, kDimNames[should], sizes[should]));
}

void word_layout(Wording& words, char matrix, Dim rows, Dim cols, const Layout& layout, const Sizes& sizes) {
  const bool inner_rows = rows == kN;
  const bool inner_cols = cols == kN;
  const char* i = inner_rows ? "inner" : "row";
  const char* j = inner_cols ? "inner" : "col";
  const bool stride_right = sizes[layout.stride] == sizes[layout.swapped ? rows : cols];
  if (!layout.swapped && stride_right) return;
  if (layout.swapped && stride_right) {
    words.seen.push_back(fmt::format("{} were stored transposed", matrix));
  } else if (layout.swapped) {
    words.seen.push_back(fmt::format("row and column of {} were swapped", matrix));
  } else {
    words.seen.push_back(fmt::format("{} had rows of {} elements instead of {}", matrix,
                                     name_of(layout.stride, sizes), kDimNames[cols]));
  }
  words.todo.push_back(fmt::format("{} is {}×{} and row-major, so its element is {}, but {} is what fits",
                                   matrix, kDimNames[rows], kDimNames[cols],
                                   place(matrix, i, j, {false, cols}), place(matrix, i, j, layout)));
}

std::string pattern_of(const Loops& loops) {
  const int swapped = loops.a.swapped + loops.b.swapped + loops.c.swapped;
  if (swapped == 0) return "wrong-dimension";
  if (swapped == 3) return "column-major";
  if (loops.c.swapped) return "transposed-result";
  if (swapped == 2) return "transposed-operands";
  return loops.a.swapped ? "transposed-a" : "transposed-b";
}

void word_column_major(Finding& finding, bool square) {
  finding.what = "C is what comes out when A, B and C are taken to be stored column by column";
  if (square) finding.what += ", which for squares is B·A in place of A·B";
  finding.hint =
      "All three matrices are row-major: A[row*N + inner], B[inner*K + col], C[row*K + col]. A library that "
      "expects columns (cuBLAS, Fortran) needs A and B exchanged, together with M and K.";
}

Finding word(const Loops& loops, const Sizes& sizes) {
  Finding finding;
  finding.pattern = pattern_of(loops);
  finding.rank = loops.cost;
  finding.right_at = [loops](const Shape& shape) { return loops.is_right(solve_sizes(shape)); };
  if (finding.pattern == "column-major" && loops.cost == 1) {
    word_column_major(finding, sizes[kM] == sizes[kN] && sizes[kN] == sizes[kK]);
    return finding;
  }
  if (loops.reordered) {
    finding.what = fmt::format(
        "C is what comes out when the sizes are taken to be {} rows, {} terms in each sum and {} columns",
        kDimNames[loops.rows], kDimNames[loops.inner], kDimNames[loops.cols]);
    finding.hint =
        "Check which of M, N, K is which: A is M×N, B is N×K, C is M×K, so N is the inner dimension here{N:, "
        "while BLAS calls the inner one K}.";
    return finding;
  }
  Wording words;
  word_extent(words, "sum over the inner dimension", loops.inner, kN, sizes);
  word_extent(words, "loop over rows", loops.rows, kM, sizes);
  word_extent(words, "loop over columns", loops.cols, kK, sizes);
  word_layout(words, 'A', kM, kN, loops.a, sizes);
  word_layout(words, 'B', kN, kK, loops.b, sizes);
  word_layout(words, 'C', kM, kK, loops.c, sizes);
  finding.what = finding.pattern == "transposed-result" && loops.cost == 1
                     ? "C holds the right product, but transposed"
                     : "C is computed as if " + listed(words.seen, "and");
  finding.hint = capitalised(listed(words.todo, "and", "; ")) + ".";
  return finding;
}

/// So many hypotheses are tried that a few elements fit one of them by chance.
std::int64_t needed(int cost) {
  return cost == 1 ? 3 : cost == 2 ? 5 : 8;
}

}  // namespace

std::vector<Finding> indexing_findings(const Facts& facts) {
  const Sizes sizes = solve_sizes(facts.evidence.shape);
  std::vector<Finding> findings;
  int best = kFarFetched;
  for (const Loops& loops : all_loops(sizes)) {
    if (findings.size() == 16 || loops.cost > best) break;
    const std::int64_t found = telling(facts.probes, Replay(facts, loops));
    if (found < needed(loops.cost)) continue;
    best = std::min(best, loops.cost + 1);
    findings.push_back(word(loops, sizes));
    findings.back().telling = found;
  }
  return findings;
}

}  // namespace gemmlab::submissions
