#include "core/machine/cgroup.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gemmlab {
namespace {

std::int64_t inactive(const std::string& text) {
  std::istringstream stat(text);
  return inactive_file_bytes(stat);
}

TEST(Cgroup, files_that_can_be_dropped_are_told_by_both_versions) {
  EXPECT_EQ(inactive("anon 4096\nfile 8192\ninactive_file 300\nactive_file 70\n"), 300);
  EXPECT_EQ(inactive("cache 9\ninactive_file 300\nactive_file 70\ntotal_inactive_file 500\nunevictable 0\n"),
            500)
      << "of the group with those in it";
  EXPECT_EQ(inactive(""), 0);
}

TEST(Cgroup, no_more_memory_is_left_than_the_limit) {
  const auto limit = cgroup_memory_limit();
  const auto left = cgroup_memory_left();
  ASSERT_EQ(limit.has_value(), left.has_value());
  if (limit) {
    EXPECT_LE(*left, *limit);
    EXPECT_GE(*left, 0);
  }
}

}  // namespace
}  // namespace gemmlab
