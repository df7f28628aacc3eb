#include "exporters/analysis/analyze/findings/facts.hpp"
#include "exporters/analysis/analyze/findings/gpu_users.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "exporters/analysis/analyze/findings/wait_reasons.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/occupancy/gpu_limits.hpp"
#include "exporters/analysis/insight/overhead.hpp"

namespace prof::analyze {

namespace {

using insight::Interval;
using insight::Iterations;

// Finds the iterations of all devices.
base::Result<std::vector<Iterations>> read_iterations(const report::ReportReader& reader,
                                                      const insight::GpuWork& work) {
  const auto ranges = events::RangeTree::read(reader);
  if (!ranges) return tl::make_unexpected(ranges.error());
  insight::IterationFinder finder(work, *ranges);
  std::vector<Iterations> result;
  for (std::size_t device = 0; device < work.devices().size(); ++device)
    if (auto found = finder.find(device)) result.push_back(*std::move(found));
  return result;
}

// Returns the time from the earliest second iteration to the latest end of an iteration, over all
// devices.
std::optional<Interval> steady_state(const std::vector<Iterations>& iterations) {
  constexpr std::size_t kMinIterations = 5;
  std::optional<Interval> result;
  for (const Iterations& each : iterations) {
    if (each.times.size() < kMinIterations) continue;
    const Interval steady{each.times[1].start, each.times.back().end};
    if (!result) result = steady;
    result->start = std::min(result->start, steady.start);
    result->end = std::max(result->end, steady.end);
  }
  return result;
}

// Reads the profiler's overhead between the first and the last GPU operation.
base::Status add_overhead(const report::ReportReader& reader, Facts& facts) {
  const auto overhead = insight::read_overhead(reader);
  if (!overhead) return tl::make_unexpected(overhead.error());
  if (facts.spans.empty()) return {};
  Interval all = facts.spans.front();
  for (const Interval& each : facts.spans)
    all = {std::min(all.start, each.start), std::max(all.end, each.end)};
  for (const auto& [process, times] : *overhead)
    for (const Interval& each : times) {
      const Interval part{std::max(each.start, all.start), std::min(each.end, all.end)};
      if (part.length() <= 0) continue;
      facts.profiler_overhead += part.length();
      if (part.length() > facts.longest_overhead.length()) facts.longest_overhead = part;
    }
  return {};
}

// Sums up launches by process, device, name, configuration and green context.
class ShapeSums {
 public:
  static report::ScanColumns columns() {
    return {"globalPid",
            "deviceId",
            "demangledName",
            "gridX",
            "gridY",
            "gridZ",
            "blockX",
            "blockY",
            "blockZ",
            "registersPerThread",
            "staticSharedMemory",
            "dynamicSharedMemory",
            "sharedMemoryExecuted",
            "streamId",
            "greenContextId"};
  }

  void add(const events::Times& times, const report::Row& row) {
    const auto volume = [&row](int x) {
      return events::product(events::product(row.integer(x), row.integer(x + 1)),
                             row.integer(x + 2));
    };
    const insight::LaunchShape launch{volume(3), volume(6), row.integer(9),
                                      events::sum(row.integer(10), row.integer(11))};
    const std::tuple key(row.integer(0), row.integer(1), row.integer_or(2, events::Strings::kNone),
                         launch, row.integer_or(14, 0));
    // The last sum is kept, because launches of one kernel often follow each other.
    if (last_ == sums_.end() || last_->first != key) last_ = sums_.try_emplace(key).first;
    Sum& sum = last_->second;
    ++sum.count;
    sum.time = events::sum(sum.time, times.duration());
    sum.shared_capacity = std::max(sum.shared_capacity, row.integer_or(12, 0));
    if (sum.count > 1 && times.duration() <= sum.longest.length()) return;
    sum.longest = {times.start, times.end};
    sum.stream = row.integer(13);
  }

  std::vector<KernelShape> shapes(const insight::GpuLimitsTable& gpus) const {
    std::vector<KernelShape> shapes;
    for (const auto& [key, sum] : sums_) {
      const auto& [process, device, name, launch, green_context] = key;
      const insight::GpuLimits gpu = gpus.of(events::pid_of(process), device, green_context);
      if (gpu.multiprocessors <= 0) continue;
      KernelShape shape{name,      launch, gpu, sum.count, sum.time, sum.longest, {process, device},
                        sum.stream};
      shape.launch.shared_capacity = sum.shared_capacity;
      shapes.push_back(shape);
    }
    return shapes;
  }

