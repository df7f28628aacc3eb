#include "cli/output/ci/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "exporters/analysis/tables/table_markup.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::cli {

namespace {

constexpr std::size_t kLongestName = 200;  // characters
constexpr std::size_t kLongestText = 2000;

struct Replacement {
  char character;
  std::string_view by;
};

// The text is one line of valid UTF-8 without control characters before.
template <std::size_t N>
std::string replaced(std::string_view text, std::size_t longest, const Replacement (&all)[N]) {
  std::string result;
  for (const char character : tables::one_line(text, longest)) {
    const auto* const found = std::ranges::find(all, character, &Replacement::character);
    if (found == std::end(all))
      result += character;
    else
      result += found->by;
  }
  return result;
}

std::string xml(std::string_view text, std::size_t longest) {
  return tables::escaped_html(tables::one_line(text, longest));
}

// Of the data after "::". A line ends a command, and one_line() leaves none.
std::string command_data(std::string_view text) {
  constexpr Replacement kAll[] = {{'%', "%25"}};
  return replaced(text, kLongestText, kAll);
}

std::string command_property(std::string_view text) {
  constexpr Replacement kAll[] = {{'%', "%25"}, {':', "%3A"}, {',', "%2C"}};
  return replaced(text, kLongestName, kAll);
}

std::string markdown_cell(std::string_view text) {
  constexpr Replacement kAll[] = {{'|', "\\|"}, {'`', "\\`"},  {'*', "\\*"},  {'_', "\\_"},
                                  {'[', "\\["}, {'<', "&lt;"}, {'\\', "\\\\"}};
  return replaced(text, kLongestText, kAll);
}

std::size_t failures(const CheckedReport& report) {
  return static_cast<std::size_t>(std::ranges::count_if(report.checks, &Check::failed));
}

std::string test_case(std::string_view verb, const Check& check) {
  std::string text = fmt::format("    <testcase classname=\"prof.{}\" name=\"{}\"", verb,
                                 xml(check.name, kLongestName));
  if (check.text.empty() && !check.failed) return text + "/>\n";
  const std::string found = xml(check.text, kLongestText);
  text += check.failed ? fmt::format(">\n      <failure message=\"{}\"/>\n", found)
                       : fmt::format(">\n      <system-out>{}</system-out>\n", found);
  return text + "    </testcase>\n";
}

}  // namespace

std::string junit_text(std::string_view verb, const std::vector<CheckedReport>& reports) {
  std::size_t checks = 0;
  std::size_t failed = 0;
  std::string suites;
  for (const CheckedReport& report : reports) {
    checks += report.checks.size();
    failed += failures(report);
    suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
                          xml(report.name, kLongestName), report.checks.size(), failures(report));
    for (const Check& check : report.checks) suites += test_case(verb, check);
    suites += "  </testsuite>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"prof {}\" tests=\"{}\" failures=\"{}\">\n{}</testsuites>\n",
      verb, checks, failed, suites);
}

std::string github_commands(std::string_view verb, const std::vector<CheckedReport>& reports) {
  std::string text;
  for (const CheckedReport& report : reports)
    for (const Check& check : report.checks) {
      if (check.text.empty()) continue;
      text += fmt::format("::{} title={}::{}\n", check.failed ? "error" : "notice",
                          command_property(fmt::format("prof {}: {}", verb, check.name)),
                          command_data(report.name + ": " + check.text));
    }
  return text;
}

std::string markdown_summary(std::string_view verb, const std::vector<CheckedReport>& reports) {
  std::string text = fmt::format("### prof {}\n\n| | Report | Check | Found |\n|-|-|-|-|\n", verb);
  for (const CheckedReport& report : reports)
    for (const Check& check : report.checks)
      text += fmt::format("| {} | {} | {} | {} |\n", check.failed ? "failed" : "ok",
                          markdown_cell(report.name), markdown_cell(check.name),
                          markdown_cell(check.text));
  return text + '\n';
}

}  // namespace prof::cli
