// nvtx_sum: ranges of both kinds. nvtx_pushpop_sum, nvtx_startend_sum: ranges of one kind.
#include "exporters/events/nvtx_ranges.hpp"
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"

namespace prof::stats {

namespace {

using Labels = std::vector<std::string>;

// Ranges of different kinds with the same name are different groups.
struct RangeKey {
  std::int64_t type;
  std::int32_t name;
  auto operator<=>(const RangeKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct HashRange {
  std::size_t operator()(const RangeKey& key) const {
    return std::hash<std::int64_t>()(2 * std::int64_t{key.name} + key.type);
  }
};

base::Result<tables::Table> sum_of_kind(const report::ReportReader& reader, std::int64_t type) {
  events::RangeNames names(reader);
  DurationGroups<std::int32_t> groups;
  const base::Status read = events::for_each_range_time(
      reader, names, [&](std::int64_t of_type, std::int32_t name, std::int64_t duration) {
        if (of_type == type) groups.add(name, duration);
      });
  if (!read) return tl::make_unexpected(read.error());
  return summary_table(groups, "Instances", {"Range"},
                       [&](std::int32_t name) { return Labels{names.text(name)}; });
}

}  // namespace

base::Result<tables::Table> nvtx_sum(const report::ReportReader& reader, const Arguments&) {
  events::RangeNames names(reader);
  DurationGroups<RangeKey, HashRange> groups;
  const base::Status read = events::for_each_range_time(
      reader, names, [&](std::int64_t type, std::int32_t name, std::int64_t duration) {
        groups.add({type, name}, duration);
      });
  if (!read) return tl::make_unexpected(read.error());
  return summary_table(groups, "Instances", {"Style", "Range"}, [&](const RangeKey& key) {
    return Labels{events::range_style(key.type), names.text(key.name)};
  });
}

base::Result<tables::Table> nvtx_pushpop_sum(const report::ReportReader& reader, const Arguments&) {
  return sum_of_kind(reader, events::kPushPopRange);
}

base::Result<tables::Table> nvtx_startend_sum(const report::ReportReader& reader,
                                              const Arguments&) {
  return sum_of_kind(reader, events::kStartEndRange);
}

}  // namespace prof::stats
