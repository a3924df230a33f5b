#pragma once

#include <gtest/gtest.h>
#include <sched.h>

namespace gemmlab::test {

/// How many processors the calling thread may use: fewer where it stayed bound.
inline int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return CPU_COUNT(&set);
}

}  // namespace gemmlab::test
