#include "cli/output/stats/kernel_page.hpp"

#include <fmt/format.h>

#include "cli/messages/failure.hpp"
#include "cli/output/report_access.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/stats/pages/ncu_pages.hpp"

namespace prof::cli {

void KernelPage::define(CLI::App& app) {
  app.add_option("--import", report_,
                 "Print profiles of a report as ncu does, instead of making new ones")
      ->type_name("REPORT");
  app.add_option("--page", page_,
                 "With --import: details (metrics by section, and rules) or raw (a column for each "
                 "metric). Default: details")
      ->type_name("details|raw")
      ->check(CLI::IsMember({"details", "raw"}));
  app.add_flag("--csv", csv_, "With --import: as CSV, with the columns of ncu");
  app.add_option("--print-units", units_,
                 "With --import: auto (Gbyte, us) or base (byte, ns). Default: auto")
      ->type_name("auto|base")
      ->check(CLI::IsMember({"auto", "base"}));
}

int KernelPage::print() const {
  if (!csv_)
    throw Failure(
        "pages are CSV: add --csv. For tables: prof stats -r "
        "kernel_profile_sum,kernel_rules,kernel_metrics " +
            report_,
        kBadUsage);
  const auto reader = open_report(report_, false);
  check(events::make_views(reader));
  const std::string text =
      take(stats::ncu_page(reader, page_ == "raw" ? stats::NcuPage::kRaw : stats::NcuPage::kDetails,
                           units_ == "base" ? stats::PageUnits::kBase : stats::PageUnits::kAuto));
  if (text.empty())
    throw Failure(report_ + " has no profiles of kernels. To record them: prof kernel");
  fmt::print("{}", text);
  close_report(reader);
  return 0;
}

}  // namespace prof::cli
