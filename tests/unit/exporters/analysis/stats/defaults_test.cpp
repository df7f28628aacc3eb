#include "exporters/analysis/stats/defaults.hpp"

#include <gtest/gtest.h>

#include <set>

#include "exporters/analysis/events/event_tables.hpp"

namespace prof::stats {
namespace {

TEST(Defaults, NsyssComeFirstForFiles) {
  const auto reports = defaults_for_files();
  std::size_t i = 0;
  for (const auto& part : {default_reports(), defaults_with_data()})
    for (const StatsReport& report : part) EXPECT_EQ(reports.at(i++)->name, report.name);
}

TEST(Defaults, TheSameForTerminals) {
  const auto for_files = defaults_for_files();
  const auto for_terminal = defaults_for_terminal();
  EXPECT_EQ(std::set(for_files.begin(), for_files.end()),
            std::set(for_terminal.begin(), for_terminal.end()));
  EXPECT_EQ(for_files.size(), for_terminal.size());
}

// Every table that a statistic reads is read by a default one. Short calls have a line below
// osrt_sum.
TEST(Defaults, CoverAllTables) {
  std::set<std::string> covered = {events::kShortCallTable};
  for (const StatsReport* report : defaults_for_files())
    for (const char* table : report->tables)
      if (table != nullptr) covered.insert(table);
  for (const StatsReport& report : catalog())
    for (const char* table : report.tables)
      EXPECT_TRUE(table == nullptr || covered.contains(table)) << report.name << ' ' << table;
}

}  // namespace
}  // namespace prof::stats
