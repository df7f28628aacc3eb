// Options of prof kernel that print profiles as Nsight Compute does.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "exporters/analysis/stats/pages/ncu_pages.hpp"

namespace prof::cli {

class KernelPage {
 public:
  void define(CLI::App& app);
  // True if the command line asks for a report's page instead of a plan or a recording. Throws
  // Failure if it has options of pages, but names no report.
  bool is_asked_for() const;
  int print() const;
  const std::string& report() const { return report_; }

 private:
  std::string report_;
  stats::NcuPage page_ = stats::NcuPage::kDetails;
  stats::PageUnits units_ = stats::PageUnits::kAuto;
  bool csv_ = false;
  std::vector<const CLI::Option*> with_import_;
};

}  // namespace prof::cli
