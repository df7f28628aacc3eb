#include "exporters/analysis/stats/catalog.hpp"

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::stats {
namespace {

class CatalogTest : public test::ReportFixture {};

TEST(Catalog, OldNames) {
  EXPECT_EQ(find_statistic("gpukernsum"), find_statistic("cuda_gpu_kern_sum"));
  EXPECT_NE(find_statistic("gpukernsum"), nullptr);
  EXPECT_EQ(find_statistic("gpukern"), nullptr);
}

TEST_F(CatalogTest, NoneNeedsATable) {
  const auto file = reader();
  for (const Statistic& report : catalog()) {
    const auto table = run(report, file, {{events::KernelName::kMangled, true}});
    ASSERT_TRUE(table) << report.name;
    EXPECT_TRUE(table->rows.empty());
  }
}

TEST_F(CatalogTest, NoneNeedsMoreThanKernels) {
  create_kernels();
  add_kernel(25, 125, 9, 1);
  const auto file = reader();
  for (const Statistic& report : catalog())
    EXPECT_TRUE(run(report, file, {{events::KernelName::kMangled, true}})) << report.name;
}

}  // namespace
}  // namespace prof::stats
