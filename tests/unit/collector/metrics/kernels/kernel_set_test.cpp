#include "collector/metrics/kernels/kernel_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace prof::metrics {
namespace {

TEST(KernelSetTest, ReadsMetricsWithTheChipsThatLackThem) {
  const auto set = parse_kernel_set(
      "name: Of my own\n"
      "# a comment\n"
      "include: Occupancy SpeedOfLight\n"
      "\n"
      "dram__bytes.sum except GA10B GB20\n"
      "l1tex__t_sector_hit_rate.pct\n",
      "mine");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->title, "Of my own");
  EXPECT_EQ(set->include, (std::vector<std::string>{"Occupancy", "SpeedOfLight"}));
  ASSERT_EQ(set->metrics.size(), 2U);
  EXPECT_TRUE(set->metrics[0].is_for("GH100"));
  EXPECT_FALSE(set->metrics[0].is_for("GB202"));
  EXPECT_FALSE(set->metrics[0].is_for("GA10B"));
  EXPECT_TRUE(set->metrics[1].is_for("GB202"));
}

TEST(KernelSetTest, NamesTheLineThatIsWrong) {
  for (const char* wrong : {"two words", "metric except", "metric optional"}) {
    const auto set = parse_kernel_set(std::string("name: x\n") + wrong + "\n", "mine");
    ASSERT_FALSE(set) << wrong;
    EXPECT_TRUE(set.error().message.starts_with("mine:2: ")) << set.error().message;
  }
}

TEST(KernelSetTest, BuiltInSetsIncludeSectionsThatExistAndHaveEachMetricOnce) {
  std::set<std::string> ids;
  for (const KernelSet& set : kernel_sets()) ids.insert(set.id);
  EXPECT_EQ(kernel_sets().front().id, "quick");
  for (const KernelSet& set : kernel_sets()) {
    EXPECT_FALSE(set.title.empty()) << set.id;
    for (const std::string& id : set.include) EXPECT_TRUE(ids.contains(id)) << id;
    std::set<std::string> names;
    for (const KernelMetric& metric : set.metrics)
      EXPECT_TRUE(names.insert(metric.name).second) << set.id << " " << metric.name;
  }
}

TEST(KernelSetTest, FullHasAllMetricsOfAllSections) {
  const auto full = find_kernel_metrics("full");
  ASSERT_TRUE(full);
  for (const KernelSet& set : kernel_sets())
    for (const KernelMetric& metric : set.is_section ? set.metrics : std::vector<KernelMetric>())
      EXPECT_NE(std::ranges::find(*full, metric.name, &KernelMetric::name), full->end())
          << set.id << " " << metric.name;
}

TEST(KernelSetTest, JoinsSetsAndRefusesUnknownOnes) {
  const auto both = find_kernel_metrics("Occupancy,SpeedOfLight,Occupancy");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->size(),
            find_kernel_metrics("Occupancy")->size() + find_kernel_metrics("SpeedOfLight")->size());
  const auto wrong = find_kernel_metrics("Ocupancy");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("Occupancy"), std::string::npos) << wrong.error().message;
}

}  // namespace
}  // namespace prof::metrics
