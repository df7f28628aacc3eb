#include "cli/output/kernels/kernel_messages.hpp"

#include <set>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "collector/metrics/kernels/kernel_set.hpp"
#include "common/report/report_reader.hpp"

namespace prof::cli {

namespace {

std::int64_t number_of(const report::ReportReader& reader, const char* sql) {
  auto statement = take(reader.prepare(sql));
  return take(statement.step()) ? statement.integer(0) : 0;
}

// Prints why launches were not profiled: warnings from inside of the program.
bool print_reasons(const report::ReportReader& reader) {
  auto messages = take(reader.prepare(
      "SELECT text FROM DIAGNOSTIC_EVENT WHERE source = 1 AND severity = 2"));  // injection,
                                                                                // warning
  bool is_any = false;
  while (take(messages.step())) {
    print_message("prof: {}\n", messages.text(0));
    is_any = true;
  }
  return is_any;
}

}  // namespace

std::int64_t print_kernel_summary(const std::string& report) {
  const auto reader = take(report::ReportReader::open(report));
  const std::int64_t profiled =
      reader.has_table("PROF_KERNEL_PROFILES")
          ? number_of(reader, "SELECT COUNT(*) FROM PROF_KERNEL_PROFILES WHERE status = 'ok'")
          : 0;
  const bool is_explained = reader.has_table("DIAGNOSTIC_EVENT") && print_reasons(reader);
  const std::int64_t passes =
      reader.has_table("PROF_KERNEL_PASSES")
          ? number_of(reader,
                      "SELECT (SELECT COUNT(*) FROM PROF_KERNEL_PASSES) + COUNT(*) FROM "
                      "PROF_KERNEL_PROFILES WHERE status = 'ok' AND mode != 'rotate'")
          : 0;
  if (passes != 0)
    print_message("prof: {} {} made of {} launches\n", profiled,
                  profiled == 1 ? "profile was" : "profiles were", passes);
  else if (profiled != 0)
    print_message("prof: {} {} profiled\n", profiled,
                  profiled == 1 ? "launch was" : "launches were");
  else if (!is_explained)
    print_message("prof: no kernel was profiled, because the program launched none\n");
  return profiled;
}

UnknownMetrics unknown_metrics(const std::string& report, const std::vector<std::string>& names) {
  UnknownMetrics unknown;
  const auto reader = take(report::ReportReader::open(report));
  if (!reader.has_table("PROF_METRIC_NAMES")) return unknown;
  auto known = take(reader.prepare("SELECT name, chip FROM PROF_METRIC_NAMES"));
  std::set<std::string> found;
  while (take(known.step())) {
    found.emplace(known.text(0));
    unknown.chip = known.text(1);
  }
  for (const std::string& name : names)
    if (!metrics::needs_metric_list(name) && !found.empty() && !found.contains(name))
      unknown.names.push_back(name);
  return unknown;
}

}  // namespace prof::cli
