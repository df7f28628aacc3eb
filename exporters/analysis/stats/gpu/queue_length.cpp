// queue_length: the number of launches that wait for the GPU, by stream.
#include <algorithm>
#include <tuple>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

// The length of CUDA's queue. The next launch blocks its thread.
constexpr std::int64_t kFull = 1024;

// A launch: everything that one call launched on one stream, such as all kernels of a graph. It
// waits from the start of the call to the start of its first operation.
struct Launch {
  std::uint32_t device;
  std::int32_t stream;
  const events::ApiCall* call;
  std::int64_t start;  // ns, of the operation
};

bool is_same(const Launch& a, const Launch& b) {
  return std::tie(a.device, a.stream, a.call) == std::tie(b.device, b.stream, b.call);
}

std::vector<Launch> launches_of(const insight::GpuWork& work, const events::ApiCalls& calls) {
  std::vector<Launch> launches;
  for (const insight::Operation& each : work.operations())
    if (const events::ApiCall* call = calls.launching(work.global_pid(each), each.correlation))
      launches.push_back({each.device, each.stream, call, std::max(each.start, call->start)});
  std::sort(launches.begin(), launches.end(), [](const Launch& a, const Launch& b) {
    return std::tie(a.device, a.stream, a.call, a.start) <
           std::tie(b.device, b.stream, b.call, b.start);
  });
  launches.erase(std::unique(launches.begin(), launches.end(), is_same), launches.end());
  return launches;
}

struct Queue {
  std::vector<std::int64_t> seen;  // the queue length that each launch met
  std::int64_t maximum = 0;
  std::int64_t span = 0;   // ns, from the first call's start to the last operation's start
  std::int64_t empty = 0;  // ns
  std::int64_t full = 0;   // ns
  double area = 0;         // length x ns
};

Queue queue_of(const Launch* first, const Launch* last) {
  struct Step {
    std::int64_t time;
    std::int64_t change;
  };
  std::vector<Step> steps;
  for (; first != last; ++first) {
    steps.push_back({first->call->start, 1});
    steps.push_back({first->start, -1});
  }
  // The sort is stable: a call comes before the start of its operation, even at the same time.
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.time < b.time; });
  Queue queue;
  std::int64_t length = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].change > 0) queue.seen.push_back(length);
    length += steps[i].change;
    queue.maximum = std::max(queue.maximum, length);
    const std::int64_t time = i + 1 < steps.size() ? steps[i + 1].time - steps[i].time : 0;
    queue.span += time;
    queue.area += static_cast<double>(length) * static_cast<double>(time);
    if (length == 0) queue.empty += time;
    if (length >= kFull) queue.full += time;
  }
  std::sort(queue.seen.begin(), queue.seen.end());
  return queue;
}

std::vector<tables::ColumnSpec> queue_columns() {
  return {{"Launches", CellKind::kInteger},
          {"Max", CellKind::kInteger},
          {"Avg", CellKind::kReal, 2},
          {"Seen Med", CellKind::kReal, 1},
          {"Seen P95", CellKind::kReal, 1},
          {"Empty (%)", CellKind::kReal, 1},
          {"Full Time (ns)", CellKind::kInteger},
          {"Span (ns)", CellKind::kInteger},
          {"PID", CellKind::kInteger},
          {"Device", CellKind::kInteger},
          {"Stream", CellKind::kInteger}};
}

std::vector<tables::Cell> cells_of(const Queue& queue) {
  const double average = queue.span == 0 ? 0 : queue.area / static_cast<double>(queue.span);
  return {static_cast<std::int64_t>(queue.seen.size()),
          queue.maximum,
          average,
          quantile(queue.seen, 0.5),
          quantile(queue.seen, 0.95),
          tables::percent(queue.empty, queue.span),
          queue.full,
          queue.span};
}

}  // namespace

base::Result<tables::Table> queue_length(const report::ReportReader& reader, const Arguments&) {
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  const auto calls = events::ApiCalls::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  const std::vector<Launch> launches = launches_of(*work, *calls);
  tables::Table table{queue_columns(), {}};
  for (auto first = launches.begin(); first != launches.end();) {
    const auto last = std::find_if(first, launches.end(), [&](const Launch& each) {
      return each.device != first->device || each.stream != first->stream;
    });
    auto cells = cells_of(queue_of(&*first, &*first + (last - first)));
    const insight::Device& device = work->devices()[first->device];
    cells.insert(cells.end(),
                 {events::pid_of(device.global_pid), device.number, std::int64_t{first->stream}});
    table.rows.push_back(std::move(cells));
    first = last;
  }
  tables::sort_descending(table, 0);
  return table;
}

}  // namespace prof::stats
