#include "emulator/runtime/checks/touched.h"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

namespace gemmlab::emulation {
namespace {

std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches(const Touched& touched) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  touched.each_stretch([&](std::uint64_t from, std::uint64_t to) { found.emplace_back(from, to); });
  return found;
}

TEST(Touched, is_told_in_stretches_without_gaps_in_their_order) {
  Touched touched;
  EXPECT_THAT(stretches(touched), testing::IsEmpty());
  for (const std::uint64_t at : {4, 128, 0, 12, 132}) touched.add(at, 4);
  EXPECT_THAT(stretches(touched),
              testing::ElementsAre(std::pair(0, 8), std::pair(12, 16), std::pair(128, 136)));
}

TEST(Touched, stretches_go_over_words_and_parts_and_gigabytes_between_them_cost_nothing) {
  Touched touched;
  for (std::uint64_t at = 65'536 - 128; at < 65'536 + 128; at += 16) touched.add(at, 16);
  const std::uint64_t far = std::uint64_t{9} << 40;
  touched.add(far, 1);
  touched.add(100, 4);
  EXPECT_THAT(stretches(touched),
              testing::ElementsAre(std::pair(100, 104), std::pair(65'536 - 128, 65'536 + 128),
                                   std::pair(far, far + 1)));
}

}  // namespace
}  // namespace gemmlab::emulation
