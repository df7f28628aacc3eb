#include "exporters/analysis/replay/range_times.hpp"

#include <algorithm>

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

namespace prof::replay {

base::Result<std::vector<RangeTimes>> RangeTimes::read(const report::ReportReader& reader,
                                                       const std::vector<std::string>& names) {
  std::vector<RangeTimes> result(names.size());
  if (names.empty() || !reader.has_table(events::kNvtxTable)) return result;
  events::RangeNames texts(reader);
  std::vector<std::vector<std::size_t>> places;  // in `names`, by number of the text
  const base::Status read =
      events::for_each_range(reader, texts, [&](const events::NvtxRange& range) {
        for (auto number = static_cast<std::int32_t>(places.size()); number <= range.name;
             ++number) {
          // A name without a domain begins with a colon.
          const std::string& text = texts.text(number);
          auto& of_name = places.emplace_back();
          for (std::size_t i = 0; i < names.size(); ++i)
            if (text == names[i] || (text.starts_with(':') && text.substr(1) == names[i]))
              of_name.push_back(i);
        }
        if (range.end < range.start) return;
        for (const std::size_t place : places[static_cast<std::size_t>(range.name)])
          result[place].times_[range.global_tid].push_back({range.start, range.end});
      });
  if (!read) return tl::make_unexpected(read.error());
  for (RangeTimes& each : result)
    for (auto& [thread, times] : each.times_) times = insight::merged(std::move(times));
  return result;
}

double RangeTimes::share(std::int64_t global_tid, std::int64_t start, std::int64_t end) const {
  const auto thread = times_.find(global_tid);
  if (thread == times_.end()) return 0;
  const insight::Intervals& times = thread->second;
  auto at = std::ranges::upper_bound(times, start, {}, &insight::Interval::end);
  if (start >= end) return at != times.end() && at->start <= start ? 1 : 0;
  std::int64_t inside = 0;
  for (; at != times.end() && at->start < end; ++at)
    inside += std::min(at->end, end) - std::max(at->start, start);
  return static_cast<double>(inside) / static_cast<double>(end - start);
}

}  // namespace prof::replay
