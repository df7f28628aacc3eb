#include "exporters/analysis/tables/table_markup.hpp"

#include <gtest/gtest.h>

#include "exporters/analysis/tables/table_format.hpp"

namespace prof::tables {
namespace {

Table sample_markup() {
  return {{{"Total (ns)", CellKind::kInteger}, {"Name", CellKind::kText}},
          {{std::int64_t{20002204}, std::string("f<int>(T1 *, \"a|b\" & c)")},
           {Cell{}, std::string("g")}}};
}

TEST(TableMarkup, Markdown) {
  EXPECT_EQ(format_table(sample_markup(), TableFormat::kMarkdown, "A Title", "a"),
            "## A Title (a)\n\n"
            "| Total (ns) | Name |\n"
            "|---:|:---|\n"
            "| 20,002,204 | f\\<int\\>(T1 \\*, \"a\\|b\" & c) |\n"
            "|  | g |\n\n");
}

TEST(TableMarkup, HtmlTable) {
  EXPECT_EQ(format_table(sample_markup(), TableFormat::kHtmlTable, "", ""),
            "<table>\n  <thead>\n    <tr><th>Total (ns)</th><th>Name</th></tr>\n  </thead>\n"
            "  <tbody>\n"
            "    <tr><td style=\"text-align: right\">20,002,204</td>"
            "<td>f&lt;int&gt;(T1 *, &quot;a|b&quot; &amp; c)</td></tr>\n"
            "    <tr><td style=\"text-align: right\"></td><td>g</td></tr>\n"
            "  </tbody>\n</table>\n");
}

TEST(TableMarkup, HtmlDocument) {
  const std::string document =
      format_table(sample_markup(), TableFormat::kHtmlDocument, "A <Title>", "a");
  EXPECT_TRUE(document.starts_with("<!DOCTYPE html>\n"));
  EXPECT_NE(document.find("<h1>A &lt;Title&gt; (a)</h1>"), std::string::npos);
  EXPECT_NE(document.find(format_table(sample_markup(), TableFormat::kHtmlTable, "", "")),
            std::string::npos);
}

}  // namespace
}  // namespace prof::tables
