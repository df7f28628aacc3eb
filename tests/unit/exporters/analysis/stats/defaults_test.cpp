#include "exporters/analysis/stats/defaults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "exporters/analysis/events/event_tables.hpp"

namespace prof::stats {
namespace {

TEST(Defaults, NsyssComeFirstForFiles) {
  std::vector<std::string> names;
  for (const Statistic* report : defaults_for_files()) names.emplace_back(report->name);
  names.resize(16);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "nvtx_sum", "osrt_sum", "cuda_api_sum", "cuda_gpu_kern_sum",
                       "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "openmp_sum",
                       "opengl_khr_range_sum", "opengl_khr_gpu_range_sum", "vulkan_marker_sum",
                       "vulkan_gpu_marker_sum", "um_sum", "um_total_sum", "um_cpu_page_faults_sum",
                       "openacc_sum", "syscall_sum"}));
}

TEST(Defaults, TheSameForTerminals) {
  const auto for_files = defaults_for_files();
  const auto for_terminal = defaults_for_terminal();
  EXPECT_EQ(std::set(for_files.begin(), for_files.end()),
            std::set(for_terminal.begin(), for_terminal.end()));
  EXPECT_EQ(for_files.size(), for_terminal.size());
}

// Names of tables may end with a star.
bool is_covered(const std::set<std::string>& covered, const std::string& table) {
  return std::ranges::any_of(covered, [&](const std::string& name) {
    return name == table ||
           (name.ends_with('*') && table.starts_with(name.substr(0, name.size() - 1)));
  });
}

// Every table that a statistic reads is read by a default one. Short calls have a line below
// osrt_sum.
TEST(Defaults, CoverAllTables) {
  std::set<std::string> covered = {events::kShortCallTable};
  for (const Statistic* report : defaults_for_files())
    for (const char* table : report->tables)
      if (table != nullptr) covered.insert(table);
  for (const Statistic& report : catalog())
    for (const char* table : report.tables)
      EXPECT_TRUE(table == nullptr || is_covered(covered, table)) << report.name << ' ' << table;
}

}  // namespace
}  // namespace prof::stats
