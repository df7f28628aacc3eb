// The statistics of a job: partial results of its reports, merged as they come.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/ranks/group_sums.hpp"
#include "exporters/ranks/map.hpp"
#include "exporters/ranks/partial.hpp"

namespace prof::ranks {

// Which rows there are: one of all ranks, one for each node, or one for each rank.
enum class By { kRun, kNode, kRank };

class RunSums {
 public:
  explicit RunSums(By by) : by_(by) {}

  void add(const Partial& partial);

  // Returns the statistics with a median that is not exact. A second pass over the events makes it
  // exact: of each partial result, made without sketches, wanted_of() selects the values that are
  // needed. Several threads may call it together.
  std::vector<Request> inexact(const std::vector<Request>& requests);
  Partial wanted_of(Partial partial) const;
  void add_wanted(const Partial& partial);

  // Makes the table of a statistic. To the columns of a report it adds: by run "Ranks", "Max Rank"
  // and "Spread (%)", by node also "Node", by rank only "Rank". If a median is not exact, the
  // header says "Med (approx)". Empty without data.
  tables::Table table(const Request& request);
  // Returns the reports or ranks whose values of this statistic are estimates.
  std::vector<std::string> estimated(const std::string& name) const;

 private:
  using RowKey = std::pair<std::string, Unit>;  // a node and a unit, as far as they divide rows

  RowKey key_of(const Unit& unit) const;
  const GroupSums* find(const std::string& name, const Unit& unit) const;  // null: nothing
  std::vector<tables::ColumnSpec> more_columns() const;
  std::vector<tables::Cell> more_cells(const RowKey& key, const GroupSums::Totals& totals) const;

  By by_;
  std::map<std::string, std::map<RowKey, GroupSums>> statistics_;
  std::map<Unit, std::uint32_t> number_of_;
  std::vector<const Unit*> units_;  // by number
  std::map<std::string, std::vector<std::string>> estimated_;
};

// Returns "rank 3 of job 4711", or the name of the report.
std::string text_of(const Unit& unit);

}  // namespace prof::ranks