 private:
  struct Sum {
    std::int64_t count = 0;
    std::int64_t time = 0;  // ns
    Interval longest;
    std::int64_t stream = 0;
    std::int64_t shared_capacity = 0;  // the largest of the launches, bytes
  };
  using Sums = std::map<
      std::tuple<std::int64_t, std::int64_t, std::int64_t, insight::LaunchShape, std::int64_t>,
      Sum>;
  Sums sums_;
  Sums::iterator last_ = sums_.end();
};

base::Result<std::vector<KernelShape>> read_shapes(const report::ReportReader& reader) {
  if (!reader.has_table(events::kKernelTable)) return std::vector<KernelShape>();
  const auto gpus = insight::GpuLimitsTable::read(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  ShapeSums sums;
  const base::Status read = events::for_each_event(
      reader, {events::kKernelTable, ShapeSums::columns()},
      [&](const events::Times& times, const report::Row& row) { sums.add(times, row); });
  if (!read) return tl::make_unexpected(read.error());
  return sums.shapes(*gpus);
}

base::Result<std::vector<insight::CollectiveGroup>> read_collectives(
    const report::ReportReader& reader) {
  const auto collectives = insight::Collectives::read(reader);
  if (!collectives) return tl::make_unexpected(collectives.error());
  return insight::groups_of(*collectives);
}

// Reads the events that the views show, and computes all facts except the iterations. `work` is the
// GPU work that the views show.
base::Result<Facts> read_facts_of_views(const report::ReportReader& reader, insight::GpuWork work) {
  auto timeline = insight::ReportActivity::read(reader, std::move(work));
  if (!timeline) return tl::make_unexpected(timeline.error());
  Facts facts{std::move(*timeline), {}, {}, {}, {}};
  for (std::size_t device = 0; device < facts.work.devices().size(); ++device) {
    facts.spans.push_back(facts.work.span(device));
    facts.breakdowns.push_back(breakdown(insight::activity(facts.work, device)));
  }
  auto shapes = read_shapes(reader);
  if (!shapes) return tl::make_unexpected(shapes.error());
  facts.shapes = std::move(*shapes);
  auto loads = read_gpu_loads(reader, facts);
  if (!loads) return tl::make_unexpected(loads.error());
  facts.loads = std::move(*loads);
  if (const base::Status named = name_foreign_users(reader, facts.loads); !named)
    return tl::make_unexpected(named.error());
  auto collectives = read_collectives(reader);
  if (!collectives) return tl::make_unexpected(collectives.error());
  facts.collectives = std::move(*collectives);
  auto throttled = read_throttled_gpus(reader, facts.work);
  if (!throttled) return tl::make_unexpected(throttled.error());
  facts.throttled = std::move(*throttled);
  auto stalls = read_kernel_stalls(reader, facts.work);
  if (!stalls) return tl::make_unexpected(stalls.error());
  facts.stalls = std::move(*stalls);
  if (const base::Status read = add_overhead(reader, facts); !read)
    return tl::make_unexpected(read.error());
  if (const base::Status explained = explain_waits(reader, facts); !explained)
    return tl::make_unexpected(explained.error());
  return facts;
}

base::Result<Facts> read_window(const report::ReportReader& reader, const Interval& window,
                                const events::EventFilter& events, insight::GpuWork work) {
  work.keep(window);
  const events::EventFilter visible = events::both(events, {window.start, window.end, {}});
  if (const base::Status made = events::make_views(reader, visible); !made)
    return tl::make_unexpected(made.error());
  auto facts = read_facts_of_views(reader, std::move(work));
  if (const base::Status made = events::make_views(reader, events); !made)
    return tl::make_unexpected(made.error());
  return facts;
}

}  // namespace

std::int64_t Facts::span() const {
  std::int64_t sum = 0;
  for (const Interval& each : spans) sum += each.length();
  return sum;
}

std::int64_t Facts::peer_wait() const {
  std::int64_t sum = 0;
  for (const LateDevice& each : late) sum = events::sum(sum, each.waited);
  return sum;
}

std::int64_t Facts::waited_for(const insight::IdleTime& idle) const {
  for (const LateDevice& each : late)
    if (each.device == idle.device) return covered(each.times, idle.time.start, idle.time.end);
  return 0;
}

std::size_t Facts::iteration_count() const {
  std::size_t count = 0;
  for (const Iterations& each : iterations) count += each.times.size();
  return count;
}

bool Facts::is_within_span(const events::ApiCall& call) const {
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (events::process_of(work.devices()[i].global_pid) == events::process_of(call.global_tid) &&
        call.start >= spans[i].start && call.end <= spans[i].end)
      return true;
  return false;
}

base::Result<Facts> read_facts(const report::ReportReader& reader,
                               const events::EventFilter& events, const SeeWhole& see_whole) {
  auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  auto iterations = read_iterations(reader, *work);
  if (!iterations) return tl::make_unexpected(iterations.error());
  if (see_whole) see_whole(*work, *iterations);
  const auto steady = steady_state(*iterations);
  auto facts = steady ? read_window(reader, *steady, events, *std::move(work))
                      : read_facts_of_views(reader, *std::move(work));
  if (!facts) return facts;
  if (steady && !facts->collectives.empty()) {
    auto collectives = read_collectives(reader);
    if (!collectives) return tl::make_unexpected(collectives.error());
    facts->all_collectives = std::move(*collectives);
  }
  for (Iterations& each : *iterations)
    if (steady) each.times.erase(each.times.begin());
  facts->iterations = std::move(*iterations);
  return facts;
}

}  // namespace prof::analyze
