#include <map>
#include <set>

#include "tests/unit/exporters/sample_fixture.hpp"
#include "tests/unit/exporters/viewer/answers/served_reports.hpp"

namespace prof::test {
namespace {

using Json = nlohmann::json;

// Total and self of each path: "main;hot".
std::map<std::string, std::pair<int, int>> paths_of(const Json& flame) {
  std::map<std::string, std::pair<int, int>> result;
  std::vector<std::string> names;
  for (const Json& node : flame["nodes"]) {
    const int parent = node[0];
    EXPECT_LT(parent, static_cast<int>(names.size()));
    const std::string own = flame["functions"][node[1].get<int>()][0];
    names.push_back((parent < 0 ? "" : names[static_cast<std::size_t>(parent)] + ";") + own);
    result[names.back()] = {node[2], node[3]};
  }
  return result;
}

class FlameAnswers : public SampleFixture {};

TEST_F(FlameAnswers, AddUpTheSamplesOfAllThreads) {
  add_shares();
  const ServedReports served({path()});
  const Json flame = served.get("flame");
  EXPECT_EQ(flame["unit"], "samples");
  EXPECT_EQ(flame["total"], 10);
  const auto paths = paths_of(flame);
  EXPECT_EQ(paths.at("main"), std::pair(10, 0));
  EXPECT_EQ(paths.at("main;hot"), std::pair(5, 5));
  EXPECT_EQ(paths.at("main;warm"), std::pair(3, 3));
  EXPECT_EQ(paths.at("main;recursive;recursive;recursive"), std::pair(2, 2));
  EXPECT_EQ(flame["functions"][0], Json({"main", "/bin/app", "native"}));
}

TEST_F(FlameAnswers, CountTimeIfTheIntervalIsKnown) {
  add_shares();
  set_interval("1000000");
  const ServedReports served({path()});
  const Json flame = served.get("flame");
  EXPECT_EQ(flame["unit"], "ns");
  EXPECT_EQ(flame["samples"], 10);
  EXPECT_EQ(flame["total"], 10'000'000);
}

TEST_F(FlameAnswers, OfASpanHaveItsSamples) {
  add_shares();  // at 1000, 2000, …
  const ServedReports served({path()});
  const auto paths = paths_of(served.get("flame", {{"from", "5000"}, {"to", "6000"}}));
  EXPECT_EQ(paths.at("main"), std::pair(2, 0));
  EXPECT_EQ(paths.at("main;hot"), std::pair(1, 1));
  EXPECT_EQ(paths.at("main;warm"), std::pair(1, 1));
  EXPECT_EQ(served.get("flame", {{"from", "100000"}})["nodes"], Json::array());
}

TEST_F(FlameAnswers, HaveTheSamplesIfAskedFor) {
  add_shares();
  const ServedReports served({path()});
  EXPECT_FALSE(served.get("flame").contains("list"));
  const Json flame = served.get("flame", {{"list", "1"}, {"from", "5000"}, {"to", "6000"}});
  EXPECT_EQ(flame["calls"], false);
  const Json& list = flame["list"];
  ASSERT_EQ(list["node"].size(), 2);
  std::map<int, int> by_node;
  std::set<int> starts;
  int start = 0;
  for (std::size_t i = 0; i < list["node"].size(); ++i) {
    by_node[list["node"][i].get<int>()] += list["value"][i].get<int>();
    start += list["start"][i].get<int>();
    starts.insert(start);
  }
  EXPECT_EQ(starts, (std::set<int>{5000, 6000}));
  for (const auto& [node, value] : by_node)
    EXPECT_EQ(flame["nodes"].at(static_cast<std::size_t>(node))[3], value);
  std::size_t of_threads = 0;
  for (const Json& each : list["threads"]) {
    EXPECT_TRUE(each[0].is_string());
    of_threads += each[1].get<std::size_t>();
  }
  EXPECT_EQ(of_threads, list["node"].size());
}

TEST_F(FlameAnswers, OfARowHaveItsThread) {
  add_shares();
  const ServedReports served({path()});
  const Json rows = served.get("rows");
  for (const Json& row : rows["rows"]) {
    const Json flame = served.get("flame", {{"row", row["id"].dump()}});
    if (row["kind"] == "process") {
      EXPECT_EQ(flame["total"], 10);
    } else if (row["kind"] == "thread") {
      EXPECT_EQ(flame["total"], row["name"] == "worker" ? 2 : 8);
    }
  }
}

TEST_F(FlameAnswers, CutWhatIsBelowAThousandth) {
  add_samples(1, {{"common"}, {"main"}}, 9, 99'950);
  add_samples(1, {{"rare"}, {"main"}}, 9, 50);
  const ServedReports served({path()});
  const Json flame = served.get("flame");
  EXPECT_EQ(flame["unit"], "cycles");
  const auto paths = paths_of(flame);
  EXPECT_EQ(paths.at("main"), std::pair(100'000, 0));
  EXPECT_EQ(paths.count("main;rare"), 0);
  EXPECT_EQ(flame["cut"], Json({{"nodes", 1}, {"least", 100}}));
  EXPECT_EQ(flame["functions"].size(), 2);
}

TEST_F(FlameAnswers, OfCallsHaveTheirPartInsideTheSpan) {
  add_chain("OSRT_CALLCHAINS", 1, {{"load"}, {"main"}});
  add_os_call(1000, 5000, "read", 1);
  add_os_call(6000, 7000, "write");
  const ServedReports served({path()});
  const auto paths = paths_of(served.get("flame", {{"kind", "osrt"}}));
  EXPECT_EQ(paths.at("main;load;read"), std::pair(4000, 4000));
  EXPECT_EQ(paths.at("[No call chain];write"), std::pair(1000, 1000));
  const Json part = served.get("flame", {{"kind", "osrt"}, {"from", "4000"}, {"to", "6500"}});
  EXPECT_EQ(part["unit"], "ns");
  EXPECT_EQ(paths_of(part).at("main;load;read"), std::pair(1000, 1000));
  EXPECT_EQ(part["total"], 1500);
}

TEST_F(FlameAnswers, OfReportsWithoutSamplesAreEmpty) {
  const ServedReports served({path()});
  for (const char* kind : {"cpu", "python", "osrt", "cuda"})
    EXPECT_EQ(served.get("flame", {{"kind", kind}})["nodes"], Json::array()) << kind;
  EXPECT_EQ(served.fault("flame", {{"kind", "gpu"}}), 400);
}

TEST_F(FlameAnswers, ShowAnyFunctionName) {
  add_samples(1, {{"</script><b>\x01\xff\"\n"}});
  const ServedReports served({path()});
  const std::string name = served.get("flame")["functions"][0][0];
  EXPECT_TRUE(name.starts_with("</script><b>\x01")) << name;
}

}  // namespace
}  // namespace prof::test
