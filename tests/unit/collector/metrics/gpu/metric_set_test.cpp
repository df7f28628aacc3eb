#include "collector/metrics/gpu/metric_set.hpp"

#include <gtest/gtest.h>

#include <set>

namespace prof::metrics {
namespace {

TEST(MetricSetTest, ReadsTheFormOfTheDocumentation) {
  const auto set = parse_metric_set(
      "# of my own\n"
      "name: Memory\n"
      "chips: GH100 GA100\n"
      "\n"
      "DRAM Read [Throughput %] = dram__read_throughput.avg.pct_of_peak_sustained_elapsed\n"
      "L2 [GB/s] = lts__t_bytes.sum.per_second * 1e-9 optional\r\n",
      "mine");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->title, "Memory");
  EXPECT_TRUE(set->is_for("GA100"));
  EXPECT_FALSE(set->is_for("GA102"));
  ASSERT_EQ(set->metrics.size(), 2U);
  EXPECT_EQ(set->metrics[0].unit(), "%");
  EXPECT_EQ(set->metrics[0].base(), "dram__read_throughput");
  EXPECT_FALSE(set->metrics[0].is_optional);
  EXPECT_EQ(set->metrics[1].name, "L2 [GB/s]");
  EXPECT_EQ(set->metrics[1].counter, "lts__t_bytes.sum.per_second");
  EXPECT_DOUBLE_EQ(set->metrics[1].factor, 1e-9);
  EXPECT_TRUE(set->metrics[1].is_optional);
  EXPECT_EQ(set->metrics[1].unit(), "GB/s");
}

TEST(MetricSetTest, NamesTheLineThatIsWrong) {
  for (const char* wrong :
       {"just words", "A = ", " = counter", "A = counter * two", "A = two words"}) {
    const auto set = parse_metric_set(std::string("name: x\n") + wrong + "\n", "mine");
    ASSERT_FALSE(set) << wrong;
    EXPECT_TRUE(set.error().message.starts_with("mine:2: ")) << set.error().message;
  }
  EXPECT_FALSE(parse_metric_set("name: empty\n", "mine"));
  std::string many;
  for (int i = 0; i < 65; ++i) many += "A = sm__cycles_active.avg\n";
  EXPECT_FALSE(parse_metric_set(many, "mine"));
}

TEST(MetricSetTest, TheBaseOfACounterHasItsUnitInFront) {
  EXPECT_EQ((GpuMetric{.counter = "TPC.TriageCompute.tpc__warps.avg.per_cycle_elapsed"}).base(),
            "TPC.TriageCompute.tpc__warps");
}

TEST(MetricSetTest, EveryChipHasASet) {
  EXPECT_EQ(default_set("GH100").id, "gh100");
  EXPECT_EQ(default_set("GA104").id, "ga10x");
  EXPECT_EQ(default_set("AD102").id, "ad10x");
  EXPECT_EQ(default_set("GB100").id, "gb10x");
  EXPECT_EQ(default_set("GB202").id, "gb20x");
  EXPECT_EQ(default_set("XX999").id, "basic");
}

TEST(MetricSetTest, BuiltInSetsAreComplete) {
  for (const MetricSet& set : built_in_sets()) {
    EXPECT_FALSE(set.title.empty()) << set.id;
    std::set<std::string> names;
    for (const GpuMetric& metric : set.metrics) {
      EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
      EXPECT_TRUE(metric.name.ends_with("]")) << metric.name;
    }
  }
  const auto set = find_metric_set("gh100");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->metrics[0].unit(), "Hz");
  EXPECT_FALSE(find_metric_set("gh10"));
  EXPECT_FALSE(find_metric_set("file:/no/such/file"));
}

}  // namespace
}  // namespace prof::metrics
