#include "exporters/analysis/analyze/evidence/evidence.hpp"

#include <algorithm>

#include "exporters/analysis/analyze/evidence/number_queries.hpp"
#include "exporters/analysis/analyze/evidence/worst_rows.hpp"

namespace prof::analyze {

base::Status add_evidence(const report::ReportReader& reader, Diagnosis& diagnosis) {
  for (Finding& each : diagnosis.findings) {
    if (each.where) {
      auto worst = worst_rows(reader, *each.where);
      if (!worst) return tl::make_unexpected(worst.error());
      each.rows = std::move(worst->rows);
      if (!worst->sql.empty())
        add_query(reader, {kWorst, std::move(worst->sql), each.where->time.length()}, each.queries);
      for (std::string& sql : worst->spans)
        add_query(reader, {kWorst, std::move(sql), each.where->time.length()}, each.queries);
    }
    for (std::string& sql : queries_of_time(reader, each, diagnosis.window))
      add_query(reader, {kAtStake, std::move(sql), each.at_stake}, each.queries);
    for (std::string& sql : queries_of_calls(reader, each))
      add_query(reader, {kTimeInCalls, std::move(sql), each.time_in_calls}, each.queries);
  }
  return {};
}

}  // namespace prof::analyze
