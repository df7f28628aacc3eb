#include <filesystem>

#include "tests/unit/exporters/gpu_fixture.hpp"
#include "tests/unit/exporters/viewer/answers/served_reports.hpp"

namespace prof::test {
namespace {

using Json = nlohmann::json;

class DiffAnswers : public GpuFixture {};

TEST_F(DiffAnswers, AreThoseOfProfDiff) {
  add({0, 100});
  add({200, 300, 0, 0, 7, 4});
  const TemporaryDirectory directory;
  const std::string before = directory.file("before.sqlite");
  std::filesystem::copy_file(path(), before);
  add({400, 700});
  const ServedReports served({before, path()});
  const Json diff = served.get("diff");
  EXPECT_EQ(diff["before"], before);
  EXPECT_EQ(diff["after"], path());
  EXPECT_FALSE(diff["headline"].empty());
  EXPECT_EQ(diff["changes"]["rows"].size(), 1);
  EXPECT_EQ(diff["unchanged"], 1);
  const auto column = [&](const char* header) {
    const Json& columns = diff["changes"]["columns"];
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i]["header"] == header) return i;
    ADD_FAILURE() << columns.dump();
    return std::size_t{0};
  };
  const Json& row = diff["changes"]["rows"][0];
  EXPECT_EQ(row[column("Name")], "f(int)");
  EXPECT_EQ(row[column("Time Before (ns)")], 100);
  EXPECT_EQ(row[column("Time After (ns)")], 400);
  // The other way round.
  const Json reverse = served.get("diff", {{"before", "1"}, {"after", "0"}});
  EXPECT_EQ(reverse["changes"]["rows"][0][column("Time After (ns)")], 100);
}

TEST_F(DiffAnswers, NeedTwoReports) {
  add({0, 100});
  const ServedReports one({path()});
  EXPECT_EQ(one.fault("diff"), 400);
  const ServedReports two({path(), path()});
  EXPECT_EQ(two.fault("diff", {{"after", "2"}}), 400);
  EXPECT_EQ(two.get("diff")["changes"]["rows"], Json::array());
}

}  // namespace
}  // namespace prof::test
