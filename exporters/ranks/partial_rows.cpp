#include "exporters/ranks/partial_rows.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace prof::ranks {

namespace {

using nlohmann::json;

// Invalid UTF-8 becomes U+FFFD. prof's own labels have none.
std::string json_of(const std::vector<std::string>& labels) {
  return json(labels).dump(-1, ' ', false, json::error_handler_t::replace);
}

base::Result<std::vector<std::string>> labels_of(const std::string& text) {
  const json list = json::parse(text, nullptr, false);
  std::vector<std::string> labels;
  if (!list.is_array()) return base::fail("the labels of a partial result are not a JSON list");
  for (const json& label : list) {
    if (!label.is_string()) return base::fail("a label of a partial result is not a text");
    labels.push_back(label.get<std::string>());
  }
  return labels;
}

}  // namespace

std::vector<PartialRow> rows_of(const Partial& partial) {
  std::vector<PartialRow> rows;
  for (const auto& [unit, sums] : partial)
    for (const auto& [name, sum] : sums) {
      if (sum.groups.empty()) rows.push_back({unit, name, sum.has_estimates, std::nullopt, {}});
      for (const auto& [labels, values] : sum.groups)
        rows.push_back({unit, name, sum.has_estimates, json_of(labels), bytes_of(values)});
    }
  return rows;
}

base::Status add_row(Partial& partial, const PartialRow& row) {
  Sum& sum = partial[row.unit][row.statistic];
  sum.has_estimates |= row.has_estimates;
  if (!row.labels) return {};
  auto labels = labels_of(*row.labels);
  if (!labels) return tl::make_unexpected(labels.error());
  const auto values = values_of(row.values);
  if (!values) return tl::make_unexpected(values.error());
  merge(sum.groups[*std::move(labels)], *values);
  return {};
}

}  // namespace prof::ranks
