// nvtx_sum: ranges of both kinds. nvtx_pushpop_sum, nvtx_startend_sum: ranges of one kind.
#include "exporters/analysis/events/numbered_names.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/selection/thinning.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/value_groups.hpp"

namespace prof::stats {

namespace {

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

// Groups the names of ranges: equal names or, with `merge`, names that differ only in numbers.
class RangeGroups {
 public:
  RangeGroups(const report::ReportReader& reader, bool merge) : names_(reader), merge_(merge) {}

  events::RangeNames& names() { return names_; }
  std::int32_t group(std::int32_t name) {
    if (!merge_) return name;
    const auto at = static_cast<std::size_t>(name);
    if (at >= groups_.size()) groups_.resize(at + 1, kUnknown);
    if (groups_[at] == kUnknown) groups_[at] = numbered_.group(names_.text(name));
    return groups_[at];
  }
  const std::string& text(std::int32_t group) const {
    return merge_ ? numbered_.text(group) : names_.text(group);
  }

 private:
  static constexpr std::int32_t kUnknown = -1;

  events::RangeNames names_;
  bool merge_;
  events::NumberedNames numbered_;
  std::vector<std::int32_t> groups_;  // by number of the name
};

// `only` is the kind of the ranges; 0: both kinds.
template <class Groups>
base::Status add_ranges(const report::ReportReader& reader, std::int64_t only, RangeGroups& ranges,
                        Groups& groups) {
  if constexpr (requires { Groups::kIsEstimate; })
    return events::for_each_weighted_range(
        reader, ranges.names(),
        [&](std::int64_t type, std::int32_t name, std::int64_t duration, std::int64_t weight) {
          if (only == 0 || type == only) groups.add({type, ranges.group(name)}, duration, weight);
        });
  else
    return events::for_each_range_time(
        reader, ranges.names(), [&](std::int64_t type, std::int32_t name, std::int64_t duration) {
          if (only == 0 || type == only) groups.add({type, ranges.group(name)}, duration);
        });
}

std::vector<std::string> labels_of(const RangeKey& key, const RangeGroups& ranges,
                                   std::int64_t only) {
  if (only != 0) return {ranges.text(key.name)};
  return {events::range_style(key.type), ranges.text(key.name)};
}

base::Result<ValueGroups> values_of_kind(const report::ReportReader& reader, std::int64_t only,
                                         bool merge) {
  RangeGroups ranges(reader, merge);
  DurationGroups<RangeKey, HashRange> groups;
  const base::Status read = add_ranges(reader, only, ranges, groups);
  if (!read) return tl::make_unexpected(read.error());
  return value_groups(groups, [&](const RangeKey& key) { return labels_of(key, ranges, only); });
}

base::Result<tables::Table> estimated_sum(const report::ReportReader& reader, std::int64_t only,
                                          bool merge) {
  RangeGroups ranges(reader, merge);
  WeightedGroups<RangeKey> groups;
  const base::Status read = add_ranges(reader, only, ranges, groups);
  if (!read) return tl::make_unexpected(read.error());
  std::vector<const char*> headers = {"Range"};
  if (only == 0) headers.insert(headers.begin(), "Style");
  return summary_table(groups, "Instances", headers,
                       [&](const RangeKey& key) { return labels_of(key, ranges, only); });
}

base::Result<tables::Table> sum_of_kind(const report::ReportReader& reader, std::int64_t only,
                                        bool merge) {
  if (events::has_weights(reader, events::kNvtxTable)) return estimated_sum(reader, only, merge);
  return table_of(only == 0 ? kRangeSum : kRangeSumOfKind, values_of_kind(reader, only, merge));
}

}  // namespace

base::Result<ValueGroups> range_values(const report::ReportReader& reader,
                                       const Arguments& arguments) {
  return values_of_kind(reader, 0, arguments.merge_numbers);
}

base::Result<ValueGroups> pushpop_values(const report::ReportReader& reader,
                                         const Arguments& arguments) {
  return values_of_kind(reader, events::kPushPopRange, arguments.merge_numbers);
}

base::Result<ValueGroups> startend_values(const report::ReportReader& reader,
                                          const Arguments& arguments) {
  return values_of_kind(reader, events::kStartEndRange, arguments.merge_numbers);
}

base::Result<tables::Table> nvtx_sum(const report::ReportReader& reader,
                                     const Arguments& arguments) {
  return sum_of_kind(reader, 0, arguments.merge_numbers);
}

base::Result<tables::Table> nvtx_pushpop_sum(const report::ReportReader& reader,
                                             const Arguments& arguments) {
  return sum_of_kind(reader, events::kPushPopRange, arguments.merge_numbers);
}

base::Result<tables::Table> nvtx_startend_sum(const report::ReportReader& reader,
                                              const Arguments& arguments) {
  return sum_of_kind(reader, events::kStartEndRange, arguments.merge_numbers);
}

}  // namespace prof::stats
