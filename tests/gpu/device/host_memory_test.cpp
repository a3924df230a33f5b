// What needs no GPU of the host's memory.

#include "gpu/device/host_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace gemmlab::gpu {
namespace {

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};

std::int64_t faults() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(GivePages, leaves_none_to_be_given_at_the_first_write_and_writes_nowhere_else) {
  constexpr std::int64_t kBytes = (std::int64_t{64} << 20) + 5;
  constexpr std::int64_t kBefore = 4095;  // the memory begins and ends within a page
  constexpr char kMark = 'x';
  const std::unique_ptr<char, Free> memory(static_cast<char*>(std::malloc(kBefore + kBytes + 1)));
  char* const begin = memory.get() + kBefore;
  begin[-1] = kMark;
  begin[kBytes] = kMark;
  give_pages(begin, kBytes);
  EXPECT_EQ(begin[-1], kMark);
  EXPECT_EQ(begin[kBytes], kMark);
  const std::int64_t before = faults();
  std::fill(begin, begin + kBytes, kMark);
  EXPECT_LT(faults() - before, 16) << "of 16385 pages";
}

TEST(GivePages, takes_any_size) {
  char memory[3] = {'a', 'b', 'c'};
  give_pages(memory, 0);
  EXPECT_EQ(memory[0], 'a');
  give_pages(memory, 2);
  EXPECT_EQ(memory[2], 'c');
}

}  // namespace
}  // namespace gemmlab::gpu
