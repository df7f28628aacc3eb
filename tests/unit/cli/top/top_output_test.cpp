#include "cli/top/top_output.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::cli {
namespace {

TopSnapshot recent() {
  TopSnapshot result;
  result.seconds = 5;
  result.rows[static_cast<std::size_t>(TopKind::kRanges)] = {
      {"a range with a name that has more characters than fit", 3, 0.5, 1e6, 2e6, 3e6}};
  result.rows[static_cast<std::size_t>(TopKind::kPython)] = {
      {"Service.customer_totals_of_a_long_name "
       "(/srv/app/packages/orders/customer_totals_by_region.py:131)",
       9, 0.7, 0, 0, 0},
      {"handle (f/service.py:42)", 2, 0.3, 0, 0, 0}};
  return result;
}

std::string top_screen(std::size_t width, const std::vector<std::string>& heading = {"heading"}) {
  std::string text;
  TopView view;
  view.width = width;
  for (const std::string& line : top_lines(recent(), view, heading)) {
    EXPECT_LE(tables::display_width(line), width) << line;
    text += line + "\n";
  }
  return text;
}

TEST(TopOutput, KeepsFileAndLineOfPythonFunctions) {
  for (const std::size_t width : {60U, 80U, 100U, 120U}) {
    const std::string text = top_screen(width);
    EXPECT_NE(text.find("customer_totals_by_region.py:131)  "), std::string::npos) << text;
    EXPECT_NE(text.find("handle (f/service.py:42)"), std::string::npos) << text;
    EXPECT_NE(text.find("  70.0%"), std::string::npos) << text;
    EXPECT_NE(text.find("3.00 ms"), std::string::npos) << text;
  }
  // Even where the file does not fit, its end with the line stays.
  EXPECT_NE(top_screen(40).find("by_region.py:131)  "), std::string::npos) << top_screen(40);
}

TEST(TopOutput, GivesTheKeysALineOfTheirOwnIfTheyDoNotFit) {
  const std::vector<std::string> heading = {"prof top  a-session-with-a-name-of-this-length",
                                            "by time", "q quit", "p pause",
                                            "k a r o y t Esc tables"};
  EXPECT_TRUE(top_screen(160, heading)
                  .starts_with("prof top  a-session-with-a-name-of-this-length  by time  q quit  p "
                               "pause  k a r o y t Esc tables\n"));
  EXPECT_TRUE(top_screen(80, heading)
                  .starts_with("prof top  a-session-with-a-name-of-this-length  by time  q quit  p "
                               "pause\n  k a r o y t Esc tables\n"))
      << top_screen(80, heading);
}

}  // namespace
}  // namespace prof::cli
