// gpu_idle_sum: idle times of the devices, by cause, NVTX range and API call.
#include <unordered_map>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/names.hpp"
#include "exporters/analysis/insight/report_activity.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

namespace {

// Numbers the names of ranges. Digits in names are ignored, so that "step 1" and "step 2" are one
// group.
class RangeKinds {
 public:
  explicit RangeKinds(const events::RangeTree& ranges) : ranges_(&ranges) {}

  std::int32_t number(std::int32_t range) {
    if (range == events::RangeTree::kNone) return events::RangeTree::kNone;
    const std::int32_t name = ranges_->at(range).name;
    const auto [at, is_new] = by_name_.try_emplace(name);
    if (is_new) at->second = number_of(insight::without_numbers(ranges_->name_at(name)));
    return at->second;
  }
  tables::Cell cell(std::int32_t number) const {
    return number == events::RangeTree::kNone
               ? tables::Cell{}
               : tables::Cell{texts_[static_cast<std::size_t>(number)]};
  }

 private:
  std::int32_t number_of(const std::string& text) {
    const auto [at, is_new] = by_text_.try_emplace(text, static_cast<std::int32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return at->second;
  }

  const events::RangeTree* ranges_;
  std::unordered_map<std::int32_t, std::int32_t> by_name_;
  std::unordered_map<std::string, std::int32_t> by_text_;
  std::vector<std::string> texts_;
};

struct Key {
  std::uint32_t device;
  insight::IdleCause cause;
  std::int32_t range;                            // number in RangeKinds, or RangeTree::kNone
  std::int64_t call;                             // as in IdleTime
  auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct HashGap {
  std::size_t operator()(const Key& key) const {
    std::size_t hash = key.device * std::size_t{8} + static_cast<std::size_t>(key.cause);
    hash = hash * 0x100000001b3 + static_cast<std::size_t>(key.range);
    return hash * 0x100000001b3 + static_cast<std::size_t>(key.call);
  }
};

}  // namespace

base::Result<tables::Table> gpu_idle_sum(const report::ReportReader& reader, const Arguments&) {
  const auto timeline = insight::ReportActivity::read(reader);
  if (!timeline) return tl::make_unexpected(timeline.error());
  const auto& [work, calls, ranges, idle] = *timeline;

  RangeKinds names(ranges);
  DurationGroups<Key, HashGap> groups;
  for (const insight::IdleTime& each : idle)
    groups.add({each.device, each.cause, names.number(each.range), each.call}, each.time.length());
  tables::Table table{summary_columns("Times"), {}};
  for (const char* header : {"PID", "Device"})
    table.columns.push_back({header, tables::CellKind::kInteger});
  for (const char* header : {"Range", "API Call", "Cause"})
    table.columns.push_back({header, tables::CellKind::kText});
  for (const auto& [key, durations, percent] : groups.summarise()) {
    auto cells = summary_cells(durations, percent);
    const insight::Device& device = work.devices()[key.device];
    cells.emplace_back(events::pid_of(device.global_pid));
    cells.emplace_back(device.number);
    cells.push_back(names.cell(key.range));
    cells.push_back(key.call == insight::IdleTime::kNoCall ? tables::Cell{}
                                                           : tables::Cell{calls.name_at(key.call)});
    cells.emplace_back(name_of(key.cause));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace prof::stats
