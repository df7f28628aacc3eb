#include "exporters/analysis/analyze/findings/limits.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/analysis/tables/percent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace prof::analyze {

namespace {

constexpr const char* kAny = "any";

bool is_known(const std::string& name) {
  const auto names = finding_names();
  return name == kAny || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

base::Result<Limits> parse_limits(const std::vector<std::string>& words) {
  Limits limits;
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!is_known(name))
      return base::fail("unknown finding " + name + " (see prof analyze --help-rules=findings)");
    double percent = 0;
    if (name.size() < word.size()) {
      const char* end = word.data() + word.size();
      const auto [stop, error] = std::from_chars(word.data() + name.size() + 1, end, percent);
      if (error != std::errc() || stop != end || !(percent >= 0 && percent <= 100))
        return base::fail("--fail-on " + word + ": expected a percentage from 0 to 100");
    }
    limits[name] = percent;
  }
  return limits;
}

std::vector<Exceeded> exceeded(const Limits& limits, const Diagnosis& diagnosis) {
  std::vector<Exceeded> result;
  for (const Finding& each : diagnosis.findings) {
    const double percent = tables::percent(each.at_stake, diagnosis.span);
    for (const char* name : {each.rule, kAny}) {
      const auto limit = limits.find(name);
      if (limit == limits.end() || percent < limit->second) continue;
      result.push_back({each.rule, fmt::format("{} takes {:.1f} % of the time (--fail-on {}={})",
                                               each.rule, percent, name, limit->second)});
      break;
    }
  }
  return result;
}

}  // namespace prof::analyze
