#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::stats {
namespace {

class NcclSumTest : public test::GpuFixture {};

TEST_F(NcclSumTest, ExposedAndOverlapped) {
  constexpr int kAllReduce = 9;
  sql("INSERT INTO StringIds VALUES (9, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL');");
  add({.start = 0, .end = 100});
  add({.start = 200, .end = 300});
  add({.start = 50, .end = 150, .stream = 8, .name = kAllReduce});
  add({.start = 250, .end = 270, .stream = 8, .name = kAllReduce});
  create_copies();
  add_copy(100, 150, 9);  // computes nothing
  add({.start = 0, .end = 40, .device = 1, .name = kAllReduce});
  EXPECT_EQ(rows("nccl_sum"), (Lines{"50,70,58.3,120,40.0,2,60.0,60.0,20,100,9,0,"
                                     "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                                     "40,0,0.0,40,100.0,1,40.0,40.0,40,40,9,1,"
                                     "ncclDevKernel_AllReduce_Sum_f32_RING_LL"}));
}

}  // namespace
}  // namespace prof::stats
