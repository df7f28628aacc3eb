#include "exporters/analysis/analyze/findings/facts.hpp"
#include "exporters/analysis/analyze/findings/gpu_users.hpp"

#include <algorithm>
#include <future>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/wait_reasons.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/second_reader.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/overhead.hpp"

namespace prof::analyze {

namespace {

using insight::Interval;
using insight::Iterations;

// Finds the iterations of all devices.
std::vector<Iterations> find_iterations(const insight::GpuWork& work,
                                        const events::RangeTree& ranges) {
  insight::IterationFinder finder(work, ranges);
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

base::Status read_launches(const report::ReportReader& reader, Facts& facts) {
  const auto names = events::KernelNames::make(reader, {});
  if (!names) return tl::make_unexpected(names.error());
  auto launches = insight::read_kernel_launches(reader, *names);
  if (!launches) return tl::make_unexpected(launches.error());
  const auto profiles = insight::read_kernel_profiles(reader, *names);
  if (!profiles) return tl::make_unexpected(profiles.error());
  auto hints = insight::read_source_hints(reader, *profiles);
  if (!hints) return tl::make_unexpected(hints.error());
  // The hints name files of the program.
  for (auto& [launch, hint] : *hints)
    for (std::string* text : {&hint.uncoalesced, &hint.bank_conflicts, &hint.idle_threads})
      if (!text->empty()) *text = base::mark_name("line", *text);
  facts.hints = std::move(*hints);
  facts.launches = std::move(*launches);
  std::erase_if(facts.launches, [](const auto& each) { return each.gpu.multiprocessors <= 0; });
  facts.profiles = insight::merged(*profiles);
  return {};
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
  if (const base::Status read = read_launches(reader, facts); !read)
    return tl::make_unexpected(read.error());
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

// The ranges, and what is computed of them, are read with a second connection, in a thread beside
// that of the GPU work.
base::Result<Facts> read_facts(const report::ReportReader& reader,
                               const events::EventFilter& events, const SeeWhole& see_whole) {
  const events::SecondReader second(reader);
  auto reading = std::async(second.policy(), [&] { return events::RangeTree::read(second.get()); });
  auto work = insight::GpuWork::read(reader);
  const auto ranges = reading.get();
  if (!work) return tl::make_unexpected(work.error());
  if (!ranges) return tl::make_unexpected(ranges.error());
  std::vector<Iterations> iterations = find_iterations(*work, *ranges);
  if (see_whole) see_whole(*work, iterations);
  const std::optional<Interval> steady = steady_state(iterations);
  auto operators = std::async(second.policy(),
                              [&] { return read_operator_facts(second.get(), *ranges, steady); });
  auto facts = steady ? read_window(reader, *steady, events, *std::move(work))
                      : read_facts_of_views(reader, *std::move(work));
  auto of_operators = operators.get();
  second.finish();
  if (!facts) return facts;
  if (!of_operators) return tl::make_unexpected(of_operators.error());
  if (steady && !facts->collectives.empty()) {
    auto collectives = read_collectives(reader);
    if (!collectives) return tl::make_unexpected(collectives.error());
    facts->all_collectives = std::move(*collectives);
  }
  for (Iterations& each : iterations)
    if (steady) each.times.erase(each.times.begin());
  facts->iterations = std::move(iterations);
  facts->operators = std::move(*of_operators);
  facts->steady = steady;
  return facts;
}

}  // namespace prof::analyze
