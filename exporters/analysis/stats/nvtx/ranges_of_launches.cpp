#include "exporters/analysis/stats/nvtx/ranges_of_launches.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::stats {

namespace {

class Launches {
 public:
  static base::Result<Launches> read(const report::ReportReader& reader) {
    auto calls = events::ApiCalls::read(reader);
    if (!calls) return tl::make_unexpected(calls.error());
    return Launches(reader, std::move(*calls));
  }

  base::Status add_kernels(const events::KernelNames& names) {
    return events::for_each_kernel(reader_, names, [&](const events::Kernel& kernel) {
      add(kernel.start, kernel.end, kernel.global_pid, kernel.correlation, kernel.key);
    });
  }

  base::Status add_memory(const char* table) {
    if (!reader_.has_table(table)) return {};
    return events::for_each_event(reader_, {table, {"globalPid", "correlationId"}},
                                  [&](const events::Times& times, const report::Row& row) {
                                    add(times.start, times.end, row.integer(0), row.integer(1), {});
                                  });
  }

  std::vector<LaunchedOperation> take() { return std::move(operations_); }

 private:
  Launches(const report::ReportReader& reader, events::ApiCalls calls)
      : reader_(reader), calls_(std::move(calls)) {}

  void add(std::int64_t start, std::int64_t end, std::int64_t global_pid, std::int64_t correlation,
           const events::KernelKey& kernel) {
    const events::ApiCall* call = calls_.launching(global_pid, correlation);
    if (call != nullptr)
      operations_.push_back({call->start, call->end, call->global_tid, start, end, kernel});
  }

  const report::ReportReader& reader_;
  events::ApiCalls calls_;
  std::vector<LaunchedOperation> operations_;
};

}  // namespace

base::Result<std::vector<LaunchedOperation>> launched_kernels(const report::ReportReader& reader,
                                                              const events::KernelNames& names) {
  auto launches = Launches::read(reader);
  if (!launches) return tl::make_unexpected(launches.error());
  const base::Status read = launches->add_kernels(names);
  if (!read) return tl::make_unexpected(read.error());
  return launches->take();
}

base::Result<std::vector<LaunchedOperation>> launched_operations(const report::ReportReader& reader,
                                                                 const events::KernelNames& names) {
  auto launches = Launches::read(reader);
  if (!launches) return tl::make_unexpected(launches.error());
  base::Status read = launches->add_kernels(names);
  if (read) read = launches->add_memory(events::kMemcpyTable);
  if (read) read = launches->add_memory(events::kMemsetTable);
  if (!read) return tl::make_unexpected(read.error());
  return launches->take();
}

void for_each_range_of_launches(
    const events::RangeTree& tree, std::vector<LaunchedOperation>& operations,
    const std::function<void(const LaunchedOperation&, std::int32_t range)>& visit) {
  std::sort(operations.begin(), operations.end(), [](const auto& a, const auto& b) {
    return std::tie(a.global_tid, a.call_start) < std::tie(b.global_tid, b.call_start);
  });
  struct OpenRange {
    std::int32_t index;
    std::int64_t global_tid;
    std::int64_t end;
  };
  std::vector<OpenRange> open;
  std::size_t next = 0;
  for (const LaunchedOperation& operation : operations) {
    for (; next < tree.size(); ++next) {
      const events::RangeTree::Range range = tree.at(next);
      if (std::tie(range.global_tid, range.start) >
          std::tie(operation.global_tid, operation.call_start))
        break;
      open.push_back({static_cast<std::int32_t>(next), range.global_tid, range.end});
    }
    std::erase_if(open, [&](const OpenRange& range) {
      return range.global_tid != operation.global_tid || range.end < operation.call_start;
    });
    bool found = false;
    for (const OpenRange& range : open) {
      if (range.end < operation.call_end) continue;
      found = true;
      visit(operation, range.index);
    }
    if (!found) visit(operation, events::RangeTree::kNone);
  }
}

}  // namespace prof::stats
