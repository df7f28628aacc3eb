// --junit, --sarif, --code-quality and --annotate: the checks of a verb for continuous integration.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/ci/checks.hpp"

namespace prof::cli {

class CiOutput {
 public:
  void add(CLI::App& app);
  bool is_wanted() const {
    return !junit_.empty() || !sarif_.empty() || !code_quality_.empty() || !annotate_.empty();
  }

  // Writes what the user asked for. Throws Failure.
  void write(std::string_view verb, const std::vector<CheckedReport>& reports) const;

 private:
  std::string junit_;         // path
  std::string sarif_;         // path
  std::string code_quality_;  // path
  std::string annotate_;      // "github"
};

}  // namespace prof::cli
