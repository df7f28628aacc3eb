#include "collector/metrics/plugins/catalog.hpp"

#include <gtest/gtest.h>

namespace prof::metrics {
namespace {

using Arguments = std::map<std::string, std::string>;

TEST(ParsePlugins, TakesArgumentsAsNsysDoes) {
  const auto requests = parse_plugins("nvml_metrics,-i10,-g0\\,1,--mode=total");
  ASSERT_TRUE(requests) << requests.error().message;
  ASSERT_EQ(requests->size(), 1U);
  EXPECT_EQ((*requests)[0].name, "nvml_metrics");
  EXPECT_EQ((*requests)[0].arguments,
            (Arguments{{"interval", "10"}, {"gpu-devices", "0,1"}, {"mode", "total"}}));
  const auto efa = parse_plugins("efa_metrics,-packets,-errors=false,-freq=-2");
  ASSERT_TRUE(efa) << efa.error().message;
  EXPECT_EQ((*efa)[0].arguments,
            (Arguments{{"packets", "true"}, {"errors", "false"}, {"freq", "-2"}}));
}

TEST(ParsePlugins, TakesSeveralAtOnce) {
  const auto requests = parse_plugins("network_interface,-dall,cpu_metrics,memory_metrics,-i=20");
  ASSERT_TRUE(requests) << requests.error().message;
  ASSERT_EQ(requests->size(), 3U);
  EXPECT_EQ((*requests)[0].arguments, (Arguments{{"device", "all"}}));
  EXPECT_TRUE((*requests)[1].arguments.empty());
  EXPECT_EQ((*requests)[2].arguments, (Arguments{{"interval", "20"}}));
}

TEST(ParsePlugins, RefusesWhatItDoesNotKnow) {
  const auto message = [](const std::string& text) {
    const auto requests = parse_plugins(text);
    return requests ? "" : requests.error().message;
  };
  EXPECT_NE(message("nvml_metric").find("did you mean nvml_metrics?"), std::string::npos);
  EXPECT_NE(message("nvml_metrics,-x3").find("no argument -x3"), std::string::npos);
  EXPECT_NE(message("nvml_metrics,--intervall=3").find("did you mean interval?"),
            std::string::npos);
  EXPECT_NE(message("nvml_metrics,-i0").find("a number above 0"), std::string::npos);
  EXPECT_NE(message("nvml_metrics,-i").find("a number above 0"), std::string::npos);
  EXPECT_NE(message("cpu_metrics,--mode=sum").find("throughput, delta or total"),
            std::string::npos);
  EXPECT_NE(message("-i3").find("unknown counters"), std::string::npos);
  EXPECT_NE(message("nvml_metrics,--"), "");
  EXPECT_NE(message(""), "");
}

TEST(PluginHelp, IsAskedForInSeveralWays) {
  EXPECT_TRUE(asks_for_plugin_help("help"));
  EXPECT_TRUE(asks_for_plugin_help("nvml_metrics,-h"));
  EXPECT_FALSE(asks_for_plugin_help("nvml_metrics"));
  for (const std::string& name : plugin_names())
    EXPECT_NE(plugin_help().find("\n" + name + "\n"), std::string::npos);
}

}  // namespace
}  // namespace prof::metrics
