#include "cli/output/kernels/baseline.hpp"

#include <array>

#include "cli/messages/failure.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/table_output.hpp"
#include "exporters/analysis/diff/kernel_metrics.hpp"
#include "exporters/analysis/events/report_views.hpp"

namespace prof::cli {

void check_baseline(std::string& baseline) {
  baseline = find_report_file(baseline);
  const auto reader = open_report(baseline, true);
  const std::array<diff::Part, 1> part{{{&reader}}};
  if (!diff::have_profiles(part, part))
    throw Failure(baseline +
                  " has no profiles of kernels: --baseline needs a report of prof kernel");
  close_report(reader);
}

void print_changes_since(const std::string& baseline, const std::string& report) {
  const auto first = open_report(baseline, true);
  const auto second = open_report(report, true);
  const std::array<diff::Part, 1> before{{{&first}}};
  const std::array<diff::Part, 1> after{{{&second}}};
  if (!diff::have_profiles(before, after)) return;
  for (const auto* reader : {&first, &second}) check(events::make_views(*reader));
  const diff::MetricChanges changes = take(diff::metric_changes(before, after));
  put_table({report}, changes.table, "Changes since " + baseline, "diff_kernel_metrics",
            diff::metric_changes_note(changes));
  close_report(first);
  close_report(second);
}

}  // namespace prof::cli
