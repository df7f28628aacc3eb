#include "collector/metrics/kernels/metric_words.hpp"

#include <gtest/gtest.h>

namespace prof::metrics {
namespace {

const std::vector<MetricFacts> kMetrics = {
    {"dram__bytes", MetricKind::kCounter},
    {"dram__bytes_read", MetricKind::kCounter},
    {"l1tex__t_sector_hit_rate", MetricKind::kRatio},
    {"sm__throughput", MetricKind::kThroughput},
};

using Names = std::vector<std::string>;

TEST(MetricWordsTest, ANameWithoutSuffixMeansTheFirstLevel) {
  EXPECT_EQ(*expand_metric("dram__bytes", kMetrics),
            (Names{"dram__bytes.avg", "dram__bytes.max", "dram__bytes.min", "dram__bytes.sum"}));
  EXPECT_EQ(*expand_metric("l1tex__t_sector_hit_rate", kMetrics),
            (Names{"l1tex__t_sector_hit_rate.max_rate", "l1tex__t_sector_hit_rate.pct",
                   "l1tex__t_sector_hit_rate.ratio"}));
  const auto throughput = expand_metric("sm__throughput", kMetrics);
  ASSERT_EQ(throughput->size(), 8U);
  EXPECT_EQ(throughput->at(1), "sm__throughput.avg.pct_of_peak_sustained_elapsed");
}

TEST(MetricWordsTest, AnExpressionMeansAllNamesWithAMatch) {
  EXPECT_EQ(expand_metric("regex:dram", kMetrics)->size(), 8U);
  EXPECT_EQ(expand_metric("regex:^dram__bytes$", kMetrics)->size(), 4U);
  EXPECT_EQ(*expand_metric("regex:^dram.*\\.sum$", kMetrics),
            (Names{"dram__bytes.sum", "dram__bytes_read.sum"}));
  EXPECT_FALSE(expand_metric("regex:nothing", kMetrics));
  EXPECT_FALSE(expand_metric("regex:(", kMetrics));
}

TEST(MetricWordsTest, AGroupMeansItsMetricsThatTheChipHas) {
  EXPECT_EQ(*expand_metric("group:memory__dram_table", kMetrics),
            (Names{"dram__bytes_read.sum", "dram__bytes_read.sum.per_second",
                   "dram__bytes_read.sum.pct_of_peak_sustained_elapsed"}));
  EXPECT_FALSE(expand_metric("group:memory__l2_cache_table", kMetrics));
  EXPECT_FALSE(expand_metric("group:nothing", kMetrics));
}

TEST(MetricWordsTest, OnlySomeWordsNeedTheList) {
  EXPECT_TRUE(needs_metric_list("group:memory__chart"));
  EXPECT_TRUE(needs_metric_list("breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_TRUE(needs_metric_list("regex:dram"));
  EXPECT_TRUE(needs_metric_list("dram__bytes"));
  EXPECT_FALSE(needs_metric_list("dram__bytes.sum"));
  EXPECT_FALSE(needs_metric_list("smsp__sass_inst_executed"));
}

TEST(MetricWordsTest, MisspeltNamesGetASuggestion) {
  EXPECT_EQ(metric_suggestion("dram_bytes.sum", kMetrics), "; did you mean dram__bytes.sum?");
  EXPECT_EQ(metric_suggestion("dram__bytes.summ", kMetrics), "; did you mean dram__bytes.sum?");
  EXPECT_EQ(metric_suggestion("sm__thruput", kMetrics), "; did you mean sm__throughput?");
  EXPECT_EQ(metric_suggestion("something.else", kMetrics), "");
  const auto refused = expand_metric("dram__byte", kMetrics);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "--metrics: unknown metric dram__byte; did you mean dram__bytes?");
}

}  // namespace
}  // namespace prof::metrics
