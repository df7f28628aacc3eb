#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::stats {
namespace {

class QueueLengthTest : public test::GpuFixture {
 protected:
  QueueLengthTest() { create_api(); }
  void launch(std::int64_t call, std::int64_t start, std::int64_t correlation) {
    add_call(call, call + 5, 9, correlation);
    add({.start = start, .end = start + 1, .correlation = correlation});
  }
};

TEST_F(QueueLengthTest, FromCallToStart) {
  launch(0, 5, 1);
  launch(10, 50, 2);
  launch(20, 60, 3);
  launch(30, 70, 4);
  launch(100, 100, 5);
  // Another kernel of the same call, a graph's, and one whose launch was not recorded.
  add({.start = 90, .end = 91, .correlation = 2});
  add({.start = 500, .end = 510, .correlation = 77});
  EXPECT_EQ(rows("queue_length"), Lines{"5,3,1.25,0.0,1.8,35.0,0,100,9,0,7"});
}

TEST_F(QueueLengthTest, FullAt1024) {
  sql(fmt::format(
      "WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1024) "
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i, i + 1, 0, {}, i + 1, 1, 0, "
      "NULL FROM n;"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 2000, end + 2000, 0, 1, 7, "
      "correlationId, {}, 2, 3, 16, 1, 1, 1, 64, 1, 1, 0, 0 "
      "FROM CUPTI_ACTIVITY_KIND_RUNTIME;",
      test::global_id(9, 9), test::global_id(9, 0)));
  // The 1024th launch is at 1023. From then on 1024 launches wait, until the second one starts at
  // 2001.
  EXPECT_EQ(rows("queue_length"), Lines{"1025,1025,677.91,512.0,972.8,0.0,978,3024,9,0,7"});
}

}  // namespace
}  // namespace prof::stats
