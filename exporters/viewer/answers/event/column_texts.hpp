// Shows the columns of a table's row: names instead of ids, bytes and times with units.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

class ColumnTexts {
 public:
  ColumnTexts(const report::ReportReader& reader, const timeline::Snapshot& snapshot,
              std::uint32_t report, std::string_view table);

  // Returns the text for a column of the statement's row. Empty for NULL.
  std::string text(const report::Statement& row, int column);

 private:
  std::string text_of_integer(std::string_view column, std::int64_t value);
  std::string enumerator(const std::string& table, std::int64_t id) const;
  std::string thread_text(std::int64_t global_id, bool is_process) const;

  const report::ReportReader& reader_;
  const timeline::Snapshot& snapshot_;
  std::uint32_t report_;
  events::Strings strings_;
  std::map<std::string, std::string, std::less<>>
      references_;  // by column: the table that has its ids
};

}  // namespace prof::view
