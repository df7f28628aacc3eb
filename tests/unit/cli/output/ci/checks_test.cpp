#include "cli/output/ci/checks.hpp"

#include <gtest/gtest.h>

namespace prof::cli {
namespace {

const std::vector<CheckedReport>& reports() {
  static const std::vector<CheckedReport> kReports = {
      {"a&b.db",
       {{"synchronization", "12.0 % (3 ms): the GPU waits", true},
        {"data_loading", "", false},
        {"small_grids", "3.0 %, in <lambda> \"x\"", false}}},
      {"c.db", {}}};
  return kReports;
}

TEST(Checks, HaveATestCaseEachInJUnit) {
  EXPECT_EQ(junit_text("analyze", reports()),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"prof analyze\" tests=\"3\" failures=\"1\">\n"
            "  <testsuite name=\"a&amp;b.db\" tests=\"3\" failures=\"1\">\n"
            "    <testcase classname=\"prof.analyze\" name=\"synchronization\">\n"
            "      <failure message=\"12.0 % (3 ms): the GPU waits\"/>\n"
            "    </testcase>\n"
            "    <testcase classname=\"prof.analyze\" name=\"data_loading\"/>\n"
            "    <testcase classname=\"prof.analyze\" name=\"small_grids\">\n"
            "      <system-out>3.0 %, in &lt;lambda&gt; &quot;x&quot;</system-out>\n"
            "    </testcase>\n"
            "  </testsuite>\n"
            "  <testsuite name=\"c.db\" tests=\"0\" failures=\"0\">\n"
            "  </testsuite>\n"
            "</testsuites>\n");
}

TEST(Checks, AreAnnotationsWithEscapedTexts) {
  EXPECT_EQ(
      github_commands("analyze", reports()),
      "::error title=prof analyze%3A synchronization::a&b.db: 12.0 %25 (3 ms): the GPU waits\n"
      "::notice title=prof analyze%3A small_grids::a&b.db: 3.0 %25, in <lambda> \"x\"\n");
}

TEST(Checks, NeverBeginALineWithATextOfAReport) {
  const std::vector<CheckedReport> hostile = {
      {"r.db\n::error::x",
       {{"kernel:a\n::warning::b,c", "x\r\n::set-output name=a::b\x1b[31m", true}}}};
  for (const std::string& text : {github_commands("diff", hostile), junit_text("diff", hostile),
                                  markdown_summary("diff", hostile)}) {
    EXPECT_EQ(text.find("\n::"), std::string::npos) << text;
    EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos) << text;
  }
  EXPECT_EQ(markdown_summary("diff", {{"r|s", {{"a`b", "<img> [x](y) *z*", true}}}}),
            "### prof diff\n\n| | Report | Check | Found |\n|-|-|-|-|\n"
            "| failed | r\\|s | a\\`b | &lt;img> \\[x](y) \\*z\\* |\n\n");
}

}  // namespace
}  // namespace prof::cli
