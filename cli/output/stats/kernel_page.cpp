#include "cli/output/stats/kernel_page.hpp"

#include <fmt/format.h>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/output/report_access.hpp"
#include "exporters/analysis/events/report_views.hpp"

namespace prof::cli {

void KernelPage::define(CLI::App& app) {
  app.add_option("--import", report_,
                 "Print profiles of a report as ncu does, instead of making new ones; or make a "
                 "report of a file of ncu: .ncu-rep, or its raw page as .csv")
      ->type_name("REPORT");
  with_import_ = {
      add_choice(app, "--page", page_,
                 {{"details", stats::NcuPage::kDetails},
                  {"raw", stats::NcuPage::kRaw},
                  {"source", stats::NcuPage::kSource}},
                 "With --import: metrics by section, and rules; a column for each metric; or "
                 "machine instructions with their SASS metrics, or with the PC samples of prof "
                 "profile --pc-sampling"),
      app.add_flag("--csv", csv_, "With --import: as CSV, with the columns of ncu"),
      add_choice(app, "--print-units", units_,
                 {{"auto", stats::PageUnits::kAuto}, {"base", stats::PageUnits::kBase}},
                 "With --import: with prefixes (Gbyte, us) or without (byte, ns)")};
}

bool KernelPage::is_asked_for() const {
  if (!report_.empty()) return true;
  for (const CLI::Option* option : with_import_)
    if (option->count() != 0)
      throw Failure(option->get_name() + " needs a report: --import REPORT", kBadUsage);
  return false;
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
  const std::string text = take(stats::ncu_page(reader, page_, units_));
  if (text.empty() && page_ == stats::NcuPage::kSource)
    throw Failure(report_ +
                  " has neither PC samples (prof profile --pc-sampling) nor SASS metrics (prof "
                  "kernel --section SourceCounters)");
  if (text.empty())
    throw Failure(report_ + " has no profiles of kernels. To record them: prof kernel");
  fmt::print("{}", text);
  close_report(reader);
  return 0;
}

}  // namespace prof::cli
