// What changes would save, and the table of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/path/execution_model.hpp"
#include "exporters/analysis/replay/change_times.hpp"
#include "exporters/analysis/replay/replay_model.hpp"
#include "exporters/analysis/replay/what_if.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::replay {

// Times in ns.
struct Prediction {
  std::string what;  // the changes, as the user writes them
  std::int64_t measured = 0;
  std::int64_t replayed = 0;  // without a change
  std::int64_t predicted = 0;

  std::int64_t gain() const { return replayed - predicted; }
};

// Replays of one report, which is read once.
class ReportGains {
 public:
  static base::Result<ReportGains> read(const report::ReportReader& reader);

  const path::ExecutionModel& execution() const { return *execution_; }
  // The replay without a change.
  const Prediction& unchanged() const { return unchanged_; }
  // Predicts what the changes together would save. `times` has those of the changes. Fails if one
  // of them concerns nothing.
  base::Result<Prediction> predict(const std::vector<WhatIf>& changes,
                                   const ChangeTimes& times) const;

 private:
  explicit ReportGains(std::unique_ptr<path::ExecutionModel> execution);

  // The model refers to the execution, whose place in memory so does not change.
  std::unique_ptr<path::ExecutionModel> execution_;
  ReplayModel model_;
  Prediction unchanged_;
};

// Predicts what the changes together would save in one report. Fails if one of them concerns
// nothing.
base::Result<Prediction> predict(const report::ReportReader& reader,
                                 const std::vector<WhatIf>& changes);

// Predicts what would be saved if one of the largest ranges, operations and calls on the critical
// path took no time, the largest gain first.
base::Result<std::vector<Prediction>> predict_for_path(const report::ReportReader& reader);

tables::Table table_of(const std::vector<Prediction>& predictions);

// Returns why a change concerns nothing.
std::string matches_nothing(const WhatIf& change);

}  // namespace prof::replay
