#include <fmt/format.h>

#include <algorithm>

#include "exporters/analyze/findings/finding.hpp"
#include "exporters/tables/percent.hpp"

namespace prof::analyze {

namespace {

constexpr NamedRule kRules[] = {
    {"pageable_copies", pageable_copies},
    {"small_copies", small_copies},
    {"single_stream", single_stream},  // before what it explains: they are equal in time
    {"serial_copies", serial_copies},
    {"synchronization", synchronization},
    {"slow_calls", slow_calls},
    {"launch_bound", launch_bound},
    {"data_loading", data_loading},
    {"cpu_bound", cpu_bound},
    {"exposed_communication", exposed_communication},
    {"uneven_iterations", uneven_iterations},
    {"fp32_gemm", fp32_gemm},
    {"small_grids", small_grids},
    {"layout_conversion", layout_conversion},
    {"allocator_churn", allocator_churn},
    {"profiler_overhead", profiler_overhead},
};

// Of the time that was looked at, in percent: what is less is not worth a sentence.
constexpr double kLeastShare = 2;

struct Unit {
  double size;
  const char* name;
};

std::string scaled(double value, std::span<const Unit> units) {
  const auto unit = std::find_if(units.begin(), std::prev(units.end()),
                                 [&](const Unit& each) { return value >= each.size; });
  return fmt::format("{:.3g} {}", value / unit->size, unit->name);
}

}  // namespace

std::span<const NamedRule> finding_rules() { return kRules; }

std::string time_text(std::int64_t ns) {
  static constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  return scaled(static_cast<double>(ns), kUnits);
}

std::string count_text(std::int64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", count, noun);
}

std::string bytes_text(std::int64_t bytes) {
  static constexpr Unit kUnits[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};
  return scaled(static_cast<double>(bytes), kUnits);
}

Diagnosis diagnose(const Facts& facts) {
  Diagnosis result;
  result.span = facts.span();
  if (facts.work.operations().empty()) {
    result.verdict = {"no GPU work", "the report has no kernels, copies or fills"};
    return result;
  }
  result.verdict = verdict_of(facts);
  for (const NamedRule& rule : kRules)
    if (auto finding = rule.run(facts);
        finding && tables::percent(finding->at_stake, result.span) >= kLeastShare)
      result.findings.push_back(*std::move(finding));
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.at_stake > b.at_stake; });
  return result;
}

}  // namespace prof::analyze
