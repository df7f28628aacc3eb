// Checks of reports in the formats of continuous integration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prof::cli {

// Texts come from reports, so they may have any bytes.
struct Check {
  std::string name;  // a finding, a watched time, or a condition
  std::string text;  // what was found
  bool failed = false;
  // For SARIF: the text without names of the report, these names, and a line of source code.
  std::string sentence = {};
  std::vector<std::string> names = {};
  std::string file = {};
  int line = 0;
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

// Returns a document of SARIF 2.1.0. Checks with a source line are results, and other ones are
// notifications of the tool, since GitHub refuses results without a place.
std::string sarif_text(const std::vector<CheckedReport>& reports);

// Returns GitLab's report of code quality: failed checks, and those with a source line. Names of
// the report are in the field "body".
std::string code_quality_text(const std::vector<CheckedReport>& reports);

// Returns a table in Markdown, for the summary of a job.
std::string markdown_summary(std::string_view verb, const std::vector<CheckedReport>& reports);

}  // namespace prof::cli
