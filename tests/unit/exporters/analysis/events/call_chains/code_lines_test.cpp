#include "exporters/analysis/events/call_chains/code_lines.hpp"

#include "common/report/schema.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

class CodeLinesTest : public test::ReportFixture {};

TEST_F(CodeLinesTest, PlacesOfWhichTheReportSaysOneThing) {
  EXPECT_TRUE(read_code_places(reader())->empty());
  sql(std::string(report::table_sql(kCodePlaceTable)));
  sql("INSERT INTO PROF_CODE_PLACES VALUES (3,200,1,20,2),(3,100,0,10,NULL),(3,100,0,10,NULL),"
      "(3,300,1,30,2),(3,300,1,31,2),(3,300,0,30,2),(4,400,0,1,2),(4,400,0,1,3)");
  const auto places = read_code_places(reader());
  ASSERT_TRUE(places);
  EXPECT_EQ(*places, (std::vector<CodePlace>{{3, 100, false, 10, Strings::kNone},
                                             {3, 200, true, 20, 2},
                                             {3, 300, false, 30, 2}}));
  EXPECT_EQ((*places)[0].instruction(), 10);
  EXPECT_EQ((*places)[1].instruction(), 19);
}

TEST_F(CodeLinesTest, FindsWhatIsMeant) {
  CodeLines lines;
  const auto line_at = [&](std::int64_t address, bool is_sampled) {
    const CodeLines::Frames* found = lines.find(3, address, is_sampled);
    return found == nullptr ? -1 : found->front().line;
  };
  const std::uint32_t call = lines.add({{"f", "a.c", 7}});
  const std::uint32_t next = lines.add({{"f", "a.c", 8}});
  lines.set({3, 100, true, 10, 0}, call);
  lines.set({3, 100, false, 10, 0}, next);
  lines.set({3, 200, true, 20, 0}, call);
  lines.set({3, 300, false, 30, 0}, next);
  EXPECT_EQ(line_at(100, false), 7);
  EXPECT_EQ(line_at(100, true), 8);
  EXPECT_EQ(line_at(200, true), 7);
  EXPECT_EQ(line_at(300, false), 8);
  EXPECT_EQ(line_at(400, true), -1);
  EXPECT_EQ(lines.find(4, 100, false), nullptr);
}

}  // namespace
}  // namespace prof::events
