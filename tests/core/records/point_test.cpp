#include "core/records/point.h"

#include <gtest/gtest.h>

#include "operations/gemm/implementation.h"

namespace gemmlab {
namespace {

Point plain() {
  Point point;
  point.implementation = "gpu.tiled";
  point.device = Device::kGpu;
  point.parameters = {{"block", std::int64_t{32}}};
  point.instance = gemm_at({64, 64, 64});
  return point;
}

TEST(Point, what_another_scope_is_about_changes_no_case_id) {
  Point point = plain();
  point.host_memory = HostMemory::kPinned;
  point.allocation = Allocation::kHostToo;
  point.module_loading = ModuleLoading::kEager;
  EXPECT_EQ(point.case_id(), plain().case_id());
}

TEST(Point, memory_allocation_and_loading_count_in_their_own_scopes) {
  Point base = plain();
  base.scope = Scope::kEndToEnd;
  Point pinned = base;
  pinned.host_memory = HostMemory::kPinned;
  Point counted = base;
  counted.allocation = Allocation::kCounted;
  Point host_too = base;
  host_too.allocation = Allocation::kHostToo;
  EXPECT_NE(pinned.case_id(), base.case_id());
  EXPECT_NE(counted.case_id(), base.case_id());
  EXPECT_NE(counted.case_id(), pinned.case_id());
  EXPECT_NE(host_too.case_id(), base.case_id());
  EXPECT_NE(host_too.case_id(), counted.case_id());
  base.scope = Scope::kFirstCall;
  Point eager = base;
  eager.module_loading = ModuleLoading::kEager;
  EXPECT_NE(eager.case_id(), base.case_id());
}

TEST(Point, replicas_handicaps_and_twins_are_points_of_their_own) {
  Point replica = plain();
  replica.replica = 1;
  Point handicapped = plain();
  handicapped.handicap = 0.03;
  const Point twin = plain().twin();
  EXPECT_NE(replica.case_id(), plain().case_id());
  EXPECT_NE(handicapped.case_id(), plain().case_id());
  EXPECT_NE(twin.case_id(), plain().case_id());
  EXPECT_EQ(twin.twin_of, plain().case_id());
}

}  // namespace
}  // namespace gemmlab
