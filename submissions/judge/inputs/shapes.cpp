#include "submissions/judge/inputs/shapes.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "submissions/solve_shape.h"

namespace gemmlab::submissions {

std::vector<Shape> fixed_shapes() {
  std::vector<Shape> shapes;  // listed in solve's order: rows, inner, columns
  for (const std::int64_t side : {16, 32, 64, 128, 48, 24, 8, 4})
    shapes.push_back(shape_of({side, side, side}));
  // whole tiles, but no squares: M, N and K mistaken for each other
  for (const auto& [M, N, K] :
       {std::tuple(32, 64, 96), {96, 32, 64}, {64, 96, 32}, {128, 24, 64}, {16, 48, 32}})
    shapes.push_back(shape_of({M, N, K}));
  // one side that is not a whole number of tiles
  for (const auto& [M, N, K] : {std::tuple(32, 32, 33),
                                {32, 33, 32},
                                {33, 32, 32},
                                {64, 64, 63},
                                {64, 63, 64},
                                {63, 64, 64},
                                {32, 48, 17},
                                {17, 32, 48},
                                {48, 17, 32}})
    shapes.push_back(shape_of({M, N, K}));
  for (const std::int64_t side : {15, 17, 31, 33, 63, 65, 127, 129})
    shapes.push_back(shape_of({side, side, side}));
  for (const auto& [M, N, K] : {std::tuple(1, 1, 1),
                                {1, 64, 64},
                                {64, 64, 1},
                                {64, 1, 64},
                                {1, 17, 1},
                                {7, 1, 5},
                                {2, 3, 4},
                                {7, 11, 13},
                                {17, 23, 19},
                                {31, 37, 41},
                                {101, 67, 89}})
    shapes.push_back(shape_of({M, N, K}));
  for (const auto& [M, N, K] :
       {std::tuple(256, 256, 256), {257, 129, 193}, {300, 200, 100}, {512, 257, 384}, {1030, 517, 771}})
    shapes.push_back(shape_of({M, N, K}));
  // thin ones, which cost little and fit no buffer of fixed size
  for (const auto& [M, N, K] :
       {std::tuple(5000, 3, 2), {2, 5000, 3}, {3, 2, 5000}, {70000, 3, 2}, {2, 70000, 3}, {3, 2, 70000}})
    shapes.push_back(shape_of({M, N, K}));
  // few elements, but long sides: limits of a grid in each direction, and workspaces of fixed size
  for (const auto& [M, N, K] : {std::tuple(70000, 1, 1), {1, 1, 70000}, {700, 3, 700}, {2, 600, 600}})
    shapes.push_back(shape_of({M, N, K}));
  return shapes;
}

std::vector<Shape> random_shapes(int count, std::uint64_t seed) {
  constexpr double kLongest = 300;
  std::mt19937_64 random(seed);
  const auto side = [&] {
    const double share = static_cast<double>(random() >> 11) * std::ldexp(1.0, -53);
    return static_cast<std::int64_t>(std::floor(std::exp(share * std::log(kLongest + 1))));
  };
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    const std::int64_t m = side();
    const std::int64_t n = side();
    shapes.push_back({m, n, side()});
  }
  return shapes;
}

std::vector<Shape> shapes_to_emulate(std::vector<Shape> shapes) {
  // A tile of 32×32 is gone through whole, also where one column of it is wanted: this is what an emulation costs.
  constexpr std::int64_t kTile = 32;
  constexpr std::int64_t kMostTiles = 80;        // 2.6 million multiply-adds: up to a second
  constexpr std::int64_t kLongestSide = 10'000;  // a grid of thousands of blocks takes seconds
  const auto tiles = [](std::int64_t side) { return (side + kTile - 1) / kTile; };
  // shorter, and as much beyond a whole tile as it was
  const auto shorten = [&](std::int64_t& side, std::int64_t most) {
    if (tiles(side) > most) side = (side % kTile == 0 ? most : most - 1) * kTile + side % kTile;
  };
  constexpr std::int64_t kFew = 3, kSide = 1000;
  std::erase_if(shapes, [](const Shape& shape) {
    const std::int64_t longest = std::max({shape.m, shape.n, shape.k});
    return longest > kLongestSide && shape.m * shape.n * shape.k > longest;
  });
  for (Shape& shape : shapes) {
    // as they are: what they are there for are their sides
    if (std::min({shape.m, shape.n, shape.k}) <= kFew && std::max({shape.m, shape.n, shape.k}) <= kSide)
      continue;
    std::int64_t& narrow = shape.m < shape.n ? shape.m : shape.n;
    shorten(narrow, std::max<std::int64_t>(1, kMostTiles / tiles(std::max(shape.m, shape.n))));
    if (tiles(shape.k) <= kMostTiles)
      shorten(shape.k, std::max<std::int64_t>(2, kMostTiles / (tiles(shape.m) * tiles(shape.n))));
  }
  // last: a call of which some blocks are run may leave what the next one finds
  std::stable_partition(shapes.begin(), shapes.end(), [](const Shape& shape) {
    return std::max({shape.m, shape.n, shape.k}) <= kLongestSide;
  });
  return shapes;
}

}  // namespace gemmlab::submissions
