#include "exporters/formats/trace/gpu_links.hpp"

#include <set>

#include "exporters/analysis/events/global_ids.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::formats {
namespace {

class GpuLinksTest : public test::ReportFixture {
 protected:
  GpuLinksTest() { create_kernels(); }

  void kernel(std::int64_t start, std::int64_t pid, std::int64_t correlation) {
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, correlationId) VALUES (" +
        std::to_string(start) + "," + std::to_string(start + 1) + "," +
        std::to_string(test::global_id(pid, 0)) + "," + std::to_string(correlation) + ");");
  }
  static std::int64_t process(std::int64_t pid) {
    return events::process_of(test::global_id(pid, 0));
  }
  static std::size_t launched(GpuLinks& links, std::int64_t pid, std::int64_t correlation,
                              std::int64_t start) {
    std::size_t count = 0;
    links.launch(process(pid), correlation, start, [&](std::uint64_t link) {
      EXPECT_NE(link, 0u);
      ++count;
    });
    return count;
  }
};

TEST_F(GpuLinksTest, EachPieceOfWorkHasOneLinkToItsCall) {
  for (const std::int64_t start : {100, 300, 200, 200}) kernel(start, 5, 1);
  kernel(150, 6, 1);  // another process
  auto links = GpuLinks::read(reader());
  ASSERT_TRUE(links);
  EXPECT_EQ(launched(*links, 5, 1, 50), 4u);
  EXPECT_EQ(launched(*links, 5, 1, 50), 0u);  // another row of the same call
  EXPECT_EQ(launched(*links, 5, 2, 50), 0u);
  std::set<std::uint64_t> found;
  for (const std::int64_t start : {200, 100, 200, 300})
    found.insert(links->work(process(5), 1, start));
  EXPECT_EQ(found.size(), 4u);
  EXPECT_FALSE(found.contains(0));
  EXPECT_EQ(links->work(process(5), 1, 200), 0u);
  EXPECT_EQ(links->work(process(6), 1, 150), 0u);  // its call was not passed
}

TEST_F(GpuLinksTest, WorkThatStartsBeforeItsCallHasNone) {
  kernel(100, 5, 1);
  kernel(400, 5, 1);
  auto links = GpuLinks::read(reader());
  ASSERT_TRUE(links);
  EXPECT_EQ(launched(*links, 5, 1, 101), 1u);
  EXPECT_EQ(links->work(process(5), 1, 100), 0u);
  EXPECT_NE(links->work(process(5), 1, 400), 0u);
}

TEST_F(GpuLinksTest, CallsMayComeInAnyOrder) {
  for (std::int64_t i = 0; i < 100; ++i) kernel(1000 + i, 5, i);
  auto links = GpuLinks::read(reader());
  ASSERT_TRUE(links);
  for (const std::int64_t i : {0, 1, 50, 49, 99, 3, 98}) EXPECT_EQ(launched(*links, 5, i, 0), 1u);
  EXPECT_EQ(launched(*links, 5, 100, 0), 0u);
  EXPECT_EQ(launched(*links, 5, 2, 0), 1u);
}

}  // namespace
}  // namespace prof::formats
