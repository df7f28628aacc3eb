#include "collector/prometheus/metrics_text.hpp"

#include <gtest/gtest.h>

namespace prof::prometheus {
namespace {

TEST(MetricsText, SamplesWithAndWithoutLabels) {
  MetricsText out;
  out.metric("a_total", "counter", "What it is.");
  out.sample({}, std::uint64_t{18446744073709551615U});
  out.sample({{"x", "1"}, {"y", ""}}, 0.25);
  out.metric("b", "histogram", "Another one.");
  out.sample({{"le", "+Inf"}}, std::uint64_t{3}, "_bucket");
  EXPECT_EQ(out.text(),
            "# HELP a_total What it is.\n"
            "# TYPE a_total counter\n"
            "a_total 18446744073709551615\n"
            "a_total{x=\"1\",y=\"\"} 0.25\n"
            "# HELP b Another one.\n"
            "# TYPE b histogram\n"
            "b_bucket{le=\"+Inf\"} 3\n");
}

TEST(MetricsText, LabelsAreEscaped) {
  MetricsText out;
  out.metric("a", "gauge", "h");
  out.sample({{"x", "back\\slash \"quoted\"\nsecond line"}}, std::uint64_t{1});
  EXPECT_NE(out.text().find(R"({x="back\\slash \"quoted\"\nsecond line"} 1)"), std::string::npos)
      << out.text();
}

TEST(MetricsText, BytesThatAreNotUtf8AreEscaped) {
  MetricsText out;
  out.metric("a", "gauge", "h");
  out.sample({{"x", "caf\xe9"}}, std::uint64_t{1});
  EXPECT_NE(out.text().find(R"({x="caf\\xe9"} 1)"), std::string::npos) << out.text();
}

}  // namespace
}  // namespace prof::prometheus
