#include "exporters/analysis/replay/range_times.hpp"

#include <algorithm>
#include <utility>

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

namespace prof::replay {

base::Result<RangesByName> RangeTimes::read(const report::ReportReader& reader,
                                            const std::vector<std::string>& names) {
  RangesByName result;
  for (const std::string& name : names) result[name];
  if (names.empty() || !reader.has_table(events::kNvtxTable)) return result;
  events::RangeNames texts(reader);
  std::vector<std::vector<RangeTimes*>> places;  // by number of the text
  const base::Status read =
      events::for_each_range(reader, texts, [&](const events::NvtxRange& range) {
        for (auto number = static_cast<std::int32_t>(places.size()); number <= range.name;
             ++number) {
          // A name without a domain begins with a colon.
          const std::string& text = texts.text(number);
          auto& of_name = places.emplace_back();
          for (auto& [name, times] : result)
            if (text == name || (text.starts_with(':') && text.substr(1) == name))
              of_name.push_back(&times);
        }
        if (range.end < range.start) return;
        for (RangeTimes* times : places[static_cast<std::size_t>(range.name)])
          times->times_[range.global_tid].push_back({range.start, range.end});
      });
  if (!read) return tl::make_unexpected(read.error());
  for (auto& [name, each] : result)
    for (auto& [thread, times] : each.times_) times = insight::merged(std::move(times));
  return result;
}

RangeTimes::RangeTimes(std::map<std::int64_t, insight::Intervals> times)
    : times_(std::move(times)) {
  for (auto& [thread, each] : times_) each = insight::merged(std::move(each));
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
