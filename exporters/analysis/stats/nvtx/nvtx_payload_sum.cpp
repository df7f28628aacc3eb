// nvtx_payload_sum: the numbers in payloads of NVTX events, by event and field.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "exporters/analysis/events/nvtx/nvtx_payloads.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

using Json = nlohmann::json;
using Fields = std::vector<std::pair<std::string, double>>;

// Adds the numbers of a payload, with names from the outermost field on. Elements of an array are
// values of one field.
void add_fields(const std::string& name, const Json& value, Fields& fields) {
  if (value.is_number()) {
    // Identifiers are left out, because their sum has no meaning.
    if (!name.ends_with(" ID")) fields.emplace_back(name, value.get<double>());
  } else if (value.is_array()) {
    for (const Json& element : value) add_fields(name, element, fields);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      add_fields(name.empty() ? key : name + "." + key, member, fields);
  }
}

// Keeps the fields of payloads, because many events have the same payload.
class FieldCache {
 public:
  const Fields& of(std::string_view json) {
    constexpr std::size_t kMaximum = 65536;
    if (cache_.size() >= kMaximum) cache_.clear();
    const auto [found, is_new] = cache_.try_emplace(std::string(json));
    if (is_new) add_fields("", Json::parse(json, nullptr, false), found->second);
    return found->second;
  }

 private:
  std::unordered_map<std::string, Fields> cache_;
};

struct PayloadKey {
  std::int64_t type;
  std::int32_t range;
  std::string field;
  auto operator<=>(const PayloadKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct PayloadSum {
  std::vector<double> values;
  std::int64_t time = 0;  // ns, of the ranges
};

const char* payload_style(std::int64_t type) {
  return type == events::kNvtxMarkType ? "Mark" : events::range_style(type);
}

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<tables::Cell> cells_of(PayloadSum& sum) {
  double total = 0;
  for (const double value : sum.values) total += value;
  const double count = static_cast<double>(sum.values.size());
  const double average = total / count;
  double squares = 0;
  for (const double value : sum.values) squares += (value - average) * (value - average);
  const double middle = median(sum.values);
  return {
      static_cast<std::int64_t>(sum.values.size()),
      total,
      average,
      middle,
      sum.values.front(),
      sum.values.back(),
      sum.values.size() < 2 ? 0.0 : std::sqrt(squares / (count - 1)),
      sum.time == 0 ? tables::Cell{} : tables::Cell{1e9 * total / static_cast<double>(sum.time)}};
}

}  // namespace

base::Result<tables::Table> nvtx_payload_sum(const report::ReportReader& reader, const Arguments&) {
  events::RangeNames names(reader);
  FieldCache cache;
  std::map<PayloadKey, PayloadSum> sums;
  const base::Status read = events::for_each_payload(
      reader, names, [&](const events::NvtxRange& range, std::string_view json) {
        const PayloadSum* last = nullptr;
        for (const auto& [field, value] : cache.of(json)) {
          PayloadSum& sum = sums[{range.type, range.name, field}];
          sum.values.push_back(value);
          if (&sum != last) sum.time += range.duration();
          last = &sum;
        }
      });
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table{{{"Count", CellKind::kInteger},
                       {"Total", CellKind::kReal, 2},
                       {"Avg", CellKind::kReal, 2},
                       {"Med", CellKind::kReal, 2},
                       {"Min", CellKind::kReal, 2},
                       {"Max", CellKind::kReal, 2},
                       {"StdDev", CellKind::kReal, 2},
                       {"Per Second", CellKind::kReal, 2},
                       {"Field", CellKind::kText},
                       {"Style", CellKind::kText},
                       {"Range", CellKind::kText}},
                      {}};
  for (auto& [key, sum] : sums) {
    auto cells = cells_of(sum);
    cells.insert(cells.end(), {key.field, payload_style(key.type), names.text(key.range)});
    table.rows.push_back(std::move(cells));
  }
  // Sorts events by their count, most frequent first. The fields of an event stay together.
  std::ranges::stable_sort(table.rows, [](const auto& a, const auto& b) { return a[0] > b[0]; });
  return table;
}

}  // namespace prof::stats
