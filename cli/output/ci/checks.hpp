// Checks of reports in the formats of continuous integration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prof::cli {

// Texts come from reports, so they may have any bytes.
struct Check {
  std::string name;  // a finding, or a watched time
  std::string text;  // what was found
  bool failed = false;
};

struct CheckedReport {
  std::string name;
  std::vector<Check> checks = {};
};

// Returns an XML document in the format of JUnit: a suite for each report, a test case for each
// check. `verb` becomes the class of the test cases: "analyze".
std::string junit_text(std::string_view verb, const std::vector<CheckedReport>& reports);

// Returns workflow commands of GitHub Actions, a line each: an error for each failed check, a
// notice for each other one.
std::string github_commands(std::string_view verb, const std::vector<CheckedReport>& reports);

// Returns a table in Markdown, for the summary of a job.
std::string markdown_summary(std::string_view verb, const std::vector<CheckedReport>& reports);

}  // namespace prof::cli
