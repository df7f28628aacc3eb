#include "cli/output/ci/ci_output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "cli/messages/failure.hpp"

namespace prof::cli {

namespace {

constexpr const char* kGithub = "github";

void write_file(const std::string& path, std::ios::openmode mode, const std::string& text) {
  std::ofstream file(path, mode | std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace

void CiOutput::add(CLI::App& app) {
  app.add_option("--junit", junit_, "Also write the checks as an XML file in the format of JUnit")
      ->type_name("FILE");
  app.add_option("--sarif", sarif_, "Also write the checks as a file in the format of SARIF 2.1.0")
      ->type_name("FILE");
  app.add_option(
         "--code-quality", code_quality_,
         "Also write the failed checks, and those with a source line, as a file for GitLab's "
         "code quality")
      ->type_name("FILE");
  app.add_option(
         "--annotate", annotate_,
         "Also print the checks on stderr as annotations of GitHub Actions, and add them to "
         "the job's summary")
      ->type_name("github")
      ->check(CLI::IsMember({kGithub}));
}

void CiOutput::write(std::string_view verb, const std::vector<CheckedReport>& reports) const {
  if (!junit_.empty()) write_file(junit_, std::ios::trunc, junit_text(verb, reports));
  if (!sarif_.empty()) write_file(sarif_, std::ios::trunc, sarif_text(reports));
  if (!code_quality_.empty())
    write_file(code_quality_, std::ios::trunc, code_quality_text(reports));
  if (annotate_.empty()) return;
  fmt::print(stderr, "{}", github_commands(verb, reports));
  const char* summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary != nullptr && *summary != 0)
    write_file(summary, std::ios::app, markdown_summary(verb, reports));
}

}  // namespace prof::cli
