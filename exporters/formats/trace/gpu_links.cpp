#include "exporters/formats/trace/gpu_links.hpp"

#include <algorithm>
#include <tuple>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/formats/trace/gpu_tables.hpp"

namespace prof::formats {

base::Result<GpuLinks> GpuLinks::read(const report::ReportReader& reader) {
  GpuLinks links;
  for (const GpuTable& table : gpu_tables(reader)) {
    const base::Status read = events::for_each_event(
        reader, {table.table, {"globalPid", "correlationId"}},
        [&](const events::Times& times, const report::Row& row) {
          if (row.is_null(1)) return;
          links.works_.push_back({row.integer(1), times.start,
                                  static_cast<std::uint32_t>(events::process_of(row.integer(0))),
                                  false});
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  const auto key = [](const Work& work) {
    return std::tie(work.process, work.correlation, work.start);
  };
  const auto in_order = [&](const Work& a, const Work& b) { return key(a) < key(b); };
  if (!std::is_sorted(links.works_.begin(), links.works_.end(), in_order))
    std::stable_sort(links.works_.begin(), links.works_.end(), in_order);
  return links;
}

// Returns the index of the first work of the call. Calls usually come in the order of their ids, so
// the work is usually near the last one.
std::size_t GpuLinks::find(std::int64_t process, std::int64_t correlation) {
  const auto of_process = static_cast<std::uint32_t>(process);
  const auto is_before = [&](const Work& work) {
    return std::tie(work.process, work.correlation) < std::tie(of_process, correlation);
  };
  constexpr std::size_t kNear = 8;
  const bool is_after_hint = hint_ == 0 || is_before(works_[hint_ - 1]);
  for (std::size_t i = 0; is_after_hint && i < kNear; ++i) {
    if (hint_ == works_.size() || !is_before(works_[hint_])) return hint_;
    ++hint_;
  }
  const auto at = std::partition_point(works_.begin(), works_.end(), is_before);
  hint_ = static_cast<std::size_t>(at - works_.begin());
  return hint_;
}

std::uint64_t GpuLinks::work(std::int64_t process, std::int64_t correlation, std::int64_t start) {
  std::size_t at = find(process, correlation);
  const auto is_of_call = [&] {
    return at < works_.size() && works_[at].is_of(process, correlation);
  };
  if (is_of_call() &&
      works_[at].start < start)  // a call may have several pieces of work, as with a graph
    at = static_cast<std::size_t>(
        std::partition_point(works_.begin() + static_cast<std::ptrdiff_t>(at), works_.end(),
                             [&](const Work& work) {
                               return work.is_of(process, correlation) && work.start < start;
                             }) -
        works_.begin());
  for (; is_of_call() && works_[at].start == start; ++at) {
    if (!works_[at].is_launched) continue;
    works_[at].is_launched = false;
    return at + 1;
  }
  return 0;
}

}  // namespace prof::formats
