// Sums of a report by topic, as facts: the largest ones, and the sum of all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/text/marked_name.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/facts/basis.hpp"
#include "exporters/analysis/facts/topics.hpp"

namespace prof::facts {

struct Statistic {
  Topic topic = Topic::kRecord;
  const char* quantity = "";  // a word that does not change: "kernel_time"
  const char* unit = "ns";
  Basis basis = Basis::kMeasured;
  std::int64_t value = 0;
  std::int64_t count = 0;            // of the rows that it was computed of; 0: unknown
  std::optional<double> share = {};  // of the sum of this quantity, 0 to 1
  std::optional<base::KnownName> name = {};
  std::size_t other_names = 0;  // the number of further names that it is the sum of
  const char* table = nullptr;
  std::optional<std::int64_t> pid = {}, tid = {}, device = {}, gpu = {};
  std::string sql = {};  // gives the value and the count; empty: no SQL does
};

// Returns the statistics of a topic. Empty if the report has no such events.
base::Result<std::vector<Statistic>> statistics_of(const report::ReportReader& reader, Topic topic);

}  // namespace prof::facts
