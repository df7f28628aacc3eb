// Checks as GitLab's reports of code quality have them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/output/ci/checks.hpp"
#include "common/base/text/json.hpp"

namespace prof::cli {

namespace {

using Object = nlohmann::ordered_json;

// FNV-1a. GitLab recognises the problem of an earlier job by this text.
std::string fingerprint_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char each : text) {
    hash ^= static_cast<unsigned char>(each);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

// Every problem has a place there. Without a line of source code it is the report.
Object problem_of(const CheckedReport& report, const Check& check) {
  const bool has_line = check.line > 0;
  const std::string& file = has_line ? check.file : report.name;
  const int line = has_line ? check.line : 1;
  return {{"description", check.sentence.empty() ? check.name : check.sentence},
          {"content", {{"body", fmt::format("{}", fmt::join(check.names, ", "))}}},
          {"check_name", check.name},
          {"fingerprint", fingerprint_of(fmt::format("{}:{}:{}", check.name, file, line))},
          {"severity", check.failed ? "major" : "info"},
          {"location", {{"path", file}, {"lines", {{"begin", line}}}}}};
}

}  // namespace

std::string code_quality_text(const std::vector<CheckedReport>& reports) {
  Object problems = Object::array();
  for (const CheckedReport& report : reports)
    for (const Check& check : report.checks)
      if (!check.text.empty() && (check.failed || check.line > 0))
        problems.push_back(problem_of(report, check));
  return base::visible_json(problems.dump(2, ' ', false, Object::error_handler_t::replace)) + '\n';
}

}  // namespace prof::cli
