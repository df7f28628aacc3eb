// The statistics of a job: partial results of its reports, merged as they come.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/ranks/map.hpp"
#include "exporters/ranks/partial.hpp"

namespace prof::ranks {

// Which rows there are: one of all ranks, one for each node, or one for each rank.
enum class By { kRun, kNode, kRank };

class RunSums {
 public:
  explicit RunSums(By by) : by_(by) {}

  void add(const Partial& partial);

  // Makes the table of a statistic. To the columns of a report it adds: by run "Ranks", "Max Rank"
  // and "Spread (%)", by node also "Node", by rank only "Rank". Empty without data.
  tables::Table table(const Request& request);
  // Returns the reports or ranks whose values of this statistic are estimates.
  std::vector<std::string> estimated(const std::string& name) const;

 private:
  // The events of a group of all ranks of a row.
  struct Group {
    ValueTableSum values;
    std::vector<Wide> totals;
    std::map<Unit, Wide> total_of;
  };
  using Labels = std::vector<std::string>;
  using Groups = std::map<Labels, Group>;
  using RowKey = std::pair<std::string, Unit>;  // a node and a unit, as far as they divide rows

  RowKey key_of(const Unit& unit) const;
  std::vector<tables::ColumnSpec> more_columns() const;
  std::vector<tables::Cell> more_cells(const RowKey& key, const Group& group) const;

  By by_;
  std::map<std::string, std::map<RowKey, Groups>> statistics_;
  std::map<std::string, std::vector<std::string>> estimated_;
};

// Returns "rank 3 of job 4711", or the name of the report.
std::string text_of(const Unit& unit);

}  // namespace prof::ranks
